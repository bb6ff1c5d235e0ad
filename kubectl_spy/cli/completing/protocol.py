"""Cobra's completion protocol, which kubectl speaks with its plugins.

The arguments are the words, of which the last is still being typed. The output is one
candidate a line, with a tab before its description. The last line is `:` and a number,
whose bits tell the shell what to do.
https://github.com/spf13/cobra/blob/v1.9.1/site/content/completions/_index.md
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

import click
from click.shell_completion import CompletionItem, ShellComplete

from kubectl_spy.render.inert import inert

_NO_SPACE, _NO_FILES, _DIRECTORIES = 2, 4, 16
# Characters that are text to every shell. Names come from the cluster.
_SAFE = re.compile(r"[\w.,:/=@%+~-]+")
_WIDTH = 100
_OPEN = ("/", "=", ":")  # the last character of candidates that more text follows


def answer(cli: click.Command, words: Sequence[str]) -> str:
    """Return the candidates for the last of *words*."""
    *before, typed = words or ("",)
    items = _items(cli, before, typed)
    types = {item.type for item in items}
    if "dir" in types:
        return f":{_DIRECTORIES}\n"
    if "file" in types:
        return ":0\n"
    items = [item for item in items if _SAFE.fullmatch(str(item.value))]
    directive = _NO_FILES
    if any(str(item.value).endswith(_OPEN) for item in items):
        directive |= _NO_SPACE
    return "".join(map(_line, items)) + f":{directive}\n"


def _items(
    cli: click.Command, before: Sequence[str], typed: str
) -> list[CompletionItem]:
    # A credential plugin must not wait for input.
    with Path(os.devnull).open() as nothing:
        os.dup2(nothing.fileno(), 0)
    found = ShellComplete(cli, {}, "kubectl spy", "")
    items = found.get_completions(list(before), typed)
    commands = cli.commands if isinstance(cli, click.Group) and not before else {}
    for item in items:
        if command := commands.get(item.value):
            item.help = command.get_short_help_str(_WIDTH)  # click cuts it at 45
    return items


def _line(item: CompletionItem) -> str:
    said = f"\t{inert(item.help)}" if item.help else ""
    return f"{item.value}{said}\n"

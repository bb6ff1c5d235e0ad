"""Cobra's completion protocol, which kubectl speaks with its plugins.

The words come as arguments, the last one being what is typed so far; out go candidates,
a line each, a tab before what is said of them; and last `:` and a number whose bits say
what the shell is to do.
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
_SAFE = re.compile(r"[\w.,:/=@%+~-]+")
"""What no shell reads as anything but text: names come from the cluster."""
_WIDTH = 100
_OPEN = ("/", "=", ":")
"""How candidates end that are not whole yet."""


def answer(cli: click.Command, words: Sequence[str]) -> str:
    """Return what may follow *words*, the last being what is typed so far."""
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
    # What runs is kubectl's, ours, or a plugin's for credentials: none may ask.
    with Path(os.devnull).open() as nothing:
        os.dup2(nothing.fileno(), 0)
    found = ShellComplete(cli, {}, "kubectl spy", "")
    items = found.get_completions(list(before), typed)
    commands = cli.commands if isinstance(cli, click.Group) and not before else {}
    for item in items:
        if command := commands.get(item.value):
            item.help = command.get_short_help_str(_WIDTH)  # click cuts it off at 45
    return items


def _line(item: CompletionItem) -> str:
    said = f"\t{inert(item.help)}" if item.help else ""
    return f"{item.value}{said}\n"

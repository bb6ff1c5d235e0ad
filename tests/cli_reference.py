"""docs/cli.md, written from the commands themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from inspect import cleandoc

import click

from kubectl_spy.cli import boundary
from kubectl_spy.cli.commands.options import common_flags
from kubectl_spy.cli.main import cli
from kubectl_spy.cli.params import COMMON, KubectlCommand

_HEAD = """\
# The commands

Every command, with its flags and examples. `kubectl spy help trace` prints the same for
`trace`. kubectl's flags mean the same here, and may stand before or after the command.
The flags of all commands are [at the end](#common-flags), as in `kubectl spy options`.

This page is generated from `--help`. `scripts/test --update-golden` writes it anew.

"""
CLUSTER = "Cluster and user"
_FLAG = re.compile(r"[\\|]")

Row = tuple[str, str]


def reference() -> str:
    """Return the page: each command, its arguments, flags and examples."""
    context = click.Context(cli, info_name="kubectl spy")
    names = list(cli.commands)
    parts = [_HEAD, *(_linked(context, name) for name in names), "\n"]
    for name in names:
        parts += _command(context, name)
    parts += ["## Common flags\n\n", *_table(common_flags(context))]
    parts += ["\n## Exit codes\n\n", *_exit_codes()]
    return "".join(parts)


def _linked(context: click.Context, name: str) -> str:
    command = cli.get_command(context, name)
    assert command is not None
    return f"- [`{name}`](#{name}): {command.get_short_help_str(100)}\n"


def _command(context: click.Context, name: str) -> Iterator[str]:
    command = cli.get_command(context, name)
    assert isinstance(command, KubectlCommand)
    usage = " ".join(command.collect_usage_pieces(context))
    yield f"## {name}\n\n    kubectl spy {name} {usage}\n\n"
    yield f"{_paragraphs(command.help or '')}\n\n"
    _, _, examples = (command.epilog or "").partition("Examples:\n")
    yield from (f"    {line.strip()}\n" for line in examples.strip().splitlines())
    yield "\n"
    own = click.Context(command, context, name)
    if groups := command.groups(own):
        yield from (*_table(groups), "\n")
    if common := command.groups(own, COMMON):
        rows = [row for title in common if title != CLUSTER for row in common[title]]
        flags = [f"`{re.findall(r'--[a-z-]+', names)[0]}`" for names, _ in rows]
        flags += ["those of the cluster and user"] if CLUSTER in common else []
        yield f"[Common flags](#common-flags): {', '.join(flags)}.\n\n"


def _table(groups: dict[str, list[Row]]) -> Iterator[str]:
    yield "| | |\n|---|---|\n"
    for title, rows in groups.items():
        yield f"| **{title}** | |\n"
        for row in rows:
            flags, said = (
                _FLAG.sub(lambda found: f"\\{found[0]}", each) for each in row
            )
            yield f"| `{flags}` | {said} |\n"


def _paragraphs(text: str) -> str:
    return "\n\n".join(map(_paragraph, cleandoc(text).split("\n\n")))


def _paragraph(text: str) -> str:
    indent = "    " if text.startswith("\b") else ""  # lines to type
    lines = text.removeprefix("\b\n").splitlines()
    return "\n".join(f"{indent}{line.strip()}" for line in lines)


def _exit_codes() -> Iterator[str]:
    """Yield the table that stands at the head of the module that gives them."""
    assert boundary.__doc__ is not None
    found = re.findall(r"(\d+) +(\S.*?)(?=  |$)", boundary.__doc__, re.MULTILINE)
    yield "| | |\n|---|---|\n"
    for code, meaning in sorted(found, key=lambda pair: int(pair[0])):
        yield f"| {code} | {meaning} |\n"

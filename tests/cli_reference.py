"""docs/cli.md, written from the commands themselves."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import click

from kubectl_spy.cli import boundary
from kubectl_spy.cli.main import cli
from kubectl_spy.cli.params import GROUPS, KubectlCommand

_HEAD = """\
# The commands

Every command, with its flags and examples. `kubectl spy help trace` prints the same for
`trace`. kubectl's flags mean the same here, and may stand before or after the command.
`-w` is accepted as in `kubectl get`: a command that reads a cluster always watches.

This page is generated from `--help`. `scripts/test --update-golden` writes it anew.

"""
_FLAG = re.compile(r"[\\|]")
_COMMON = 4  # flags with the same help in so many commands are described once

Row = tuple[str, str]


def reference() -> str:
    """Return the page: each command, its arguments, flags and examples."""
    context = click.Context(cli, info_name="kubectl spy")
    names = list(cli.commands)
    groups = {name: _groups(context, name) for name in names}
    common = _common(list(groups.values()))
    shared = {row for rows in common.values() for row in rows}
    parts = [_HEAD, *(_linked(context, name) for name in names), "\n"]
    for name in names:
        parts += _command(context, name, groups[name], shared)
    parts += ["## Common flags\n\n", *_table(common)]
    parts += ["\n## Exit codes\n\n", *_exit_codes()]
    return "".join(parts)


def _common(commands: list[dict[str, list[Row]]]) -> dict[str, list[Row]]:
    """Return the flags of several commands, by the title of their group."""
    rows = [(title, row) for each in commands for title in each for row in each[title]]
    counts = Counter(rows)
    found: dict[str, list[Row]] = {title: [] for title in GROUPS}
    for title, row in counts:
        if counts[title, row] >= _COMMON:
            found[title].append(row)
    return {title: rows for title, rows in found.items() if rows}


def _linked(context: click.Context, name: str) -> str:
    command = cli.get_command(context, name)
    assert command is not None
    return f"- [`{name}`](#{name}): {command.get_short_help_str(100)}\n"


def _command(
    context: click.Context,
    name: str,
    groups: dict[str, list[Row]],
    shared: set[Row],
) -> Iterator[str]:
    command = cli.get_command(context, name)
    assert command is not None
    usage = " ".join(command.collect_usage_pieces(context))
    yield f"## {name}\n\n    kubectl spy {name} {usage}\n\n"
    yield f"{_paragraphs(command.help or '')}\n\n"
    _, _, examples = (command.epilog or "").partition("Examples:\n")
    yield from (f"    {line.strip()}\n" for line in examples.strip().splitlines())
    yield "\n"
    own = {
        title: found
        for title, rows in groups.items()
        if (found := [row for row in rows if row not in shared])
    }
    if own:
        yield from (*_table(own), "\n")
    rows = [row for title in groups if title != "Connection" for row in groups[title]]
    flags = [
        f"`{flag.split()[0].rstrip(',')}`"
        for flag, _ in filter(shared.__contains__, rows)
    ]
    more = ", and those under Connection" if "Connection" in groups else ""
    yield f"[Common flags](#common-flags): {', '.join(flags)}{more}.\n\n"


def _groups(context: click.Context, name: str) -> dict[str, list[Row]]:
    command = cli.get_command(context, name)
    assert isinstance(command, KubectlCommand)
    return command.groups(click.Context(command, context, name))


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
    return "\n\n".join(
        re.sub(r"\s*\n\s*", "\n", paragraph.strip())
        for paragraph in text.replace("\b", "").split("\n\n")
    )


def _exit_codes() -> Iterator[str]:
    """Yield the table that stands at the head of the module that gives them."""
    assert boundary.__doc__ is not None
    found = re.findall(r"(\d+) +(\S.*?)(?=  |$)", boundary.__doc__, re.MULTILINE)
    yield "| | |\n|---|---|\n"
    for code, meaning in sorted(found, key=lambda pair: int(pair[0])):
        yield f"| {code} | {meaning} |\n"

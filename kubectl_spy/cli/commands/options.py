"""`kubectl spy options`: the flags that many commands take."""

from __future__ import annotations

from collections.abc import Iterator

import click

from kubectl_spy.cli.params import COMMON, command, write_groups

_MOST = 9  # commands to name
_HEAD = "These flags mean the same in each command that takes them:\n"


@command(
    "kubectl spy options",
    "kubectl spy trace deploy/web --context staging --as jane",
    "kubectl spy status deploy/web --for ready --timeout 5m --record rollout.spy",
    name="options",
)
@click.pass_context
def options_(context: click.Context) -> None:
    """Which flags do all commands share?

    Print the flags of the connection, of recordings, of Secrets and of the output. They
    may stand before or after the command.
    """
    formatter = context.make_formatter()
    formatter.write(_HEAD)
    write_groups(common_flags(context), formatter)
    click.echo(formatter.getvalue())


def common_flags(context: click.Context) -> dict[str, list[tuple[str, str]]]:
    """Return names and help of the common flags, and who takes those of few commands.

    They are by the title of their group.
    """
    spy = context.find_root().command
    assert isinstance(spy, click.Group)
    takers: dict[str, list[str]] = {}
    records: dict[str, tuple[str, str] | None] = {}
    for name, taker in spy.commands.items():
        for each in taker.params:
            flag = "--from" if each.name == "file" else each.opts[-1]
            takers.setdefault(flag, []).append(name)
            records.setdefault(flag, each.get_help_record(context))

    def rows(names: str) -> Iterator[tuple[str, str]]:
        for name in names.split():
            if record := records[name]:
                few = takers[name] if len(takers[name]) < _MOST else []
                yield record[0], record[1] + (f" Of {', '.join(few)}." if few else "")

    return {title: list(rows(names)) for title, names in COMMON.items()}

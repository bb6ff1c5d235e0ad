"""`kubectl spy help`."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import click
from click.shell_completion import CompletionItem

from kubectl_spy.cli import options
from kubectl_spy.cli.params import command
from kubectl_spy.errors import UsageError

_KINDS = "kinds"


def _offers(
    context: click.Context, _: click.Parameter, typed: str
) -> list[CompletionItem]:
    assert context.parent is not None
    found = context.parent.command.shell_complete(context.parent, typed)
    if _KINDS.startswith(typed):
        found.append(CompletionItem(_KINDS, help="What is known of kinds?"))
    if typed[:1].isupper():
        from kubectl_spy.findings import codes

        found += [CompletionItem(each) for each in codes() if each.startswith(typed)]
    return found


def _is_code(word: str, commands: Collection[str]) -> bool:
    """Return whether *word* is to be the code of a finding, in any case."""
    if word in commands:
        return False
    if word[:1].isupper():
        return True
    from kubectl_spy.findings import codes  # few runs need it

    return word.lower() in map(str.lower, codes())


@command(
    "kubectl spy help",
    "kubectl spy help trace",
    "kubectl spy help kinds",
    "kubectl spy help kinds widgets.example.org",
    "kubectl spy help ImageNotFound",
    name="help",
)
@click.argument("command", nargs=-1, shell_complete=_offers)
@options.connection
@click.pass_context
def help_(context: click.Context, /, command: tuple[str, ...], **flags: Any) -> None:
    """Which flags does a command take?

    Print the help of COMMAND, as --help does. Without COMMAND, list the commands.

    help kinds lists the kinds of whose health something is known, and from which file.
    help kinds widgets.example.org prints what is known of one. If nothing is, it drafts
    an entry from the definition and the objects in the cluster, which the flags choose.

    help ImageNotFound says what a finding of that code means: docs/findings.md has all.
    """
    if command[:1] == (_KINDS,):
        from kubectl_spy.cli.parsed import connection_of
        from kubectl_spy.cli.views.kinds import print_kind, print_kinds

        if len(command) > 2:
            raise UsageError("help kinds takes one kind", "write widgets.example.org")
        if len(command) == 1:
            print_kinds(context.obj)
        else:
            print_kind(command[1], connection_of(flags), context.obj)
        return
    spy = context.find_root()
    assert isinstance(spy.command, click.Group)
    if len(command) == 1 and _is_code(command[0], spy.command.commands):
        from kubectl_spy.cli.views.codes import print_code

        print_code(command[0], context.obj)
        return
    args = [*command, "--help"]
    spy.command.main(args, prog_name=spy.info_name, standalone_mode=False)

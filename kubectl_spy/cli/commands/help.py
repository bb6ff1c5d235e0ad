"""`kubectl spy help`."""

from __future__ import annotations

import click

from kubectl_spy.cli.params import KubectlCommand

_EPILOG = """\b
Examples:
  kubectl spy help
  kubectl spy help trace
"""


@click.command("help", cls=KubectlCommand, epilog=_EPILOG)
@click.argument(
    "command",
    nargs=-1,
    shell_complete=lambda context, _, typed: context.parent.command.shell_complete(
        context.parent, typed
    ),
)
@click.pass_context
def help_(context: click.Context, /, command: tuple[str, ...]) -> None:
    """Which flags does a command take?

    Print the help of COMMAND, as --help does. Without COMMAND, list the commands.
    """
    spy = context.find_root()
    args = [*command, "--help"]
    spy.command.main(args, prog_name=spy.info_name, standalone_mode=False)

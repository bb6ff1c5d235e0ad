"""`kubectl spy version`."""

from __future__ import annotations

import click

from kubectl_spy import __version__
from kubectl_spy.cli.params import command


@command(
    "kubectl spy version",
)
def version() -> None:
    """Which version of kubectl-spy is this?

    Print the version, as --version does. No cluster is asked.
    """
    click.echo(f"kubectl-spy {__version__}")

"""`kubectl spy completion`: what makes a shell complete."""

from __future__ import annotations

import click

from kubectl_spy.cli.params import command
from kubectl_spy.sinks.terminal import Terminal


@command(
    "kubectl spy completion bash install",
    "kubectl spy completion zsh > ~/.zfunc/_kubectl-spy",
)
@click.argument(
    "shell", metavar="SHELL", type=click.Choice(["bash", "zsh", "fish", "powershell"])
)
@click.argument(
    "install", required=False, type=click.Choice(["install"]), metavar="[install]"
)
@click.pass_obj
def completion(terminal: Terminal, /, shell: str, install: str | None) -> None:
    """How does my shell complete commands and names?

    Print the script with which SHELL (bash, zsh, fish or powershell) completes
    `kubectl-spy`. With install, install it, and say what else to do.

    kubectl completes `kubectl spy` itself. For this it needs its own completion
    (kubectl completion --help) and the program kubectl_complete-spy on PATH. install
    puts that program beside kubectl-spy. Names are asked of the cluster, for at most 2
    seconds, or for the --request-timeout on the command line.
    """
    import os

    from kubectl_spy.cli.completing import installing

    if install:
        installing.install(shell, os.environ, terminal.say)
    else:
        terminal.write(installing.script_for(shell))

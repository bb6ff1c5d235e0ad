"""`kubectl spy completion`: what makes a shell complete."""

from __future__ import annotations

import click

from kubectl_spy.cli import options
from kubectl_spy.cli.params import KubectlCommand
from kubectl_spy.render.inert import inert
from kubectl_spy.sinks.terminal import Terminal

_EPILOG = """\b
Examples:
  kubectl spy completion bash --install
  kubectl spy completion zsh > ~/.zfunc/_kubectl-spy
"""


@click.command(cls=KubectlCommand, epilog=_EPILOG)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish", "powershell"]))
@options.switch("--install", "Install the script, and say what else to do.")
@click.pass_obj
def completion(terminal: Terminal, /, shell: str, install: bool) -> None:
    """How does my shell complete commands and names?

    Print the script with which a shell completes `kubectl-spy`.

    kubectl completes `kubectl spy` itself. For this it needs its own completion
    (kubectl completion --help) and the program kubectl_complete-spy on PATH. --install
    puts that program beside kubectl-spy. Names are asked of the cluster, for at most 2
    seconds, or for the --request-timeout on the command line.
    """
    import os

    from kubectl_spy.cli.completing import installing

    if install:
        installing.install(shell, os.environ, lambda line: terminal.say(inert(line)))
    else:
        terminal.write(installing.script_for(shell))

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

    Print the script that makes SHELL complete `kubectl-spy`.

    kubectl completes `kubectl spy` itself, if its own completion is set up (kubectl
    completion --help) and a program kubectl_complete-spy is on PATH. --install puts it
    beside kubectl-spy. For names it asks the cluster. It waits 2 seconds, or as long as
    a --request-timeout on the line says.
    """
    import os

    from kubectl_spy.cli.completing import installing

    if install:
        installing.install(shell, os.environ, lambda line: terminal.say(inert(line)))
    else:
        terminal.write(installing.script_for(shell))

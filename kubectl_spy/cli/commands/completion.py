"""`kubectl spy completion`: what makes shells and kubectl complete."""

from __future__ import annotations

import os

import click

from kubectl_spy.cli.params import command
from kubectl_spy.cli.run.this_program import plugin_name
from kubectl_spy.sinks.terminal import Terminal

_SHELLS = ("bash", "zsh", "fish", "powershell")


@command("kubectl spy completion bash", "kubectl spy completion kubectl")
@click.argument("shell", metavar="SHELL", type=click.Choice([*_SHELLS, "kubectl"]))
@click.pass_obj
def completion(terminal: Terminal, /, shell: str) -> None:
    """How does my shell complete commands and names?

    Print the script with which SHELL (bash, zsh, fish or powershell) completes
    `kubectl-spy`. It begins with the line that loads it.

    kubectl completes `kubectl spy` itself. For this it needs its own completion
    (kubectl completion --help) and the program kubectl_complete-spy on PATH. pip
    installs that program, krew does not. completion kubectl prints it: after krew,
    paste two lines. On Windows it is another one, and begins with the line to paste.

    \b
      kubectl spy completion kubectl > ~/.krew/bin/kubectl_complete-spy
      chmod +x ~/.krew/bin/kubectl_complete-spy

    Names are asked of the cluster, for at most 2 seconds, or for the --request-timeout
    on the command line.
    """
    name = shell
    if shell == "kubectl" and os.name == "nt":
        name = "kubectl.cmd"
    plugin = plugin_name() or ""
    plain = plugin.isascii() and plugin.replace("-", "").replace("_", "").isalnum()
    terminal.write(script(name, plugin if plain else "spy"))  # text to every shell


def script(name: str, plugin: str) -> str:
    """Return the script *name*, for the program `kubectl-PLUGIN`.

    kubectl asks `kubectl_complete-PLUGIN` on PATH for completions of a plugin:
    https://kubernetes.io/docs/tasks/extend-kubectl/kubectl-plugins/#adding-shell-completion-for-plugins
    """
    from importlib import resources  # takes 8 ms, and --help reads this module

    folder = resources.files("kubectl_spy.cli.completing") / "scripts"
    text = (folder / name).read_text("utf-8")
    for ours, theirs in (
        ("kubectl_complete-spy", f"kubectl_complete-{plugin}"),
        ("kubectl-spy", f"kubectl-{plugin}"),
        ("__kubectl_spy", f"__kubectl_{plugin.replace('-', '_')}"),
        ("kubectl spy", f"kubectl {plugin.replace('_', '-')}"),
    ):
        text = text.replace(ours, theirs)
    return text

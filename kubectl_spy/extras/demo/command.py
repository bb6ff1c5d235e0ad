"""`kubectl spy demo`: the real commands, on recorded real rollouts."""

from __future__ import annotations

import click

from kubectl_spy.cli import options
from kubectl_spy.cli.params import SPEED, command
from kubectl_spy.sinks.terminal import Terminal


@command(
    "kubectl spy demo",
    "kubectl spy demo --speed 0       as fast as possible",
    "kubectl spy demo serve           try your own commands in another terminal",
)
@click.argument("what", required=False, metavar="[serve]", type=click.Choice(["serve"]))
@options.value(
    "--speed X",
    "Play X times as fast as it happened, by default 8; 0 does not wait.",
    type=SPEED,
    default=8.0,
)
@options.color
@click.pass_obj
def demo(terminal: Terminal, /, what: str | None, speed: float, color: str) -> None:
    """How can I try all this without a cluster?

    Run the real commands against an API server inside this program. It listens on the
    loopback interface, and plays recordings of a real Kubernetes 1.36.

    demo serve only runs the API server, and says how to use it. Ctrl-C ends it.
    """
    from kubectl_spy.extras.demo.tour import play_tour, serve_recordings

    if what:
        serve_recordings(terminal, speed=speed)
    else:
        play_tour(terminal, speed=speed, color=color)

"""`kubectl spy serve`: a recording as a Kubernetes API."""

from __future__ import annotations

import click

from kubectl_spy.cli import options
from kubectl_spy.cli.params import SPEED, command
from kubectl_spy.errors import UsageError
from kubectl_spy.sinks.terminal import Terminal


@command(
    "kubectl spy serve night.spy                    # as it was at its end",
    "kubectl spy serve night.spy --at 03:14         # as it was then",
    "kubectl spy serve night.spy --speed 10         # as it happened, faster",
)
@options.recording
@options.at("point")
@options.value("--speed X", "Play it, X times as fast as it was.", type=SPEED)
@options.value(
    "--address IP",
    "The address to listen on, by default 127.0.0.1. Any other than loopback is open "
    "to the network, unencrypted.",
    default="127.0.0.1",
)
@options.debug
@click.pass_obj
def serve(
    terminal: Terminal,
    /,
    file: str,
    point: str | None,
    speed: float | None,
    address: str,
    **flags: object,
) -> None:
    """How can kubectl read a recording?

    Serve a recording as a read-only Kubernetes API, for kubectl and other clients: as
    it was at its end, or at the point --at. With --speed, play it from its first state
    or from that point on, once a client begins to watch; --speed 0 does not wait. The
    server runs until Ctrl-C.

    A POST to /spy/seek?at=POINT moves to another point. Clients that watch get an event
    for each object that differs.

    FILE may be gzipped; - is standard input.
    """
    if not address:  # a socket takes it for every address
        raise UsageError("--address is empty", "name an address, or leave it out")
    from kubectl_spy.extras.serve.server import serve_recording

    begin = point or ("last" if speed is None else "first")
    serve_recording(terminal, file, begin, speed, address)

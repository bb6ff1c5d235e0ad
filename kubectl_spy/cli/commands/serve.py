"""`kubectl spy serve`: a recording as a Kubernetes API."""

from __future__ import annotations

import click

from kubectl_spy.cli import options
from kubectl_spy.cli.completing import words
from kubectl_spy.cli.params import KubectlCommand
from kubectl_spy.errors import UsageError
from kubectl_spy.sinks.terminal import Terminal

_EPILOG = """\b
Examples:
  kubectl spy serve night.spy                    # as it was at its end
  kubectl spy serve night.spy --at 03:14         # as it was then
  kubectl spy serve night.spy --play --speed 10  # as it happened, faster
"""


@click.command(cls=KubectlCommand, epilog=_EPILOG)
@options.recording
@options.value(
    "--at point POINT",
    "Where to begin: seq:12, rv:4711, first, last, 15:04:05.170, last-5m, first+30s, "
    "or an RFC 3339 time. By default last, or first with --play.",
    words.points,
)
@options.switch("--play", "Play from that point on, once a client begins to watch.")
@options.value(
    "--speed X",
    "With --play: play this many times as fast as recorded; 0 does not wait. By "
    "default 1.",
    type=click.FloatRange(min=0),
)
@options.value(
    "--address IP",
    "The address to listen on. Any other than loopback is open to the network, "
    "unencrypted.",
    default="127.0.0.1",
    show_default=True,
)
@options.debug
@click.pass_obj
def serve(
    terminal: Terminal,
    /,
    file: str,
    point: str | None,
    play: bool,
    speed: float | None,
    address: str,
    **flags: object,
) -> None:
    """How can kubectl read a recording?

    Serve a recording as a read-only Kubernetes API, for kubectl and other clients: as
    it was at a point, or with --play as it happened. The server runs until Ctrl-C.

    A POST to /spy/seek?at=POINT moves to another point. The signal USR1 moves to the
    next change. Clients that watch get an event for each object that differs.

    FILE may be gzipped; - is standard input.
    """
    if speed is not None and not play:
        raise UsageError("--speed is for playing", "add --play")
    if not address:  # a socket takes it for every address
        raise UsageError("--address is empty", "name an address, or leave it out")
    from kubectl_spy.extras.serve.serving import serve_recording

    begin = point or ("first" if play else "last")
    pace = (1.0 if speed is None else speed) if play else None
    serve_recording(terminal, file, begin, pace, address)

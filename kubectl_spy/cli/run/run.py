"""Runs a command on a cluster or on a recording."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kubectl_spy.cli.run.view import ViewSpec
from kubectl_spy.errors import UsageError
from kubectl_spy.sinks.terminal import Terminal

_OF_RECORDINGS = {
    "to_time": "--until",
    "at": "--at",
    "speed": "--speed",
    "audit": "--audit",
}


def run(flags: Mapping[str, Any], spec: ViewSpec, terminal: Terminal) -> None:
    """Run the command with click's *flags*: on a cluster, or on a recording."""
    if flags.get("source") is not None:
        from kubectl_spy.cli.run.recorded import replay
        from kubectl_spy.cli.run.replay import Replay

        replay(Replay.from_flags(flags), spec, terminal)
        return
    for name, flag in _OF_RECORDINGS.items():
        if flags.get(name) is not None:
            raise UsageError(f"{flag} is for recordings", "name one first: FILE TARGET")
    from kubectl_spy.cli.run.live import follow
    from kubectl_spy.cli.run.request import Request

    # A recording of everything also holds what explains it, as the views need it.
    whole = spec.silent and spec.everything and not flags["target"]
    owned = spec.owned or whole
    request = Request.from_flags(flags, owned=owned, everything=spec.everything)
    follow(request, spec, terminal)

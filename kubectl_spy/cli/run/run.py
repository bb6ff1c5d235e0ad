"""Runs a command on a cluster or on a recording."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kubectl_spy.cli.run.view import ViewSpec
from kubectl_spy.errors import UsageError
from kubectl_spy.sinks.terminal import Terminal


def run(flags: Mapping[str, Any], spec: ViewSpec, terminal: Terminal) -> None:
    """Run the command with click's *flags*: live, or with `--from` on a recording."""
    if flags.get("source") is not None:
        if flags.get("back_to") is not None:
            raise UsageError(
                "--since asks a cluster", "with a recording use --from-time last-1h"
            )
        from kubectl_spy.cli.run.recorded import replay
        from kubectl_spy.cli.run.replay import Replay

        replay(Replay.from_flags(flags), spec, terminal)
        return
    for name in ("from_time", "to_time", "at", "speed", "audit"):
        if flags.get(name) is not None:
            flag = f"--{name.replace('_', '-')}"
            raise UsageError(f"{flag} is for recordings", "use it with --from FILE")
    from kubectl_spy.cli.run.live import follow
    from kubectl_spy.cli.run.request import Request

    follow(Request.from_flags(flags, owned=spec.owned), spec, terminal)

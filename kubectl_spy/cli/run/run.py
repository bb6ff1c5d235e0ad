"""Runs a command on a cluster or on a recording."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kubectl_spy.cli.run.scene import ViewSpec
from kubectl_spy.sinks.terminal import Terminal


def run(flags: Mapping[str, Any], spec: ViewSpec, terminal: Terminal) -> None:
    """Run the command with click's *flags*: live, or with `--from` on a recording.

    Raises:
        SpyError: it cannot be run.
    """
    if flags.get("source") is not None:
        from kubectl_spy.cli.run.recorded import Replay, replay

        replay(Replay.from_flags(flags), spec, terminal)
        return
    from kubectl_spy.cli.run.live import follow
    from kubectl_spy.cli.run.request import Request

    follow(Request.from_flags(flags, owned=spec.owned), spec, terminal)

"""Where `status` and `changes` part: to a cluster, or to a recording."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kubectl_spy.sinks.terminal import Terminal


def show(flags: Mapping[str, Any], terminal: Terminal, *, status: bool) -> None:
    """Show what click's *flags* ask for, live or recorded.

    Raises:
        SpyError: it cannot be shown.
    """
    if flags["source"] is not None:
        from kubectl_spy.cli.run.recorded import from_file, play

        play(from_file(flags, status=status), terminal)
        return
    from kubectl_spy.cli.run.live import follow
    from kubectl_spy.cli.run.request import Settings

    follow(Settings.from_flags(flags, status=status), terminal)

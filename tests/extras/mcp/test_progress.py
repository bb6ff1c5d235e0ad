"""`mcp`: a client that asks for progress hears each second that a call runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import anyio
import pytest

from tests.answering import Answer, answering
from tests.cli.command import PATIENCE, Spy
from tests.extras.mcp.asking import connected
from tests.extras.serve.api_server.server import Serve

Step = tuple[float, float | None, str | None]


def progress_of(
    spy: Spy, name: str, arguments: dict[str, Any], flags: Sequence[str], mode: Any
) -> list[Step]:
    """Return what is reported during a call."""
    steps: list[Step] = []

    async def keep(progress: float, total: float | None, message: str | None) -> None:
        steps.append((progress, total, message))

    async def asked() -> None:
        with anyio.fail_after(PATIENCE):
            async with connected(spy, *flags, mode=mode) as client:
                await client.call_tool(name, arguments, progress_callback=keep)

    anyio.run(asked)
    return steps


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_watch_reports_the_seconds_that_passed(
    spy: Spy, serve: Serve, mode: Any
) -> None:
    serve("pod-crashloop", watches_before_play=1000)
    arguments = {"target": "pods", "seconds": 3}
    steps = progress_of(spy, "watch", arguments, (), mode)
    passed = [progress for progress, _, _ in steps]
    assert passed == list(range(1, len(steps) + 1)) and len(steps) >= 2
    assert steps[:2] == [
        (1.0, 3.0, "watch has run for 1 s"),
        (2.0, 3.0, "watch has run for 2 s"),
    ]
    assert all(total is not None and total >= progress for progress, total, _ in steps)


def test_another_call_reports_that_it_still_runs(spy: Spy) -> None:
    with answering(lambda asked: Answer(404, delay=2.5)) as url:
        flags = ("--server", url, "--timeout", "4s")
        steps = progress_of(spy, "trace", {"target": "pod/a"}, flags, "auto")
    assert steps[:2] == [
        (1.0, None, "trace has run for 1 s"),
        (2.0, None, "trace has run for 2 s"),
    ]

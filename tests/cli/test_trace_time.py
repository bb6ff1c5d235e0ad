"""What time alone changes in a trace: a restarted container that runs on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.api_server.server import ApiServer
from tests.cli.command import Spy
from tests.core.diagnosis.pods import a_pod, container, over, ready_since, running

Serve = Callable[..., ApiServer]


def restarted(**owner: Any) -> dict[str, Any]:
    """Return a Pod that restarted at once, by a clock that is far from ours."""
    at = "2026-03-01T10:00:00Z"
    last = over(1, startedAt=at, finishedAt=at)
    app = container(state=running(startedAt=at), last=last, ready=True, restarts=2)
    return a_pod(app, conditions=ready_since(at), metadata=owner)


@pytest.mark.parametrize("output", ["lines", "json"])
def test_a_quiet_namespace_settles_live_and_recorded_alike(
    spy: Spy, serve: Serve, tmp_path: Path, output: str
) -> None:
    server = serve(namespace="shop")
    server.put(restarted())
    words = ("trace", "pod/web-0", "-n", "shop", "-o", output)
    settled = '"verdict":"ok","summary"' if output == "json" else "✓ pod/web-0"
    file = str(tmp_path / "quiet.spy")
    with spy.running(*words, "--record", file) as live:
        live.wait_until(lambda it: settled.encode() in it.stdout)
        ended = live.end()
    assert "it may end again" in ended.out
    replayed = spy.run("trace", "-o", output, "--from", file)
    assert (replayed.code, replayed.out) == (0, ended.out)
    assert "✓ pod/web-0" in spy.run("trace", "--once", "--from", file).out


def test_once_waits_for_nobody_and_claims_nothing(
    spy: Spy, serve: Serve, tmp_path: Path
) -> None:
    server = serve(namespace="shop")
    server.put(restarted())
    file = str(tmp_path / "once.spy")
    words = ("trace", "pod/web-0", "-n", "shop", "--once", "--record", file)
    ended = spy.run(*words)
    assert ended.out.startswith("… pod/web-0  Running  1/1 ready, 2 restarts")
    assert spy.run("trace", "--once", "--from", file).out.startswith("… pod/web-0")

"""What time alone changes in a trace: a restarted container that runs on."""

from __future__ import annotations

from typing import Any

from tests.builders import a_pod, container, over, ready_since, running
from tests.cli.command import Spy
from tests.extras.serve.api_server.server import Serve


def restarted(**owner: Any) -> dict[str, Any]:
    """Return a Pod that restarted at once, by a clock that is far from ours."""
    at = "2026-03-01T10:00:00Z"
    last = over(1, startedAt=at, finishedAt=at)
    app = container(state=running(startedAt=at), last=last, ready=True, restarts=2)
    return a_pod(app, conditions=ready_since(at), metadata=owner)


def test_quiet_namespaces_settle_alike(spy: Spy, serve: Serve) -> None:
    server = serve(namespace="shop")
    server.put(restarted())
    lines, documents = (
        (
            "trace",
            "pod/web-0",
            "-n",
            "shop",
            "-o",
            output,
            "--record",
            str(spy.home / output),
        )
        for output in ("lines", "json")
    )
    with spy.running(*lines) as of_lines, spy.running(*documents) as of_documents:
        of_lines.wait_until(lambda it: "✓ pod/web-0".encode() in it.stdout)
        of_documents.wait_until(lambda it: b'"verdict":"ok","summary"' in it.stdout)
        shown = {"lines": of_lines.end().out, "json": of_documents.end().out}
    for output, live in shown.items():
        assert "it may end again" in live
        file = str(spy.home / output)
        replayed = spy.run("trace", "-o", output, "--from", file)
        assert (replayed.code, replayed.out) == (0, live)
        assert "✓ pod/web-0" in spy.run("trace", "--once", "--from", file).out


def test_once_reports_the_state_without_waiting(spy: Spy, serve: Serve) -> None:
    server = serve(namespace="shop")
    server.put(restarted())
    file = str(spy.home / "once.spy")
    words = ("trace", "pod/web-0", "-n", "shop", "--once", "--record", file)
    ended = spy.run(*words)
    assert ended.out.startswith("! pod/web-0  Running  1/1 ready, 2 restarts")
    assert spy.run("trace", "--once", "--from", file).out.startswith("! pod/web-0")

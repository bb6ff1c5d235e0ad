"""The logs of containers that failed: in a trace, in its pipe, and in recordings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.builders import a_pod, container, over, waiting
from tests.cli.command import Ended, Spy, wait_for_lists
from tests.cli.screen import on_a_terminal
from tests.extras.serve.api_server.server import ApiServer, Serve
from tests.processes import wait_until
from tests.recordings import resealed

PATH = "/api/v1/namespaces/default/pods/"
TEXT = "connecting\n\x1b[31mpanic:\x1b[0m no such host\x1b[2J\n"
SHOWN = ["log  connecting", "log  panic: no such host\\u001b[2J"]


def failing(name: str = "web-0", **metadata: Any) -> dict[str, Any]:
    """Return a Pod in a crash loop."""
    state = waiting("CrashLoopBackOff")
    last = over(3, containerID=f"containerd://{name}")
    told = {"name": name, "uid": f"uid-{name}", "namespace": "default", **metadata}
    return a_pod(container(state=state, last=last, restarts=2), metadata=told)


def a_server(serve: Serve, status: int = 200, text: str | None = TEXT) -> ApiServer:
    server = serve()
    server.put(failing())
    server.refuse(PATH, status, text)
    # Lists and watches have no name behind the slash.
    return server


def asked(server: ApiServer) -> list[str]:
    return [each.path for each in server.requests if each.route.endswith("/log")]


def logs(ended: Ended) -> list[str]:
    """Return the lines that hold logs, from there on."""
    lines = ended.out.splitlines()
    return [line[line.index("log  ") :] for line in lines if " log  " in line]


def test_the_log_stands_below_the_failure(spy: Spy, serve: Serve) -> None:
    server = a_server(serve)
    ended = spy.run("trace", "pod/web-0", "--once")
    assert ended.code == 0, ended.err
    root, failure, *log = ended.out.splitlines()
    assert "CrashLoopBackOff" in root and "exited with 3" in failure
    assert log == [f"     {line}" for line in SHOWN]
    (path,) = asked(server)
    assert path.startswith(f"{PATH}web-0/log?container=app&previous=true&")


@pytest.mark.parametrize("flags", [["--logs=false"], ["-o", "json"]])
def test_only_logs_that_are_shown_are_read(
    spy: Spy, serve: Serve, flags: list[str]
) -> None:
    server = a_server(serve)
    ended = spy.run("trace", "pod/web-0", "--once", *flags)
    assert ended.code == 0 and "no such host" not in ended.out
    assert asked(server) == []


def test_a_failed_pod_ends_the_trace_with_its_log(spy: Spy, serve: Serve) -> None:
    server = a_server(serve)
    never = {"restartPolicy": "Never"}
    state = {"terminated": over(3, containerID="containerd://1")}
    told = {"name": "web-0", "namespace": "default"}
    one = a_pod(container(state=state), phase="Failed", spec=never, metadata=told)
    server.put({**one, "metadata": {**one["metadata"], "uid": "uid-web-0"}})
    ended = spy.run("trace", "pod/web-0")
    assert ended.code == 1 and "has failed" in ended.err
    assert logs(ended)[:2] == SHOWN
    ended = spy.run("trace", "pod/web-0", "--for", "ready")
    assert ended.code == 1 and logs(ended)[:2] == SHOWN


def test_a_terminal_shows_the_log(spy: Spy, serve: Serve) -> None:
    a_server(serve)
    with on_a_terminal(spy, "trace", "pod/web-0") as (terminal, _):
        wait_until(lambda: any(SHOWN[1] in line for line in terminal.lines))


@pytest.mark.parametrize(
    ("command", "writes"),
    [
        (("trace", "pod/web-0", "--once", "--record"), False),
        (("trace", "pod/web-0", "--once", "--logs=false", "--record"), False),
        (("trace", "pod/web-0", "--once", "--logs", "--record"), True),
        (("record", "pod/web-0", "--owned", "-f"), False),
        (("record", "pod/web-0", "--owned", "--logs", "-f"), True),
    ],
)
def test_logs_are_recorded_only_if_asked_for(
    spy: Spy, serve: Serve, command: tuple[str, ...], writes: bool
) -> None:
    server = a_server(serve)
    file = spy.home / "web.spy"
    with spy.running(*command, str(file)) as running:
        if command[0] == "record":
            wait_for_lists(file)
            wait_until(lambda: b'"type":"LOG"' in file.read_bytes() or not writes)
            running.end()
        running.ended()
    assert file.read_text().count('"type":"LOG"') == writes
    reads = command[0] == "trace" and "--logs=false" not in command
    assert len(asked(server)) == (reads or writes)
    assert spy.run("ls", "--verify", str(file)).code == 0


def recorded(spy: Spy, serve: Serve, *flags: str) -> tuple[Path, Ended]:
    a_server(serve)
    file = spy.home / f"web{len(flags)}.spy"
    live = spy.run("trace", "pod/web-0", "--once", "--record", str(file), *flags)
    return file, live


def test_a_recorded_log_is_shown_as_it_was(spy: Spy, serve: Serve) -> None:
    file, live = recorded(spy, serve, "--logs")
    source = ("--from", str(file))
    once = spy.run("trace", *source, "--once").out
    assert [line.split("  1d")[0] for line in once.splitlines()][2:] == [
        line.split("  1d")[0] for line in live.out.splitlines()
    ][2:]
    told = spy.run("trace", *source)
    assert logs(told) == SHOWN * 2  # as it came, and in the tree at the end
    assert logs(spy.run("trace", *source, "--full")) == SHOWN
    assert logs(spy.run("trace", *source, "--logs=false")) == []


def test_logs_change_nothing_for_other_readers(spy: Spy, serve: Serve) -> None:
    with_logs, _ = recorded(spy, serve, "--logs")
    without = spy.home / "without.spy"
    # A reader passes over types that it does not know.
    lines = with_logs.read_bytes().splitlines(keepends=True)
    others = (resealed(x, type="NEW") if b'"type":"LOG"' in x else x for x in lines)
    without.write_bytes(b"".join(others))
    for command in (
        "trace -o json --from",
        "events -o json --from",
        "spans -o json --from",
        "status --from",
        "changes -o json --from",
        "changes",
        "show",
    ):
        words, one = command.split(), " pod/web-0" if command == "show" else ""
        ours, theirs = (
            spy.run(*words, str(file), *one.split()) for file in (with_logs, without)
        )
        assert ours.out == theirs.out and "no such host" not in ours.out, command
        assert ours.code == 0, (command, ours.err)


def test_equal_failures_record_one_log(spy: Spy, serve: Serve) -> None:
    server = a_server(serve)
    owner = {"name": "web", "uid": "uid-web", "controller": True}
    pods = [f"web-{number}" for number in range(5)]

    def write(version: str) -> None:
        for name in pods:
            written = {"ownerReferences": [owner], "annotations": {"version": version}}
            server.put(failing(name, **written))

    write("1")
    file = spy.home / "web.spy"
    command = ("record", "pods", "--logs", "-f", str(file))
    with spy.running(*command) as running:
        wait_until(lambda: bool(asked(server)))
        write("2")
        write("3")
        wait_until(lambda: file.read_text().count('"type":"MODIFIED"') == 10)
        running.end()
    assert file.read_text().count('"type":"MODIFIED"') == 10
    assert len(asked(server)) == 1

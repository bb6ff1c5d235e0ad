"""`mcp`: Secrets stay masked, files stay where they are, and processes end."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE
from typing import Any

import anyio
import pytest

from kubectl_spy.extras.mcp.answering import Answer, Calls
from kubectl_spy.terms import Terms
from tests import processes
from tests.builders import manifest, pod
from tests.cli import test_logs
from tests.cli.command import MODULE, PATIENCE, Spy
from tests.extras.mcp.asking import Call, ask, connected, told
from tests.extras.serve.api_server.server import Serve
from tests.processes import clock
from tests.recordings import ORIGIN, first_list, record, resealed, story

SECRET = manifest(
    "Secret",
    "db",
    metadata={"annotations": {"copy": "it is hunter2"}},
    data={"password": "aHVudGVyMg=="},
)
WATCH = ("watch", {"target": "pods", "seconds": 60})
SOON = 30.0
"""Seconds in which a watch is ended that would end by itself later."""
READING: list[Call] = [
    ("list_objects", {}),
    ("summary", {}),
    ("changes", {}),
    ("trace", {}),
    ("events", {}),
    ("blame", {"target": "pod/a"}),
    ("show", {"target": "pod/a"}),
    ("diff", {"target": "pod/a", "from": "first", "to": "last"}),
]
"""The tools that read a recording."""


def of_recording(name: str) -> list[Call]:
    return [(tool, {**more, "recording": name}) for tool, more in READING]


def test_values_of_secrets_are_masked(spy: Spy, serve: Serve) -> None:
    serve("pod-crashloop", namespace="shop").put(SECRET)
    answers = ask(
        spy,
        ("blame", {"target": "secret/db"}),
        ("blame", {"target": "secret/db", "output": "json"}),
        ("trace", {"target": "secret/db", "output": "json"}),
        ("watch", {"target": "secrets", "output": "json", "seconds": 1}),
    )
    assert "password: '*** " in answers[0].text
    for each in answers:
        assert not each.failed
        assert "hunter2" not in each.text and "aHVudGVyMg" not in each.text


def test_logs_are_left_out_unless_the_user_allows_them(spy: Spy, serve: Serve) -> None:
    """They may hold anything. A recording may hold them, too."""
    serving = test_logs.a_server(serve)
    recorded = spy.home / "night.spy"
    spy.run("trace", "pod/web-0", "--once", "--record", str(recorded), "--logs")
    serving.requests.clear()
    live = ("trace", {"target": "pod/web-0", "namespace": "default"})
    calls = (live, ("trace", {"recording": "night.spy"}))
    for without in ask(spy, *calls):
        assert "CrashLoopBackOff" in without.text
        assert "no such host" not in without.text
    assert test_logs.asked(serving) == []
    for allowed in ask(spy, *calls, flags=("--logs",)):
        assert "panic:" in allowed.text and "\x1b" not in allowed.text


def test_an_answer_without_an_end_is_cut(spy: Spy) -> None:
    note = {"note": "x" * 1_100_000}
    record(spy.home / "big.spy", first_list(pod("a", annotations=note)))
    (answer,) = ask(spy, ("show", {"recording": "big.spy", "target": "pod/a"}))
    assert answer.text.startswith("only the first 1,000,000 characters are here\n\n")
    assert not answer.failed and len(answer.text) < 4_100


def shown(path: Path) -> None:
    record(path, story(), origin=ORIGIN._replace(secrets="shown"))


def continued_with_shown(path: Path) -> None:
    lines = record(path, story())
    header = resealed(lines[0], type="RESUME", redaction={"secrets": "shown"})
    path.write_bytes(b"".join([*lines, header]))


def without_a_header(path: Path) -> None:
    path.write_bytes(b"".join(record(path, story())[1:]))


def with_a_damaged_header(path: Path) -> None:
    lines = record(path, story())
    path.write_bytes(b"".join([*lines, lines[0].replace(b"masked", b"Masked")]))


@pytest.mark.parametrize(
    "make", [shown, continued_with_shown, without_a_header, with_a_damaged_header]
)
def test_a_recording_that_may_hold_secrets_is_refused(
    spy: Spy, make: Callable[[Path], None]
) -> None:
    make(spy.home / "night.spy")
    record(spy.home / "masked.spy", story())
    second = ("diff", {"recording": "masked.spy", "other": "night.spy"})
    for answer in ask(spy, *of_recording("night.spy"), second):
        assert answer.failed
        assert answer.text.startswith("error: night.spy ")
        assert answer.text.endswith(
            "the tools read only recordings with masked Secrets"
        )


def test_only_files_of_the_directories_are_read(
    spy: Spy, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    record(outside / "x.spy", story())
    inside = spy.home / "recordings"
    inside.mkdir()
    record(inside / "ours.spy", story())
    (inside / "night.spy").symlink_to(outside / "x.spy")
    record(inside / "cut.spy", story())
    (inside / "cut.spy.0001").symlink_to(outside / "x.spy")
    os.mkfifo(inside / "pipe.spy")
    (inside / "directory.spy").mkdir()
    names = [
        str(outside / "x.spy"),
        f"../../{outside.name}/x.spy",
        "night.spy",
        "cut.spy",
        "pipe.spy",
        "directory.spy",
        "ours.spy#1",
        "loki+http://127.0.0.1:1",
        "-",
        "",
        "..",
    ]
    flags = (str(inside),)
    calls = [call for name in names for call in of_recording(name)[:1]]
    for answer in ask(spy, *calls, flags=flags):
        assert answer.failed, answer
        assert answer.text.startswith("error: there is no recording "), answer
    listed, ours = ask(
        spy, ("list_recordings", {}), of_recording("ours.spy")[0], flags=flags
    )
    assert listed.text.count("\n") == 0 and listed.text.startswith("ours.spy  ")
    assert not ours.failed


def test_what_no_command_line_can_hold_is_wrong_usage(spy: Spy) -> None:
    record(spy.home / "night.spy", story())
    answers = ask(
        spy,
        ("summary", {"recording": "night\0.spy"}),
        ("summary", {"recording": "ä" * 200}),
        ("changes", {"recording": "night.spy", "only": ["/spec\0"]}),
    )
    assert [each.code for each in answers] == ["usage"] * 3
    assert "recording holds a NUL" in answers[0].text
    assert "recording is too long" in answers[1].text


def test_a_line_that_is_no_message_gets_an_error(spy: Spy) -> None:
    lines = "no JSON\n", "{}\n"
    process = processes.start(
        [*MODULE, "mcp"], env=spy.environ, cwd=spy.home, stdin=PIPE, stdout=PIPE
    )
    with process, soon():
        out, _ = process.communicate("".join(lines).encode(), timeout=PATIENCE)
    answers = [json.loads(line) for line in out.splitlines()]
    assert [(each["id"], each["error"]["code"]) for each in answers] == [
        (None, -32700),
        (None, -32600),
    ]


def test_a_target_is_no_file(spy: Spy, serve: Serve) -> None:
    """`blame` and `summary` also take a recording in the place of a target."""
    serve("pod-crashloop", namespace="shop")
    record(spy.home / "pods", story())
    record(spy.home / "x.spy", story())
    pods, other = ask(
        spy, ("blame", {"target": "pods"}), ("blame", {"target": "x.spy pod/a"})
    )
    assert "replaying" not in pods.text and "in namespace shop" in pods.text
    assert other.failed


def test_relative_kubeconfigs_are_those_of_the_directory(
    spy: Spy, serve: Serve
) -> None:
    server = serve("pod-crashloop", namespace="shop")
    server.put(pod("web"))
    asked = ("trace", {"target": "pod/web"})
    spy.environ["KUBECONFIG"] = "config"
    (by_environ,) = ask(spy, asked)
    spy.environ["KUBECONFIG"] = "/nowhere"
    (by_flag,) = ask(spy, asked, flags=("--kubeconfig", "config"))
    (nowhere,) = ask(spy, asked)
    assert not by_environ.failed and not by_flag.failed
    assert nowhere.failed and nowhere.text.startswith("error: ")


def test_relative_folders_of_entries_are_those_of_the_directory(
    spy: Spy, serve: Serve
) -> None:
    server = serve("pod-crashloop", namespace="shop")
    server.put(pod("web"))
    (spy.home / "known").mkdir()
    (spy.home / "known" / "bad.yaml").write_text("kind: Pod")
    spy.environ["KUBECTL_SPY_KNOWLEDGE"] = "known"
    (found,) = ask(spy, ("trace", {"target": "pod/web"}))
    assert f"warning: {spy.home}/known/bad.yaml:1:1: one of group" in found.text


def test_a_call_that_is_cancelled_leaves_no_process(spy: Spy, serve: Serve) -> None:
    server = serve("pod-crashloop", watches_before_play=1000)

    async def cancel() -> str:
        async with connected(spy) as client:
            async with anyio.create_task_group() as group:
                group.start_soon(told, client, *WATCH)
                await anyio.to_thread.run_sync(server.wait_for_watches, 1, PATIENCE)
                group.cancel_scope.cancel()
            with soon():
                await anyio.to_thread.run_sync(server.wait_for_watches, 0, PATIENCE)
            return (await told(client, "list_recordings", {})).text

    assert "no recordings" in anyio.run(cancel)


@contextmanager
def soon() -> Iterator[None]:
    """Check that the block ends long before the watch would by itself."""
    begun = clock()
    yield
    assert clock() - begun < SOON


@contextmanager
def speaking(spy: Spy) -> Iterator[Any]:
    """Give a server that was asked to watch."""
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    messages: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call"},
    ]
    messages[2]["params"] = {"name": WATCH[0], "arguments": WATCH[1]}
    with processes.start(
        [*MODULE, "mcp"],
        env=spy.environ,
        cwd=spy.home,
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
    ) as process:
        assert process.stdin is not None
        try:
            for each in messages:
                line = json.dumps({"jsonrpc": "2.0", **each})
                process.stdin.write(f"{line}\n".encode())
            process.stdin.flush()
            yield process
        finally:
            process.kill()


def test_a_client_that_vanishes_ends_the_server(spy: Spy, serve: Serve) -> None:
    server = serve("pod-crashloop", watches_before_play=1000)
    with speaking(spy) as process:
        server.wait_for_watches(1, PATIENCE)
        with soon():
            out, err = process.communicate(timeout=PATIENCE)
            server.wait_for_watches(0, PATIENCE)
        assert process.returncode == 0
    assert [json.loads(line)["id"] for line in out.splitlines()] == [1, 2]
    assert err == b""


def test_a_client_that_reads_no_more_ends_the_server(spy: Spy, serve: Serve) -> None:
    server = serve("pod-crashloop", watches_before_play=1000)
    with speaking(spy) as process:
        server.wait_for_watches(1, PATIENCE)
        process.stdout.close()
        process.stdin.close()
        with soon():
            assert process.wait(PATIENCE) in (0, 141)
            server.wait_for_watches(0, PATIENCE)
        assert b"Traceback" not in process.stderr.read()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_the_server_and_its_commands(
    spy: Spy, serve: Serve, number: int
) -> None:
    server = serve("pod-crashloop", watches_before_play=1000)
    with speaking(spy) as process:
        server.wait_for_watches(1, PATIENCE)
        process.send_signal(number)
        with soon():
            assert process.wait(PATIENCE) == 128 + number
            server.wait_for_watches(0, PATIENCE)
        assert process.stderr.read() == b""


def test_a_command_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "slow.spy")  # into which nobody writes

    async def run() -> Answer:
        words = ("changes", str(tmp_path / "slow.spy"))
        return await Calls(str(tmp_path)).run(words, 3.0, Terms())

    answer = anyio.run(run)
    assert (answer.code, answer.cut) == (None, False)


def test_without_the_package_it_says_how_to_get_it(spy: Spy) -> None:
    program = (
        "import sys; sys.modules['mcp'] = None; sys.argv[:] = ['kubectl-spy', 'mcp'];"
        "from kubectl_spy.__main__ import main; main()"
    )
    ended = processes.run(
        [sys.executable, "-c", program], env=spy.environ, capture_output=True, text=True
    )
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr == (
        "error: mcp needs the mcp package, which is not installed; get it with pipx "
        "inject kubectl-spy 'mcp>=2.1,<3', or with pip install\n"
    )

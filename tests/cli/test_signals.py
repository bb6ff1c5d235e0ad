"""What ends the command from outside: signals, and a reader that goes away."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kubectl_spy.demo.server import ApiServer
from tests.cli.command import PATIENCE, PROMPT, Spy
from tests.sources.api_server import plain
from tests.sources.api_server import serve as scripted

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals are POSIX's")

Serve = Callable[..., ApiServer]
ENDS = [(2, 130), (15, 143), (1, 129)]
"""SIGINT, SIGTERM and SIGHUP, and the exit codes."""


def config_map(number: int) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "web", "namespace": "default"},
        "data": {"number": str(number), "filler": "x" * 500},
    }


@contextlib.contextmanager
def black_hole() -> Iterator[str]:
    """Yield the address of a server that accepts and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"127.0.0.1:{listening.getsockname()[1]}"


@contextlib.contextmanager
def stuck(spy: Spy, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run the command with pipes that nobody reads."""
    with subprocess.Popen(
        [*spy.command, *arguments],
        env=spy.environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@contextlib.contextmanager
def writing(server: ApiServer) -> Iterator[None]:
    """Change an object for the length of the block, as fast as possible."""
    over = threading.Event()

    def write() -> None:
        number = 0
        while not over.is_set():
            server.put(config_map(number := number + 1))

    writer = threading.Thread(target=write)
    writer.start()
    try:
        yield
    finally:
        over.set()
        writer.join()


def lasting_threads(process: int) -> set[int]:
    """Return threads that were there for a while: a signal to one that ends is lost."""
    tasks = Path(f"/proc/{process}/task")
    before = {int(each.name) for each in tasks.iterdir()}
    time.sleep(0.5)
    return before & {int(each.name) for each in tasks.iterdir()}


@pytest.mark.parametrize(("number", "code"), ENDS)
def test_a_signal_ends_a_quiet_watch_at_once_and_without_a_word(
    spy: Spy, serve: Serve, number: int, code: int
) -> None:
    server = serve()
    with spy.running("changes", "pods,cm,deploy,nodes") as running:
        server.wait_for_watches(4, PATIENCE)
        running.wait_for_talk("nothing there yet")
        ended = running.end(number)
    assert ended.code == code
    assert ended.took < PROMPT
    assert ended.out == ""
    assert ended.err.splitlines()[-1] == "none of these: nothing there yet; waiting"


def test_a_signal_that_does_not_wake_the_main_thread_is_seen_all_the_same(
    spy: Spy, serve: Serve
) -> None:
    """As one does that comes between Python's last look and the wait for a lock."""
    tgkill = getattr(ctypes.CDLL(None), "tgkill", None)
    if tgkill is None:
        pytest.skip("signals to one thread are Linux's")
    server = serve()
    server.put(config_map(1))
    with spy.running("changes", "cm/web") as running:
        running.wait_for_lines(4)
        server.wait_for_watches(1, PATIENCE)
        process = running.process.pid
        other = max(lasting_threads(process))
        assert other != process
        started = time.monotonic()
        assert tgkill(process, other, signal.SIGINT) == 0
        ended = running.ended(since=started)
    assert ended.code == 130
    assert ended.took < PROMPT


@pytest.mark.parametrize(("number", "code"), ENDS)
def test_a_signal_ends_connecting_at_once(spy: Spy, number: int, code: int) -> None:
    with (
        black_hole() as address,
        spy.running("changes", "pods", "-s", address) as running,
    ):
        time.sleep(0.8)
        ended = running.end(number)
    assert (ended.code, ended.out, ended.err) == (code, "", "")
    assert ended.took < PROMPT


def test_a_signal_ends_a_discovery_that_does_not_come(spy: Spy) -> None:
    answers = {
        path: answer if path in ("/api", "/apis") else replace(answer, delay=30)
        for path, answer in plain().items()
    }
    with (
        scripted(answers) as server,
        spy.running("changes", "pods", "-s", server.url) as running,
    ):
        while len(server.paths) < 5:
            time.sleep(0.05)
        ended = running.end()
    assert ended.code == 130
    assert ended.took < PROMPT


def test_a_signal_ends_a_first_list_that_does_not_come(spy: Spy, serve: Serve) -> None:
    server = serve()
    with spy.running("changes", "pods"):  # leaves a discovery cache
        server.wait_for_watches(1, PATIENCE)
    address = server.url.removeprefix("http://").split(":")
    server.__exit__(None, None, None)
    with (
        socket.create_server((address[0], int(address[1]))),
        spy.running("changes", "pods") as running,
    ):
        running.wait_for_talk("watching pods")
        ended = running.end()
    assert ended.code == 130
    assert ended.took < PROMPT


def test_ctrl_c_ends_a_burst_at_once_and_on_a_whole_line(
    spy: Spy, serve: Serve
) -> None:
    server = serve()
    with spy.running("changes", "cm", "-o", "json") as running, writing(server):
        running.wait_for_lines(200)
        ended = running.end()
    assert ended.code == 130
    assert ended.took < PROMPT
    assert ended.stdout.endswith(b"}\n")


@pytest.mark.parametrize("delay", [0.0, 0.03, 0.06, 0.1, 0.15, 0.2, 0.3, 0.4])
def test_ctrl_c_never_shows_a_traceback(spy: Spy, serve: Serve, delay: float) -> None:
    """While Python itself starts, it may show one of its own."""
    serve()
    with spy.running("changes", "pods") as running:
        time.sleep(0.05 + delay)
        ended = running.end()
    assert ended.code in (130, -signal.SIGINT)
    assert "/kubectl_spy/" not in ended.err


HIT = """
import os, signal, time
try:
    os.kill(os.getpid(), {number})
    time.sleep(5)
except BaseException:
    raise ImportError("cannot import it") from None
"""


@pytest.mark.parametrize(("number", "code"), ENDS)
def test_a_signal_that_breaks_an_import_is_no_bug(
    spy: Spy, serve: Serve, tmp_path: Path, number: int, code: int
) -> None:
    """Modules in C hide what interrupted them, as this one does in their place."""
    serve()
    module = tmp_path / "hit" / "kubernetes.py"
    module.parent.mkdir()
    module.write_text(HIT.format(number=number))
    path = os.pathsep.join([str(module.parent), spy.environ["PYTHONPATH"]])
    ended = spy.run("changes", "pods", environ={"PYTHONPATH": path})
    assert (ended.code, ended.out, ended.err) == (code, "", "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_reader_that_does_not_read_keeps_nobody_waiting(
    spy: Spy, serve: Serve, number: int
) -> None:
    server = serve()
    with (
        stuck(spy, "changes", "cm", "-o", "json") as process,
        writing(server),
    ):
        server.wait_for_watches(1, PATIENCE)
        time.sleep(0.5)  # a pipe holds 64 KB
        started = time.monotonic()
        process.send_signal(number)
        assert process.wait(PATIENCE) == 128 + number
    assert time.monotonic() - started < PROMPT


@pytest.mark.parametrize("output", ["text", "json"])
def test_a_reader_that_goes_away_ends_a_quiet_watch(
    spy: Spy, serve: Serve, output: str
) -> None:
    server = serve()
    server.put(config_map(1))
    with stuck(spy, "changes", "cm/web", "-o", output) as process:
        server.wait_for_watches(1, PATIENCE)
        assert process.stdout is not None and process.stdout.readline()
        started = time.monotonic()
        process.stdout.close()
        assert process.wait(PATIENCE) == 141
        assert time.monotonic() - started < PROMPT
        assert process.stderr is not None and len(process.stderr.readlines()) == 1


def test_head_ends_as_soon_as_it_has_its_line(spy: Spy, serve: Serve) -> None:
    server = serve()
    server.put(config_map(1))
    command = " ".join([*spy.command, "changes cm/web | head -n 1"])
    started = time.monotonic()
    ended = subprocess.run(
        ["bash", "-c", f"{command}; exit ${{PIPESTATUS[0]}}"],
        env=spy.environ,
        capture_output=True,
        timeout=PATIENCE,
        text=True,
    )
    assert ended.returncode == 141
    assert ended.stdout.count("\n") == 1
    assert len(ended.stderr.splitlines()) == 1
    assert time.monotonic() - started < 5


def test_timeout_ends_a_connection_that_is_not_answered(spy: Spy) -> None:
    with black_hole() as address:
        ended = spy.run("changes", "pods", "-s", address, "--timeout", "200ms")
    assert ended.code == 124
    assert ended.took < 2

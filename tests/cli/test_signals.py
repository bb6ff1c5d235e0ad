"""What ends the command from outside: signals, and a reader that goes away."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import socket
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import IO

import pytest

from tests import processes
from tests.cli.changing import config_map, writing
from tests.cli.command import BRIEF, PATIENCE, PROMPT, Running, Spy
from tests.extras.serve.api_server.server import Serve
from tests.processes import wait_until
from tests.sources.api_server import plain
from tests.sources.api_server import serve as scripted

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals are POSIX's")

ENDS = [(2, 130), (15, 143), (1, 129)]
"""SIGINT, SIGTERM and SIGHUP, and the exit codes."""


@contextlib.contextmanager
def black_hole() -> Iterator[tuple[socket.socket, str]]:
    """Yield a server that accepts and never answers, and its address."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(PATIENCE)
        yield listening, f"127.0.0.1:{listening.getsockname()[1]}"


@contextlib.contextmanager
def stuck(spy: Spy, *arguments: str) -> Iterator[Running]:
    """Run the command with pipes that nobody reads."""
    with spy.start(*arguments) as process:
        try:
            yield Running(process, read=False)
        finally:
            process.kill()


@pytest.mark.parametrize(("number", "code"), ENDS)
def test_a_signal_ends_a_quiet_watch_at_once(
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


def test_a_signal_beside_the_main_thread_is_noticed(spy: Spy, serve: Serve) -> None:
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
        threads = lasting_threads(process)
        running.mark()
        assert tgkill(process, max(threads - {process}), signal.SIGINT) == 0
        ended = running.ended()
    assert ended.code == 130
    assert ended.took < PROMPT


def lasting_threads(process: int) -> set[int]:
    """Return the threads that *process* keeps.

    What a thread is sent that ends just then is lost, and no error says so.
    """
    task, seen = Path(f"/proc/{process}/task"), [set[int]()]

    def stay() -> bool:
        time.sleep(0.2)
        seen.append({int(each.name) for each in task.iterdir()})
        return seen[-1] == seen[-2]

    wait_until(stay)
    return seen[-1]


@pytest.mark.parametrize(("number", "code"), ENDS)
def test_a_signal_ends_connecting_at_once(spy: Spy, number: int, code: int) -> None:
    with (
        black_hole() as (listening, address),
        spy.running("changes", "pods", "-s", address) as running,
        listening.accept()[0],
    ):
        ended = running.end(number)
    assert (ended.code, ended.out, ended.err) == (code, "", "")


FAILURES = {
    'ValueError("a flaw")': (3, "bug in kubectl-spy: ValueError: a flaw"),
    'RuntimeError("a flaw")': (3, "bug in kubectl-spy: RuntimeError: a flaw"),
    'OSError(28, "No space left")': (
        1,
        "error: cannot write to standard output: No space left",
    ),
}


@pytest.mark.parametrize("error", FAILURES)
def test_failures_after_signals_are_reported(
    spy: Spy, serve: Serve, error: str
) -> None:
    """A module that the main thread imports fails while it ends."""
    serve()
    module = spy.home / "fail" / "queue.py"
    module.parent.mkdir()
    text = f"try:\n    hit()\nexcept KeyboardInterrupt:\n    raise {error} from None\n"
    number = int(signal.SIGINT)
    module.write_text(HIT.format(number=number, loss=text, patience=PATIENCE))
    path = os.pathsep.join([str(module.parent), spy.environ["PYTHONPATH"]])
    ended = spy.run("changes", "pods", environ={"PYTHONPATH": path})
    code, said = FAILURES[error]
    assert ended.code == code
    assert said in ended.err
    assert ended.took < BRIEF


def test_a_signal_ends_a_discovery_that_does_not_come(spy: Spy) -> None:
    answers = {
        path: answer if path in ("/api", "/apis") else replace(answer, delay=30)
        for path, answer in plain().items()
    }
    with (
        scripted(answers) as server,
        spy.running("changes", "pods", "-s", server.url) as running,
    ):
        wait_until(lambda: len(server.paths) >= 5)
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


def test_ctrl_c_ends_a_burst_on_a_whole_line(spy: Spy, serve: Serve) -> None:
    server = serve()
    with spy.running("changes", "cm", "-o", "json") as running, writing(server):
        running.wait_for_lines(200)
        ended = running.end()
    assert ended.code == 130
    assert ended.took < PROMPT
    assert ended.stdout.endswith(b"}\n")


def test_the_last_line_is_whole_also_for_a_slow_reader(spy: Spy, serve: Serve) -> None:
    server = serve()
    with (
        stuck(spy, "changes", "cm", "-o", "json") as running,
        writing(server, size=4000, objects=3),
    ):
        pipe = running.process.stdout
        assert pipe is not None
        wait_until(lambda: waiting_in(pipe) > 60_000)  # of 64 KiB
        running.process.send_signal(signal.SIGINT)
        printed = pipe.read()
        assert running.process.wait() == 130
    assert printed.endswith(b"}\n")


@pytest.mark.parametrize("imports", [1, 5, 20, 50, 100, 200, 300, 400])
def test_ctrl_c_never_shows_a_traceback(spy: Spy, serve: Serve, imports: int) -> None:
    """Python tells of each import; what it does before ours is its own matter."""
    serve()
    told = {"PYTHONPROFILEIMPORTTIME": "1"}
    with spy.running("changes", "pods", environ=told) as running:
        running.wait_until(
            lambda it: (
                it.stderr.partition(b" kubectl_spy.cli")[2].count(b"\n") >= imports
            )
        )
        ended = running.end()
    assert ended.code in (130, -signal.SIGINT)
    assert ended.took < PROMPT
    assert "/kubectl_spy/" not in ended.err


STEPS = """
import os, signal, sys
sys.argv, steps, seen = ["kubectl-spy", "version"], {steps}, 0

def count(frame, event, function):
    global seen
    if seen or frame.f_code.co_filename.endswith("kubectl_spy/__main__.py"):
        seen += 1
        if seen == steps:
            os.kill(os.getpid(), signal.SIGINT)

sys.setprofile(count)
from kubectl_spy.__main__ import main
main()
"""
"""Ctrl-C after some calls and returns. An import is some hundred."""


@pytest.mark.parametrize(
    "steps", [6, 20, 60, 100, 120, 200, 400, 800, 1706, 1713, 4000]
)
def test_ctrl_c_is_silent_from_our_first_line_on(spy: Spy, steps: int) -> None:
    spy.command = (sys.executable, "-c", STEPS.format(steps=steps))
    ended = spy.run()
    assert (ended.code, ended.err) in ((130, ""), (-signal.SIGINT, ""))


LOSSES = {
    "a module in C": """
try:
    hit()
except BaseException:
    raise ImportError("cannot import it") from None
""",
    "a class": """
class Named:
    __set_name__ = hit

class Owner:
    named = Named()
""",
    "a weak reference": """
gone = Named()
reference = weakref.ref(gone, hit)
del gone
""",
    "a finalizer": """
Named.__del__ = hit
Named()
""",
    "the garbage collector": """
gc.callbacks.append(lambda phase, _: hit() if phase == "start" else None)
gc.collect()
gc.callbacks.clear()
""",
}
"""Where what a signal handler raises becomes another error, or is dropped."""
HIT = """
import gc, os, time, weakref

def hit(*_):
    os.kill(os.getpid(), {number})
    time.sleep(0)

class Named:
    pass
{loss}
time.sleep({patience})
"""


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize(("number", "code"), ENDS)
def test_a_signal_is_not_lost(
    spy: Spy, serve: Serve, number: int, code: int, loss: str
) -> None:
    """An import loses it here: it calls back at each module, and runs code in C."""
    serve()
    module = spy.home / "hit" / "queue.py"  # which the main thread imports
    module.parent.mkdir()
    text = HIT.format(number=number, loss=LOSSES[loss], patience=PATIENCE)
    module.write_text(text)
    path = os.pathsep.join([str(module.parent), spy.environ["PYTHONPATH"]])
    ended = spy.run("changes", "pods", environ={"PYTHONPATH": path})
    assert (ended.code, ended.out, ended.err) == (code, "", "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_blocked_reader_delays_no_signal(spy: Spy, serve: Serve, number: int) -> None:
    server = serve()
    with stuck(spy, "changes", "cm", "-o", "json") as running, writing(server):
        wait_until(lambda: waiting_in(running.process.stdout) > 60_000)  # of 64 KiB
        ended = running.end(number)
    assert ended.code == 128 + number
    assert ended.took < PROMPT + 1.0  # for which the last line is waited for


def waiting_in(pipe: IO[bytes] | None) -> int:
    """Return how many bytes were written to *pipe* and not read."""
    import fcntl
    import termios

    assert pipe is not None
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, b"\0" * 4), sys.byteorder)


@pytest.mark.parametrize("output", ["text", "json"])
def test_a_closed_pipe_ends_a_quiet_watch(spy: Spy, serve: Serve, output: str) -> None:
    server = serve()
    server.put(config_map(1))
    with stuck(spy, "changes", "cm/web", "-o", output) as running:
        process = running.process
        server.wait_for_watches(1, PATIENCE)
        assert process.stdout is not None and process.stdout.readline()
        running.mark()
        process.stdout.close()
        ended = running.ended()
        assert process.stderr is not None and len(process.stderr.readlines()) == 1
    assert ended.code == 141
    assert ended.took < PROMPT


def test_head_ends_as_soon_as_it_has_its_line(spy: Spy, serve: Serve) -> None:
    server = serve()
    server.put(config_map(1))
    command = " ".join([*spy.command, "changes cm/web | head -n 1"])
    ended = processes.run(
        ["bash", "-c", f"{command}; exit ${{PIPESTATUS[0]}}"],
        env=spy.environ,
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 141
    assert ended.stdout.count("\n") == 1
    assert len(ended.stderr.splitlines()) == 1


def test_timeout_ends_a_connection_that_is_not_answered(spy: Spy) -> None:
    with black_hole() as (_, address):
        last = f"the time given with --timeout is over; waited for http://{address}\n"
        ended = spy.run_in_time(
            *("changes", "pods", "-s", address), done=lambda it: it.err.endswith(last)
        )
    assert ended.code == 124
    assert ended.err.endswith(last)

"""A file without end is no recording: that is told, with little memory, and soon."""

from __future__ import annotations

import gzip
import os
import select
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import processes
from tests.cli.command import Ended, Running, Spy
from tests.cli.test_bounds import BOMB, LIMITED
from tests.processes import limits, wait_until
from tests.recordings import record, story

TOO_LONG = "its first line is longer than 64 MiB; make one with kubectl spy record"

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX paths and limits")


def lines(path: Path) -> None:
    """Write a recording that goes on with many bad lines, gzipped."""
    raw = b"".join(record(path, story())[:-1])
    path.write_bytes(gzip.compress(raw) + gzip.compress(b"\n" * (4 << 20)) * 16)


def one_line(path: Path) -> None:
    """Write a recording that goes on with one line of gigabytes, gzipped."""
    raw = b"".join(record(path, story())[:-1])
    path.write_bytes(gzip.compress(raw) + BOMB)


def zeros(path: Path) -> None:
    path.symlink_to("/dev/zero")


def bomb(path: Path) -> None:
    path.write_bytes(BOMB)


LONG_LINE = "line 12 is longer than 256 MiB; the rest of it is not read"


@pytest.mark.parametrize(
    ("command", "write_file", "why"),
    [
        ("ls {} --verify", zeros, f"is no recording: {TOO_LONG}"),
        ("ls {} --verify", bomb, f"is no recording: {TOO_LONG}"),
        ("ls {} --verify", one_line, LONG_LINE),
        ("ls {} --verify", lines, "is damaged in more than 10,000 places"),
        ("changes {}", one_line, LONG_LINE),
        ("trace pod/a --from {}", bomb, f"is no recording: {TOO_LONG}"),
    ],
)
def test_a_file_without_end_is_no_recording(
    spy: Spy, command: str, write_file: Callable[[Path], None], why: str
) -> None:
    spy.command = LIMITED
    file = spy.home / "it.spy"
    write_file(file)
    ended = spy.run(*command.format(file).split())
    assert ended.code == 1
    assert ended.err.splitlines()[-1].startswith("error: ")
    assert why in ended.err.splitlines()[-1]


def test_a_pipe_is_read_once(spy: Spy) -> None:
    whole, pipe = spy.home / "whole.spy", spy.home / "pipe"
    record(whole, story())
    os.mkfifo(pipe)
    ended = spy.run("diff", str(pipe), "pod/a", "first", "last")
    assert ended.code == 2 and "a pipe can be read once; save it" in ended.err
    writer = threading.Thread(target=lambda: pipe.write_bytes(whole.read_bytes()))
    writer.start()
    ended = spy.run("show", str(pipe), "pod/a")
    writer.join()
    assert ended.code == 0 and "Failed" in ended.out


@pytest.mark.parametrize(
    "command",
    [
        "ls {} --verify",
        "show {} pod/a",
        "changes {}",
        "status --from {}",
        "trace pod/a --from {}",
    ],
)
def test_waiting_for_the_writer_of_a_pipe_is_reported(spy: Spy, command: str) -> None:
    whole, pipe = spy.home / "whole.spy", spy.home / "pipe"
    record(whole, story())
    os.mkfifo(pipe)
    with spy.running(*command.format(pipe).split()) as running:
        running.wait_for_talk(f"waiting for somebody to write to {pipe}; Ctrl-C ends")
        pipe.write_bytes(whole.read_bytes())
        ended = running.ended()
    assert ended.code == 0 or "--owned" in ended.err
    assert ended.out or ended.code
    with spy.running(*command.format(pipe).split()) as running:
        running.wait_for_talk("waiting for somebody to write to")
        assert running.end().code == 130


def test_waiting_for_standard_input_is_reported(spy: Spy) -> None:
    whole = spy.home / "whole.spy"
    record(whole, story())
    process = processes.start(
        [*spy.command, "ls", "--verify", "-"],
        env=spy.environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with process:
        running = Running(process)
        running.wait_for_talk("waiting for somebody to write to standard input")
        assert process.stdin is not None
        process.stdin.write(whole.read_bytes())
        process.stdin.close()
        assert running.ended().code == 0


@pytest.mark.parametrize("command", ["summary -", "changes -", "trace PIPE"])
def test_a_timeout_ends_the_wait_for_a_silent_pipe(spy: Spy, command: str) -> None:
    pipe = spy.home / "pipe"
    os.mkfifo(pipe)
    words = command.replace("PIPE", str(pipe)).split()
    reader, writer = os.pipe()
    try:
        ended = spy.run(*words, "--timeout", "300ms", stdin=reader)
    finally:
        os.close(reader)
        os.close(writer)
    assert (ended.code, ended.out) == (124, "")
    assert ended.err == "the time given with --timeout is over\n"


@pytest.mark.parametrize("how", ["Ctrl-C", "--timeout"])
def test_a_summary_of_a_pipe_is_of_what_came_so_far(spy: Spy, how: str) -> None:
    whole = spy.home / "whole.spy"
    record(whole, story())
    lines = whole.read_bytes().rpartition(b'{"seq"')[0]  # without its END
    begins = "-: 2026-11-21 15:04:05Z to 15:0"
    for seconds in limits(0.5):  # it takes in what it has read
        ended = summary_of_a_pipe(spy, lines, how, seconds)
        if ended.out.startswith(begins):
            break
    assert ended.code == (130 if how == "Ctrl-C" else 124)
    assert ended.out.startswith(begins)


def summary_of_a_pipe(spy: Spy, lines: bytes, how: str, seconds: float) -> Ended:
    """Return how a summary of *lines* ends *seconds* later, while the pipe is open."""
    reader, writer = os.pipe()
    os.write(writer, lines)
    flags = ["--timeout", f"{seconds * 1000:.0f}ms"] if how == "--timeout" else []
    try:
        with spy.running("summary", "-", *flags, stdin=reader) as running:
            if how == "--timeout":
                return running.ended()
            wait_until(lambda: not select.select([reader], [], [], 0)[0])
            time.sleep(seconds)
            return running.end()
    finally:
        os.close(reader)
        os.close(writer)

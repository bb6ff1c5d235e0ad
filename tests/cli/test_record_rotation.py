"""Rotation: what is read meanwhile, and what a kill at any step of it leaves."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.errors import SpyError
from kubectl_spy.sinks.closed_segments import Rotation
from kubectl_spy.sources.recording.recording import Recording
from tests import processes
from tests.cli.changing import writing
from tests.cli.command import PATIENCE, Spy
from tests.examples import part
from tests.extras.serve.api_server.server import Serve
from tests.recordings import continue_with, story

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals are POSIX's")

READS, ROTATIONS = part(90), part(40)


def test_recordings_are_readable_during_rotation(spy: Spy, serve: Serve) -> None:
    server, file = serve(), spy.home / "file.spy"
    last = reads = 0
    with spy.running("record", "cm", "-f", str(file), "--max-size", "1") as running:
        running.wait_for_talk("recording to")
        server.wait_for_watches(1, PATIENCE)
        with writing(server, objects=3, size=4000, pause=0.002):
            while reads < READS or not list(spy.home.glob(f"*.{ROTATIONS:04}*")):
                recording = Recording(str(file))
                changes = [each for each in recording if isinstance(each, ChangeRecord)]
                # The last line may be half written.
                assert [each for each in recording.damages if not each.torn] == []
                assert len(changes) >= last
                last, reads = len(changes), reads + 1
            verified = spy.run("ls", "--verify", str(file))
        assert running.end().code == 0
    assert (verified.code, verified.err) == (0, "")


# A system call of Python's is a call of a function of the modules posix and fcntl.
KILLED = """
import os, signal, sys, threading, time
from pathlib import Path
from kubectl_spy.core.changes.history import History
from kubectl_spy.sinks.closed_segments import Rotation
from tests.examples import part
from tests.recordings import items_of, recorder_to, story

def run(path, name, step):
    calls = 0
    def count(frame, event, function):
        nonlocal calls
        if event == "c_call" and function.__module__ in ("posix", "fcntl"):
            if threading.current_thread().name == name:
                calls += 1
                if calls == step:
                    os.kill(os.getpid(), signal.SIGKILL)
    threading.setprofile(count)
    sys.setprofile(count)
    history = History()
    recorder = recorder_to(path, history, rotation=Rotation(size=1))
    for item in items_of(history, story()):
        recorder.observe(item)
    while name == "gzip" and not path.with_name(path.name + ".0002.gz").exists():
        time.sleep(0.01)
    recorder.end("done")

directory, name = Path(sys.argv[1]), sys.argv[2]
for step in range(1, 1000):
    child = os.fork()
    if not child:
        code = 1
        try:
            run(directory / f"{step}.spy", name, step)
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    print(step, os.waitstatus_to_exitcode(status), flush=True)
    if os.WIFEXITED(status):
        break
"""


@pytest.mark.parametrize(("thread", "least"), [("MainThread", 50), ("gzip", 10)])
def test_a_recorder_killed_at_any_system_call_can_be_read_and_continued(
    tmp_path: Path, thread: str, least: int
) -> None:
    done = processes.run(
        [sys.executable, "-c", KILLED, str(tmp_path), thread],
        stdout=subprocess.PIPE,
        timeout=PATIENCE * 4,
        check=True,
    )
    *killed, (_, code) = [line.split() for line in done.stdout.decode().splitlines()]
    assert code == "0"
    assert len(killed) >= least
    assert {code for _, code in killed} == {str(-signal.SIGKILL)}
    for step, _ in killed:
        file = tmp_path / f"{step}.spy"
        before = changes_of(file)
        more = [each for each in story() if each.type.value != "DELETED"]
        continue_with(file, more, rotation=Rotation(size=1))
        after = changes_of(file)
        assert after[: len(before)] == before
        assert after[-1] == ("MODIFIED", "a", "8")
        names = {each.name for each in tmp_path.glob(f"{step}.spy.*")}
        assert not any(name.endswith(".unfinished") for name in names)
        numbers = sorted(
            int(name.split(".")[2]) for name in names if name[-5:] != ".torn"
        )
        assert numbers == list(range(1, len(numbers) + 1)), names


def changes_of(file: Path) -> list[tuple[str, str, str]]:
    try:
        recording = Recording(str(file))
    except SpyError as error:  # killed before its first line was whole
        assert "is no recording" in str(error) or "No such file" in str(error)
        return []
    changes = [
        (each.type.value, each.name, each.resource_version)
        for each in recording
        if isinstance(each, ChangeRecord)
    ]
    assert recording.damages == []
    return changes

"""A fork of the command cannot be told from the program."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests import forks
from tests.cli.command import Spy
from tests.processes import start, wait_until
from tests.test_processes import ROOT, gone

pytestmark = pytest.mark.skipif(not forks.suits({}), reason="forks are Linux's")
PROGRAM = {"PYTHONUTF8": "1"}
"""It is set anyway, and has no effect but that Python starts."""
HOLDING = """
import time
from pathlib import Path
from tests.cli.command import Spy
spy = Spy(Path.cwd())
print(spy.start("demo", "--speed", "0.001").pid, flush=True)
time.sleep(9999)
"""


@pytest.mark.parametrize(
    ("words", "code"),
    [("--help", 0), ("nosuch", 2), ("ls missing --verify", 1), ("completion bash", 0)],
)
def test_a_fork_prints_and_ends_as_the_program(
    tmp_path: Path, words: str, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    spy = Spy(tmp_path)
    fork, program = (spy.run(*words.split(), environ=each) for each in ({}, PROGRAM))
    assert (fork.code, fork.stdout, fork.stderr) == (
        (code, program.stdout, program.stderr)
    )


def test_each_has_its_own_streams_and_signals(tmp_path: Path) -> None:
    spy = Spy(tmp_path)
    slow = ("demo", "--speed", "0.001")
    with spy.running(*slow) as one, spy.running(*slow) as other:
        for each in (one, other):
            each.wait_for_lines(1)
        assert one.process.pid != other.process.pid
        assert one.end(signal.SIGINT).code == 130
        assert other.process.poll() is None
        assert other.end(signal.SIGKILL).code == -signal.SIGKILL


def test_forks_end_with_a_run_that_is_killed(tmp_path: Path) -> None:
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    program = [sys.executable, "-c", HOLDING]
    with start(program, cwd=tmp_path, env=environ, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        held = Path(f"/proc/{int(holder.stdout.readline())}")
        assert held.exists()
        holder.kill()
    wait_until(lambda: gone(held))

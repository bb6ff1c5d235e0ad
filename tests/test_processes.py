"""What the tests promise about the programs that they start."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import PATIENCE, is_at_rest, limits, start, wait_until

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals are POSIX's")
ROOT = Path(__file__).resolve().parent.parent
IGNORED = """
import signal
print([int(n) for n in signal.valid_signals() if signal.getsignal(n) is signal.SIG_IGN])
"""
DEAF = """
import os, signal, sys
for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
    signal.signal(number, signal.SIG_IGN)
os.execv(sys.executable, [sys.executable, "-c", *sys.argv[1:]])
"""
HOLDING = """
import sys, time
from tests.processes import start
print(start(["sleep", "9999"]).pid, flush=True)
time.sleep(9999)
"""


def test_programs_have_default_signals_whatever_the_run_ignores() -> None:
    """As it does after `nohup`, or in a script behind `&`."""
    inner = f"from tests.processes import run; run([sys.executable, '-c', {IGNORED!r}])"
    deaf = subprocess.run(
        [sys.executable, "-c", DEAF, f"import sys; {inner}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert deaf.stderr == ""
    own = [int(signal.SIGPIPE), int(signal.SIGXFSZ)]  # Python itself ignores these
    assert json.loads(deaf.stdout) == own


def test_no_test_starts_programs_otherwise() -> None:
    """At the start of a line it is another program's text."""
    own = (Path(__file__), Path(__file__).with_name("processes.py"))
    for path in set((ROOT / "tests").rglob("*.py")) - set(own):
        found = re.search(r"(?m)^.+subprocess\.(run|Popen)\(.*", path.read_text())
        assert not found, (path, found)


SECONDS = {
    "cli/test_endless_files.py",  # nothing is to be done before
    "extras/mcp/test_progress.py",  # it is to run for some seconds
    "knowledge/test_users_files.py",  # it takes far longer
}
"""Tests with a --timeout of so many seconds."""


def test_no_other_test_ends_a_command_after_some_seconds() -> None:
    """A busy machine may need longer: see `Spy.run_in_time`."""
    tests = ROOT / "tests"
    own = re.compile(r'"--timeout", "[1-9]|--timeout [1-9][0-9]*m?s["\' ]')
    found = {
        path.relative_to(tests).as_posix()
        for path in tests.rglob("*.py")
        if own.search(path.read_text())
    }
    assert found == SECONDS


def test_limits_double_until_they_are_the_patience_in_all() -> None:
    tried = list(limits(1))
    assert tried[:4] == [1, 2, 4, 8]
    assert PATIENCE / 4 < sum(tried) <= PATIENCE


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_a_program_that_wants_a_cpu_is_not_at_rest() -> None:
    with (
        start(["sleep", "9999"]) as waiting,
        start(["yes"], stdout=subprocess.DEVNULL) as busy,
    ):
        wait_until(lambda: is_at_rest(waiting.pid))
        wait_until(lambda: Path(f"/proc/{busy.pid}/comm").read_text() == "yes\n")
        assert not any(is_at_rest(busy.pid) for _ in range(100))
        for each in (waiting, busy):
            each.kill()


@pytest.mark.skipif(sys.platform != "linux", reason="PR_SET_PDEATHSIG is Linux's")
def test_programs_end_with_a_run_that_is_killed() -> None:
    holder = start([sys.executable, "-c", HOLDING], cwd=ROOT, stdout=subprocess.PIPE)
    with holder:
        assert holder.stdout is not None
        held = Path(f"/proc/{int(holder.stdout.readline())}")
        wait_until(lambda: (held / "comm").read_text() == "sleep\n")
        holder.kill()
    wait_until(lambda: gone(held))


def gone(process: Path) -> bool:
    """Return whether it ended, for which nobody may have waited yet."""
    try:
        return "\nState:\tZ" in (process / "status").read_text()
    except OSError:
        return True

"""Start programs, and wait for what they do: each test does so in this way.

A program has default signals, whatever the test run ignores, and Linux kills it when
the run ends, however that ends.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

_LEASH = (sys.executable, "-I", "-S", str(Path(__file__).with_name("leash.py")))
PATIENCE = 300.0 * float(os.environ.get("KUBECTL_SPY_TEST_PATIENCE", "1"))
"""Seconds to wait for an event, which takes this long only if it does not come."""


def leashed(command: Sequence[object]) -> list[str]:
    """Return the command line that runs *command* as said above."""
    return [*_LEASH, str(os.getpid()), *map(str, command)]


def start(command: Sequence[object], **options: Any) -> subprocess.Popen[Any]:
    """Start *command*; *options* are Popen's."""
    return subprocess.Popen(leashed(command), **options)


def run(command: Sequence[object], **options: Any) -> subprocess.CompletedProcess[Any]:
    """Run *command* to its end; *options* are those of subprocess.run."""
    return subprocess.run(leashed(command), **{"timeout": PATIENCE, **options})


def wait_until(ready: Callable[[], object], state: Callable[[], object] = str) -> None:
    """Return once *ready*; fail with *state* when it takes longer than PATIENCE."""
    end = time.monotonic() + PATIENCE
    while not ready():
        assert time.monotonic() < end, state()
        time.sleep(0.01)


def is_at_rest(pid: int, without: int = 0) -> bool:
    """Return whether all threads of a process wait, and for no CPU.

    The thread *without* does not count. Elsewhere than on Linux it is always at rest.
    """
    for each in Path(f"/proc/{pid}/task").glob("*/stat"):
        with suppress(OSError):  # it has ended
            state = each.read_text().rpartition(") ")[2][0]
            if state != "S" and each.parent.name != str(without):
                return False
    return True


def limits(first: float) -> Iterator[float]:
    """Yield limits in seconds, each twice the one before, PATIENCE in all.

    Where a limit ends what is tested, it has to do its work before: try one limit after
    the other until it has.
    """
    limit, left = first, PATIENCE
    while limit <= left:
        yield limit
        left -= limit
        limit *= 2


def clock() -> float:
    """Return a time in seconds that stands still while programs wait for a CPU or disk.

    A bound on a duration then holds on a machine in use, and is exact on one that is
    not. Elsewhere than on Linux it goes on. https://docs.kernel.org/accounting/psi.html
    """
    waited = 0
    for what in ("cpu", "io"):
        with suppress(OSError):
            pressure = Path(f"/proc/pressure/{what}").read_text()
            waited += int(pressure.partition("total=")[2].split()[0])
    return time.monotonic() - waited / 1e6

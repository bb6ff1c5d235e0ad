"""Run a program that Linux kills when the process that started it ends.

    python -I -S tests/leash.py PARENT PROGRAM [WORD ...]

A test run that is killed cannot stop what it started. The program has default signals.
"""

from __future__ import annotations

import os
import signal
import sys


def tie(parent: int) -> None:
    """Have this process killed when the one with the id *parent* ends."""
    if sys.platform == "linux":
        import ctypes

        # PR_SET_PDEATHSIG, https://man7.org/linux/man-pages/man2/PR_SET_PDEATHSIG.2const.html
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)  # it ended before


def main() -> None:
    """Become the program."""
    # Python ignores SIGPIPE and SIGXFSZ, which exec hands on.
    for number in signal.valid_signals():
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    tie(int(sys.argv[1]))
    os.execvp(sys.argv[2], sys.argv[2:])


if __name__ == "__main__":
    main()

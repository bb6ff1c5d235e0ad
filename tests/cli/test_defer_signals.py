"""Ctrl-C waits for what must not be left half done."""

from __future__ import annotations

import os
import signal
import sys

import pytest

from kubectl_spy.cli.run.signals import DeferSignals
from tests.cli.command import Spy

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals are POSIX's")

SCRIPT = """
import os, signal
from kubectl_spy.cli.run.signals import DeferSignals

class Stopped(BaseException):
    pass

def stop(number, frame):
    raise Stopped

signal.signal(signal.SIGTERM, stop)
defer_signals, done = DeferSignals(), []
for number, reason in ((signal.SIGINT, KeyboardInterrupt), (signal.SIGTERM, Stopped)):
    try:
        with defer_signals:
            os.kill(os.getpid(), number)
            done.append("line")
            done.append("its number")
        done.append("never")
    except reason:
        done.append("ended")
try:
    os.kill(os.getpid(), signal.SIGINT)
    done.append("never")
except KeyboardInterrupt:
    done.append("at once")
print(*done, sep=",")
"""


def test_a_signal_waits_for_the_deferred_block(spy: Spy) -> None:
    spy.command = (sys.executable, "-c", SCRIPT)
    ended = spy.run()
    once = "line,its number,ended"
    assert (ended.out, ended.err) == (f"{once},{once},at once\n", "")


def test_ignored_signals_stay_ignored() -> None:
    """As in a script that runs a recorder with `&`."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with DeferSignals():
            os.kill(os.getpid(), signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)

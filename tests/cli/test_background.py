"""A recorder that a shell runs behind `&` leaves the terminal to its person."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from tests.builders import pod
from tests.cli.command import PATIENCE, Spy, wait_for_lists
from tests.extras.serve.api_server.server import ApiServer

screens = pytest.importorskip("tests.cli.screen", reason="needs POSIX's terminals")

JOB = """
import os, sys
terminal = os.ttyname(2)
os.setsid()
opened = os.open(terminal, os.O_RDWR)
for number in (0, 1, 2):
    os.dup2(opened, number)
job = os.fork()
if not job:
    if sys.argv[1] == "behind":
        os.setpgid(0, 0)
    os.execv(sys.executable, [sys.executable, "-m", "kubectl_spy", *sys.argv[2:]])
os._exit(os.waitstatus_to_exitcode(os.waitpid(job, 0)[1]))
"""
"""A shell with job control: it runs a job in front, or behind."""
PROGRESS = b"\r\x1b[K1 object, 0 changes"


@pytest.mark.parametrize("where", ["in front", "behind"])
def test_only_a_job_in_front_shows_progress(
    spy: Spy, serve: Callable[..., ApiServer], where: str
) -> None:
    server = serve(namespace="shop")
    server.put(pod("a", namespace="shop"))
    spy.command = (sys.executable, "-c", JOB, where)
    file = spy.home / "a.spy"
    words = ("record", "pods", "-f", str(file), "--stop-on", "delete", "--after", "0s")
    with screens.on_a_terminal(spy, *words) as (screen, process):
        wait_for_lists(file)
        if where == "in front":
            screen.wait_for(lambda it: PROGRESS in it.raw)
        server.delete(pod("a", namespace="shop"))
        assert process.wait(PATIENCE) == 0
        screen.wait_for_end()
    assert b"recorded to" in screen.raw
    assert (PROGRESS in screen.raw) is (where == "in front")

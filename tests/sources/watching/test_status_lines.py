"""Watches that have the same to say share a line."""

from __future__ import annotations

from kubectl_spy.sources.watching.clock import SystemClock
from kubectl_spy.sources.watching.watch import StatusLines
from tests.processes import wait_until

LOST = "connection lost: 10.0.0.1:6443 refused the connection; trying again in {} s"


def status_lines(said: list[str], *, alone: bool = False) -> StatusLines:
    return StatusLines(said.append, SystemClock(), alone=alone)


def test_what_all_watches_say_within_a_moment_is_one_line() -> None:
    said: list[str] = []
    lines = status_lines(said)
    for wait, name in enumerate(("pods", "events", "pods", "nodes", "secrets"), 1):
        lines.say(f"{name}: {LOST.format(wait)}")
    lines.say("pods: watching again")
    assert said == []
    wait_until(lambda: len(said) == 2)
    assert said == [
        f"pods, events, nodes and 1 more: {LOST.format(1)}",
        "pods: watching again",
    ]


def test_a_watch_that_is_alone_says_it_at_once() -> None:
    said: list[str] = []
    status_lines(said, alone=True).say("pods: watching again")
    assert said == ["pods: watching again"]


def test_an_error_takes_the_place_of_what_was_gathered() -> None:
    said: list[str] = []
    lines = status_lines(said)
    lines.say(f"pods: {LOST.format(30)}")
    lines.end()
    lines.say(f"nodes: {LOST.format(30)}")
    lines.flush()
    assert said == []

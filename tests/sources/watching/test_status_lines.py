"""Watches that have the same to say share a line."""

from __future__ import annotations

from kubectl_spy.sources.watching.actions import Status
from kubectl_spy.sources.watching.clock import SystemClock
from kubectl_spy.sources.watching.watch import StatusLines
from tests.processes import wait_until

LOST = Status("connection lost: 10.0.0.1:6443 refused the connection")
BACK = Status("watching again", works=True)


def status_lines(said: list[str], *, alone: bool = False) -> StatusLines:
    return StatusLines(said.append, SystemClock(), alone=alone)


def test_what_all_watches_say_within_a_moment_is_one_line() -> None:
    said: list[str] = []
    lines = status_lines(said)
    for wait, name in enumerate(("pods", "events", "pods", "nodes", "secrets"), 1):
        lines.say(name, LOST._replace(retry=wait))
    lines.say("pods", BACK)
    assert said == []
    wait_until(lambda: len(said) == 2)
    assert said == [
        f"pods, events, nodes and 1 more: {LOST.text}; trying again in 1 s",
        "pods: watching again",
    ]


def test_a_watch_that_is_alone_says_it_at_once() -> None:
    said: list[str] = []
    status_lines(said, alone=True).say("pods", BACK)
    assert said == ["pods: watching again"]


def test_an_error_takes_the_place_of_what_was_gathered() -> None:
    said: list[str] = []
    lines = status_lines(said)
    lines.say("pods", LOST)
    lines.end()
    lines.say("nodes", LOST)
    lines.flush()
    assert said == []

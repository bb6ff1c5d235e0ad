"""How it was done: how often the server was asked, how soon, and what was said."""

from __future__ import annotations

from tests.sources.watching.soak.driver import Run
from tests.sources.watching.soak.judge import require

WINDOW = 30.0
BLIND = 75.0
OVERSLEPT = 6.0
TROUBLE = ("connection lost", "refused", "no answer")
OVER = ("watching again", "watching")


def judge_conduct(run: Run) -> None:
    """Raise Wrong for a hurry, a long sleep, or the wrong words."""
    require(run.told.blind <= BLIND, "noticed late", run.told.blind)
    require(run.told.overslept <= OVERSLEPT, "overslept", run.told.overslept)
    _judge_pace(run)
    _judge_words(run)
    if run.error is not None:
        require(not run.told.worked, "gave up", run.error)


def _judge_pace(run: Run) -> None:
    """At most one request a second, but for what each event and each page may cost."""
    # To look for the oldest version takes some requests, once.
    moments = [each.moment for each in run.requests if each.what != "look back"]
    first = 0
    for last, moment in enumerate(moments):
        while moment - moments[first] > WINDOW:
            first += 1
        count = last - first + 1
        require(count <= WINDOW + 15, "in a hurry", run.requests[first : last + 1])


def _judge_words(run: Run) -> None:
    lines = [said.line for said in run.said]
    if run.weather.quiet:
        require(not lines, "said", lines)
    troubled = False
    for line in lines:
        if line.startswith(TROUBLE):
            troubled = True
        else:
            require(line.startswith(OVER), "what is that", line)
            require(troubled or "(GAP)" in line, "good news of nothing", lines)
            troubled = False
    require(not troubled or run.error is not None, "no good news", lines)

"""Whether a container that was restarted runs for long enough, asked no more often."""

from __future__ import annotations

import pytest

from kubectl_spy.core.history import History
from kubectl_spy.core.objects import EventType, WatchEvent
from kubectl_spy.core.trace.inventory import Entry, Inventory
from kubectl_spy.core.trace.kinds.registry import diagnose
from kubectl_spy.core.trace.picture import Verdict
from tests.builders import ALL_PODS, pod
from tests.core.trace.pods import READY, a_pod, container
from tests.tracing import START, inventory

BEFORE = {"startedAt": "2026-11-21T15:03:00Z", "finishedAt": "2026-11-21T15:03:10Z"}


@pytest.mark.parametrize(
    ("started", "verdicts"),
    [
        # It has to run for 30 seconds; the records are of 15:04:05 and every 10 s on.
        ("2026-11-21T15:03:20Z", ["ok"]),
        ("2026-11-21T15:04:00Z", ["waiting", "waiting", "waiting", "ok"]),
    ],
)
def test_a_pod_is_judged_anew_only_until_its_container_runs_long_enough(
    started: str, verdicts: list[str]
) -> None:
    state = {"running": {"startedAt": started}}
    app = container(state=state, last=BEFORE, ready=True, restarts=1)
    seen, history = inventory(a_pod(app, conditions=READY)), History()
    entry = seen.entry("pod-uid")
    assert entry is not None
    found = []

    def judge(entry: Entry, seen: Inventory) -> Verdict:
        verdict = diagnose(entry, seen).verdict
        found.append(verdict.value)
        return verdict

    for number in range(8):
        other = WatchEvent(
            EventType.ADDED, ALL_PODS, START + 10 * number, pod(f"other-{number}")
        )
        for record in history.observe(other):
            seen.observe(record)
        seen.once(judge, entry)
    assert found == verdicts

"""One type is told where a server's memory begins, and the others ask from there."""

from __future__ import annotations

import threading

from kubectl_spy.core.objects import Selection
from kubectl_spy.sources.watching.actions import Action, Recall, Replay
from kubectl_spy.sources.watching.beginning import Beginning
from tests.builders import ALL_PODS, resource

LIMITS = Selection(resource("LimitRange"), "shop")
TEMPLATES = Selection(resource("PodTemplate"), "shop")
EVENTS = Selection(resource("Event"), "shop")
RARE = (LIMITS, TEMPLATES)


def told(**answers: Action | None) -> Beginning:
    """Return what is known when the two rarely written types have asked."""
    beginning = Beginning((ALL_PODS, *RARE, EVENTS))
    for selection in RARE:
        assert beginning.version(selection) == "1"
        beginning.note(selection, Replay("1"))
        beginning.note(selection, answers[selection.resource.plural])
    return beginning


def test_others_ask_from_the_oldest_version_that_was_named() -> None:
    found = told(limitranges=Replay("250", 1, 250), podtemplates=Replay("243", 1, 243))
    assert found.version(ALL_PODS) == "243"
    assert found.version(EVENTS) == "1"  # these may be in another etcd


def test_a_server_that_remembers_all_is_asked_for_all() -> None:
    found = told(limitranges=Recall("1"), podtemplates=Replay("243", 1, 243))
    assert found.version(ALL_PODS) == "1"


def test_where_nothing_is_named_each_asks_for_itself() -> None:
    found = told(limitranges=None, podtemplates=Recall(reason="may not watch"))
    assert found.version(ALL_PODS) == "1"
    assert Beginning((ALL_PODS, EVENTS)).version(ALL_PODS) == "1"


def test_the_others_wait_for_the_first_answer() -> None:
    beginning = Beginning((ALL_PODS, LIMITS))
    versions: list[str] = []
    asking = threading.Thread(
        target=lambda: versions.append(beginning.version(ALL_PODS))
    )
    asking.start()
    beginning.note(LIMITS, Replay("77", 1, 77))
    asking.join()
    assert versions == ["77"]

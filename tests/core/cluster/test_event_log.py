"""Events in the order in which they happened, each once with its count."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.changes.history import History
from kubectl_spy.core.changes.record import Listed
from kubectl_spy.core.cluster.event_log import EventLog
from kubectl_spy.core.cluster.events import ClusterEvent, cluster_event
from kubectl_spy.core.cluster.scope import Scope, asked_for
from kubectl_spy.core.objects import EventType, Selection, WatchEvent
from tests.builders import PODS, pod
from tests.builders import reported as any_event
from tests.tracing import START, feed

ROOT = Selection(resource=PODS, namespace="shop", name="web")
ALONG = Selection(resource=PODS, namespace="shop", asked=False)


class Told:
    """A log of the Events about one Pod, told what happens."""

    def __init__(self) -> None:
        self.log = EventLog(Scope((ROOT,), (ALONG,), asked_for((ROOT,))))
        self._history = History()

    def tell(
        self, document: dict[str, Any], kind: str = "ADDED", by: Selection = ALONG
    ) -> list[str]:
        """Return `REASON xCOUNT` of what there is to tell after a change."""
        self.observe(document, kind, by)
        return self.news()

    def news(self) -> list[str]:
        """Return `REASON xCOUNT` of what there is to tell."""
        return [f"{each.reason} x{each.times}" for each in self.log.news()]

    def observe(
        self, document: dict[str, Any], kind: str = "ADDED", by: Selection = ALONG
    ) -> None:
        """Take in a change, and ask for nothing."""
        event = WatchEvent(EventType[kind], by, START, document)
        if document["kind"] == "Event":
            gvk = PODS.gvk._replace(kind="Event")
            event = event._replace(selection=EVENTS)
            assert EVENTS.resource.gvk == gvk
        feed(self.log, [event], self._history)


EVENTS = Selection(
    resource=type(PODS)(
        gvk=PODS.gvk._replace(kind="Event"),
        plural="events",
        singular="event",
        namespaced=True,
    ),
    namespace="shop",
    asked=False,
)


def reported(
    reason: str, about: str = "uid-web", *, second: int = 0, count: int = 1, rv: str
) -> dict[str, Any]:
    stamp = f"2026-11-21T15:04:{second:02}Z"
    return any_event(
        reason,
        about={"kind": "Pod", "uid": about, "name": "web"},
        kind="Normal",
        first=stamp,
        count=count,
        metadata={"uid": f"e-{reason}", "resourceVersion": rv},
    )


def test_each_comes_once_and_again_when_its_count_grows() -> None:
    told = Told()
    told.tell(pod("web"), by=ROOT)
    assert told.tell(reported("Pulled", rv="2")) == ["Pulled x1"]
    assert told.tell(reported("Pulled", rv="3"), "MODIFIED") == []
    assert told.tell(reported("Pulled", rv="4", count=3), "MODIFIED") == ["Pulled x3"]
    assert told.tell(reported("Pulled", rv="5", count=3), "DELETED") == []


def test_an_event_may_come_before_its_object() -> None:
    told = Told()
    assert told.tell(reported("Scheduled", rv="1")) == []
    assert told.tell(pod("web", rv="2"), by=ROOT) == ["Scheduled x1"]


def test_the_first_events_are_in_the_order_of_time() -> None:
    told = Told()
    for reason, second in (("Started", 9), ("Scheduled", 1), ("Pulled", 5)):
        told.tell(reported(reason, second=second, rv=str(second)))
    assert told.tell(pod("web", rv="20"), by=ROOT) == [
        "Scheduled x1",
        "Pulled x1",
        "Started x1",
    ]


def test_events_of_other_objects_are_not_reported() -> None:
    told = Told()
    told.tell(pod("web"), by=ROOT)
    assert told.tell(reported("Killing", about="uid-other", rv="2")) == []


def test_deleted_objects_keep_their_events() -> None:
    told = Told()
    told.tell(pod("web"), by=ROOT)
    told.tell(pod("web", rv="2"), "DELETED", by=ROOT)
    assert told.tell(reported("Killing", rv="3")) == ["Killing x1"]


def test_a_repeated_event_is_reported_again() -> None:
    told = Told()
    told.tell(pod("web"), by=ROOT)
    assert told.tell(reported("Unhealthy", second=1, rv="2")) == ["Unhealthy x1"]
    again = reported("Unhealthy", second=1, rv="3")
    again["lastTimestamp"] = "2026-11-21T15:09:00Z"
    assert told.tell(again, "MODIFIED") == ["Unhealthy x1"]
    annotated = reported("Unhealthy", second=1, rv="4")
    assert told.tell(annotated, "MODIFIED") == []


def test_one_object_may_have_any_number_of_events() -> None:
    told = Told()
    told.tell(pod("web"), by=ROOT)
    for number in range(300):
        told.observe(reported(f"R{number}", rv=str(number + 2)))
    assert len(told.news()) == 300


def test_events_without_a_uid_go_by_their_names() -> None:
    told = Told()
    told.tell(pod("web"), by=ROOT)
    for number, reason in enumerate(("Pulled", "Created"), start=2):
        event = reported(reason, second=number, rv=str(number))
        del event["metadata"]["uid"]
        told.observe(event)
    assert told.news() == ["Pulled x1", "Created x1"]


MIRROR = {"annotations": {"kubernetes.io/config.mirror": "abcdef"}}
NAMES = [
    ({"apiVersion": "v1", "kind": "Pod", "namespace": "shop", "name": "web"}, {}),
    ({"kind": "Pod", "namespace": "shop", "name": "web"}, {}),
    ({"apiVersion": "v1", "kind": "Pod", "name": "web", "uid": "abcdef"}, MIRROR),
]


@pytest.mark.parametrize("first", ["Event", "Pod"])
@pytest.mark.parametrize(("reference", "metadata"), NAMES)
def test_an_event_may_know_its_object_by_another_name_than_its_uid(
    reference: dict[str, Any], metadata: dict[str, Any], first: str
) -> None:
    told = Told()
    event = reported("Synced", rv="2")
    event["involvedObject"] = reference
    steps = [(event, ALONG), (pod("web", **metadata), ROOT)]
    for document, by in sorted(steps, key=lambda step: step[0]["kind"] != first):
        told.observe(document, by=by)
    assert told.news() == ["Synced x1"]


@pytest.mark.parametrize(
    "other",
    [{"apiVersion": "x.io/v1"}, {"kind": "Job"}, {"namespace": "a"}, {"name": "b"}],
)
def test_events_without_a_uid_match_by_name(other: dict[str, str]) -> None:
    told = Told()
    told.tell(pod("web"), by=ROOT)
    event = reported("Synced", rv="2")
    event["involvedObject"] = {**NAMES[0][0], **other}
    assert told.tell(event) == []


def test_a_node_of_another_group_goes_by_its_uid() -> None:
    longhorn = {"apiVersion": "longhorn.io/v1", "kind": "Node", "name": "n1"}
    read = [
        cluster_event({"involvedObject": {**each, "uid": "u1"}}).subject
        for each in (longhorn, {"kind": "Node", "name": "n1"})
    ]
    assert read == ["u1", "/Node//n1"]


def test_early_deleted_objects_keep_their_events() -> None:
    told = Told()
    child = pod("child", ownerReferences=[{"uid": "uid-web", "kind": "Pod"}])
    told.observe(reported("Killing", about="uid-child", rv="1"))
    told.observe(child)
    told.observe(child, "DELETED")
    told.observe(pod("web", rv="9"), by=ROOT)
    assert told.news() == ["Killing x1"]


def test_an_expired_event_is_not_reported_again() -> None:
    told = Told()
    told.tell(pod("web"), by=ROOT)
    told.tell(reported("Pulled", rv="2"))
    told.tell(reported("Pulled", rv="3"), "DELETED")
    assert told.tell(reported("Pulled", rv="4")) == []


def test_before_the_first_look_all_are_held() -> None:
    """Their object may stand in a list that is not there yet."""
    told = Told()
    for number in range(10_003):
        told.observe(reported(f"R{number}", rv=str(number + 1)))
    assert len(told.tell(pod("web", rv="30000"), by=ROOT)) == 10_003
    assert told.log.events.missing == 0


def test_events_dropped_before_their_object_are_counted() -> None:
    told = Told()
    for number in range(10_003):
        told.observe(reported(f"R{number}", rv=str(number + 1)))
    assert told.news() == []
    assert told.tell(reported("R0", rv="20000", count=2), "MODIFIED") == []
    assert len(told.tell(pod("web", rv="30000"), by=ROOT)) == 10_000
    # R0 came again, and R1 to R3 did not.
    assert told.log.events.missing == 3


def test_the_log_is_complete_after_all_lists() -> None:
    log = EventLog(Scope((ROOT,), (ALONG,), asked_for((ROOT,))))
    assert not log.scope.coverage.complete
    for stream in (ROOT, ALONG):
        log.observe(Listed(stream, 0, START))
    assert log.scope.coverage.complete


CORE = {
    "metadata": {"uid": "u", "creationTimestamp": "2026-11-21T15:00:00Z"},
    "involvedObject": {"kind": "Pod", "name": "web", "uid": "p", "namespace": "shop"},
    "reason": "BackOff",
    "message": "Back-off",
    "type": "Warning",
    "count": 4,
    "firstTimestamp": "2026-11-21T15:04:05Z",
    "lastTimestamp": "2026-11-21T15:05:05Z",
    "source": {"component": "kubelet", "host": "n1"},
}
NEW = {
    "metadata": {"uid": "u", "creationTimestamp": "2026-11-21T15:00:00Z"},
    "regarding": CORE["involvedObject"],
    "reason": "BackOff",
    "note": "Back-off",
    "type": "Warning",
    "eventTime": "2026-11-21T15:04:05.000000Z",
    "series": {"count": 4, "lastObservedTime": "2026-11-21T15:05:05.000000Z"},
    "reportingController": "kubelet",
}


@pytest.mark.parametrize("shape", [CORE, NEW])
def test_both_shapes_of_events_say_the_same(shape: dict[str, Any]) -> None:
    assert cluster_event(shape) == ClusterEvent(
        uid="u",
        about="p",
        subject="p",
        kind="Pod",
        namespace="shop",
        name="web",
        field="",
        warning=True,
        reason="BackOff",
        message="Back-off",
        times=4,
        first=START,
        last=START + 60,
        seen=None,
        component="kubelet",
    )


@pytest.mark.parametrize("junk", [None, True, -3, [], "x", {"uid": 3}])
def test_an_event_may_hold_anything(junk: Any) -> None:
    names = (*CORE, *NEW)
    read = cluster_event(dict.fromkeys(names, junk))
    assert (read.times, read.first, read.last) == (1, None, None)

"""Events count by when they happened, in whatever order they arrive."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.core.changes.history import History
from kubectl_spy.core.changes.record import Aside, Item
from kubectl_spy.core.cluster.event_log import EventLog
from kubectl_spy.core.cluster.events import cluster_event
from kubectl_spy.core.cluster.scope import Scope
from kubectl_spy.core.diagnosis.finding import Diagnosis, Verdict
from kubectl_spy.core.objects import EventType, WatchEvent
from kubectl_spy.core.trace.trace import Trace
from kubectl_spy.render.machine import event_json
from kubectl_spy.render.tracing.picture_json import picture_json
from kubectl_spy.sources.recording.recording import Recording
from tests.builders import (
    APP,
    READY,
    UNREADY,
    Object,
    a_claim,
    a_pod,
    container,
    obj,
    reported,
    running,
    service,
    workload,
)
from tests.examples import examples
from tests.recordings import items_of, record
from tests.tracing import START, UTC, all_listed, diagnosis, found, selections_for


def at(second: float, whole: bool = True) -> str:
    """Return the time so many seconds after the start, as the API writes it."""
    form = "%Y-%m-%dT%H:%M:%SZ" if whole else "%Y-%m-%dT%H:%M:%S.%fZ"
    return datetime.fromtimestamp(START + second, UTC).strftime(form)


PROBED = a_pod(
    container(state=running(startedAt=at(0)), readinessProbe={"exec": {}}),
    conditions=UNREADY,
)
STARTING = a_pod(
    container(state={"waiting": {"reason": "ContainerCreating"}}, image="nginx:9"),
    phase="Pending",
    metadata={"name": "new", "uid": "new"},
)
CLAIM = a_claim()
SET = workload("ReplicaSet", "web", spec={"replicas": 3}, replicas=1)
BALANCED = service(type="LoadBalancer", selector=None)
CRON = workload("CronJob", "nightly", spec={"schedule": "0 2 * * *"})
OBJECTS = (PROBED, STARTING, CLAIM, SET, BALANCED, CRON)
MISSING_CLASS = 'storageclass.storage.k8s.io "fast" not found'
ATTACH_DONE = 'AttachVolume.Attach succeeded for volume "v"'
REPORTS = (
    (PROBED, "Unhealthy", "Readiness probe failed: HTTP probe failed with: 503", APP),
    (PROBED, "Unhealthy", "Readiness probe failed: no", APP),
    (PROBED, "NodeNotReady", "Node is not ready", ""),
    (STARTING, "Pulling", 'Pulling image "nginx:9"', APP),
    (STARTING, "Failed", 'Failed to pull image "nginx:9": not found', APP),
    (STARTING, "Pulled", "Successfully pulled", APP),
    (STARTING, "FailedAttachVolume", 'Multi-Attach error for volume "v" in use', ""),
    (STARTING, "SuccessfulAttachVolume", ATTACH_DONE, ""),
    (CLAIM, "ProvisioningFailed", MISSING_CLASS, ""),
    (CLAIM, "ExternalProvisioning", "Waiting for a volume", ""),
    (CLAIM, "WaitForFirstConsumer", "waiting for first consumer", ""),
    (SET, "FailedCreate", 'Error creating: pods "web-x" is forbidden: no', ""),
    (SET, "SuccessfulCreate", "Created pod: web-y", ""),
    (BALANCED, "SyncLoadBalancerFailed", "no quota", ""),
    (BALANCED, "EnsuredLoadBalancer", "Ensured load balancer", ""),
    (CRON, "MissSchedule", "Missed scheduled time", ""),
    (CRON, "SuccessfulCreate", "Created job nightly-1", ""),
)


@st.composite
def reports(draw: st.DrawFn) -> list[Object]:
    """Return Events as the old and the new API write them, many within a second."""
    made = []
    for number in range(draw(st.integers(2, 12))):
        about, reason, message, field = draw(st.sampled_from(REPORTS))
        first = draw(st.integers(0, 3)) + draw(st.integers(0, 999)) / 1000
        last = first + draw(st.sampled_from([0, 0, 0.5, 1, 2]))
        count = 1 if last == first else draw(st.integers(2, 5))
        name, uid = about["metadata"]["name"], about["metadata"]["uid"]
        stamp = f"{int((START + first) * 10**9):x}" if draw(st.booleans()) else number
        subject = {"kind": about["kind"], "uid": uid, "fieldPath": field}
        event = obj(
            "Event",
            f"{name}.{stamp}",
            uid=f"{draw(st.integers(0, 99)):02}-{number}",
            metadata={"resourceVersion": str(draw(st.integers(1, 99)))},
            involvedObject=subject,
            type="Normal" if reason[0] in "SEPW" else "Warning",
            reason=reason,
            message=message,
        )
        if draw(st.booleans()):
            event |= {"firstTimestamp": at(first), "lastTimestamp": at(last)}
            event["count"] = count
        else:
            event["eventTime"] = at(first, whole=False)
            if count > 1:
                times = {"lastObservedTime": at(last, whole=False), "count": count}
                event["series"] = times
        made.append(event)
    return made


KINDS = selections_for([*OBJECTS, {"apiVersion": "v1", "kind": "Event"}])


def traced() -> Trace:
    return Trace(Scope((), tuple(KINDS.values()), lambda it: it.gvk.kind != "Event"))


def evicted(name: str) -> Object:
    pod = workload("Pod", name, owner=SET["metadata"]["uid"])
    target = {"type": "DisruptionTarget", "status": "True", "reason": name}
    return pod | {"status": {"conditions": [target | {"lastTransitionTime": at(0)}]}}


LOST = [evicted(f"web-{each}") for each in "abc"]


def happening(objects: list[Object], lost: list[Object]) -> Iterator[WatchEvent]:
    """Yield the lists of *objects*, then of *lost* the deletions, in that order."""
    yield from all_listed(KINDS, objects)
    for pod in lost:
        yield WatchEvent(EventType.DELETED, KINDS["v1", "Pod"], START, pod)


def told(items: Iterable[Item | Aside]) -> tuple[Object, str]:
    """Return the picture, and what `events -o json` prints."""
    trace, log = traced(), EventLog(traced().scope)
    for item in items:
        assert not isinstance(item, Aside)
        trace.observe(item)
        log.observe(item)
    return picture_json(trace.picture(), trace.scope.coverage), "".join(
        map(event_json, log.news())
    )


@examples(60)
@given(st.data())
def test_arrival_order_changes_nothing_shown(data: st.DataObject) -> None:
    objects = [*OBJECTS, *LOST, *data.draw(reports())]
    shuffled = data.draw(st.permutations(objects))
    lost = data.draw(st.permutations(LOST))
    live = told(items_of(History(), happening(objects, LOST)))
    assert told(items_of(History(), happening(shuffled, lost))) == live
    with TemporaryDirectory() as folder:
        path = Path(folder, "web.spy")
        record(path, happening(shuffled, lost), selections=tuple(KINDS.values()))
        assert told(Recording(str(path))) == live


@pytest.mark.parametrize("turn", [1, -1])
def test_within_a_second_the_nanosecond_of_the_name_decides(turn: int) -> None:
    at_ms = [int((START + ms / 1000) * 10**9) for ms in (100, 300, 200)]
    events = [
        reported("R", f"m{number}", first=at(0))
        | {"metadata": {"name": f"web.{stamp:x}", "uid": f"{number}"}}
        for number, stamp in enumerate(at_ms)
    ]
    ordered = sorted(map(cluster_event, events[::turn]), key=lambda each: each.order)
    assert [each.message for each in ordered] == ["m0", "m2", "m1"]


def later(about: Object, *reasons: tuple[str, str], turn: int = 1) -> Diagnosis:
    """Return the diagnosis after Events a minute apart, which arrive in any order."""
    uid, name = about["metadata"]["uid"], about["metadata"]["name"]
    events = [
        reported(reason, message, about=uid, first=at(60 * number + 1))
        | {"metadata": {"name": f"{name}.{number}", "uid": f"{number}"}}
        | {"type": "Warning" if "ail" in reason else "Normal"}
        for number, (reason, message) in enumerate(reasons)
    ]
    return diagnosis(about, *events[::turn])


TRIED = ("EnsuringLoadBalancer", "Ensuring load balancer")
FAILED = ("SyncLoadBalancerFailed", "no quota")
DONE = ("EnsuredLoadBalancer", "Ensured load balancer")
REFUSED = ("FailedCreate", "Error creating: no")
CREATED = ("SuccessfulCreate", "Created pod: web-y")
NO_CLASS = ("ProvisioningFailed", MISSING_CLASS)
NO_SPACE = ("ProvisioningFailed", "rpc error: no space")
PROVISIONS = ("Provisioning", "External provisioner is provisioning volume")
AWAITED = ("ExternalProvisioning", "Waiting for a volume to be created")
IN_USE = ("FailedAttachVolume", 'Multi-Attach error for volume "v" Volume is in use')
ATTACHED = ("SuccessfulAttachVolume", ATTACH_DONE)


@pytest.mark.parametrize("turn", [1, -1])
@pytest.mark.parametrize(
    ("about", "happened", "fails"),
    [
        (SET, (CREATED, REFUSED), True),
        (SET, (REFUSED, CREATED), False),
        (CLAIM, (AWAITED, NO_CLASS), True),
        (CLAIM, (NO_CLASS, AWAITED), False),
        (CLAIM, (NO_CLASS, PROVISIONS), False),
        (CLAIM, (NO_SPACE, PROVISIONS), True),
        (BALANCED, (TRIED, FAILED, TRIED), True),
        (BALANCED, (FAILED, TRIED, DONE), False),
        (STARTING, (ATTACHED, IN_USE), True),
        (STARTING, (IN_USE, ATTACHED), False),
    ],
)
def test_a_failure_counts_until_a_later_report_contradicts_it(
    about: Object, happened: tuple[tuple[str, str], ...], fails: bool, turn: int
) -> None:
    of = later(about, *happened, turn=turn)
    failing = [
        each
        for each in of.findings
        if each.verdict is Verdict.FAILING and each.about not in ("endpoints",)
    ]
    assert bool(failing) == fails, of.findings


def test_a_refusal_is_over_when_something_was_created_since() -> None:
    refused = reported("FailedCreate", "Error creating: no", about="web", first=at(60))
    for created, fails in ((at(30), True), (at(60), True), (at(61), False)):
        pod = workload("Pod", "web-1", owner="web")
        pod["metadata"]["creationTimestamp"] = created
        of = diagnosis(SET, pod, refused)
        assert any(each.about == "creation" for each in of.findings) == fails


def test_a_missed_run_is_over_when_one_was_scheduled_since() -> None:
    missed = reported("MissSchedule", "Missed", about="nightly", first=at(60))
    for scheduled, fails in ((at(0), True), (at(120), False)):
        cron = CRON | {"status": {"lastScheduleTime": scheduled}}
        of = diagnosis(cron, missed)
        assert any(each.about == "missed" for each in of.findings) == fails


def test_accidental_differences_make_one_finding() -> None:
    texts = set()
    for port in range(40_000, 40_012):
        reset = f"read tcp 10.0.0.1:{port}->10.0.0.3:80: read: connection reset by peer"
        prefix = "(combined from similar events): " if port % 2 else ""
        message = f"{prefix}Readiness probe failed: {reset}"
        failed = reported("Unhealthy", message, field=APP, first=at(5))
        texts.add(found(diagnosis(PROBED, failed), "probe/app/readiness")[1])
        waits = container(
            state={"waiting": {"reason": "ErrImagePull", "message": reset}}
        )
        pulls = diagnosis(a_pod(waits, conditions=READY))
        texts.add(found(pulls, "container/app")[1])
    assert len(texts) == 2, texts

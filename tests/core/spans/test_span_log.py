"""Which trace something belongs to, under what, and when it was."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.core.spans.identity import links
from kubectl_spy.core.spans.span import SpanKind
from kubectl_spy.core.times import rfc3339
from tests.core.spans.told import Document, Told, deployment, event, obj, pod, times
from tests.tracing import START


def test_a_generation_is_a_trace_until_it_is_ready() -> None:
    told = Told()
    told.tell(0, deployment(available=0))
    told.tell(2, deployment())
    told.tell(100, deployment(2, 0, replicas=2))
    told.tell(103, deployment(2, 2, replicas=2))
    restarted = {
        "metadata": {"annotations": {"kubectl.kubernetes.io/restartedAt": "now"}}
    }
    told.tell(200, deployment(3, 0, replicas=2, template=restarted))
    spans = told.spans()
    assert times(spans["Deployment.create"]) == (0, 2)
    assert times(spans["Deployment.scale"]) == (100, 103)
    assert times(spans["Deployment.restart"]) == (200, None)
    generation = dict(spans["Deployment.scale"].attributes)["k8s.object.generation"]
    assert generation == 2


def test_an_unrest_without_a_change_is_a_trace_of_its_own() -> None:
    told = Told()
    told.tell(0, deployment())
    told.tell(50, deployment(available=0))
    told.tell(55, deployment())
    told.tell(58, pod(ready=False))
    told.tell(59, pod())
    told.tell(90, pod("web-2"))
    spans = told.spans()
    assert times(spans["Deployment.create"]) == (0, 0)
    assert times(spans["Deployment.recover"]) == (50, 59)
    assert times(spans["Deployment.activity"]) == (90, 90)


def test_an_event_may_come_before_its_object_and_after_it_is_gone() -> None:
    told = Told("Pod")
    told.tell(0, event("web", 0))
    assert told.spans() == {}
    told.tell(1, pod("web", owner=""))
    assert times(told.spans()["Pod.Scheduled"]) == (0, 0)
    assert times(told.spans()["Pod.create"]) == (0, 1)
    told.tell(2, pod("web", owner=""), "DELETED")
    told.tell(3, event("web", 3, 2))
    assert times(told.spans()["Pod.Scheduled"]) == (3, 3)
    assert times(told.spans()["Pod.delete"]) == (2, 3)


def test_an_event_that_happens_again_is_the_same_span_and_longer() -> None:
    told = Told("Pod")
    told.tell(0, pod("web", owner=""))
    told.tell(1, event("web", 1))
    first = told.spans()["Pod.Scheduled"]
    told.tell(4, event("web", 4, 3))
    told.tell(4.5, event("web", 4, 3, note="no time later, no more often"))
    told.tell(5, event("web", 1, 2))
    told.tell(6, event("web", 4, 3), "DELETED")
    again = told.spans()["Pod.Scheduled"]
    assert (times(first), times(again)) == ((0, 1), (0, 4))
    assert first.span_id == again.span_id
    assert dict(again.attributes)["k8s.event.count"] == 3


def test_a_warning_is_an_error() -> None:
    told = Told("Pod")
    told.tell(0, pod("web", owner=""))
    field = "spec.containers{app}"
    about = {"kind": "Pod", "uid": "uid-web", "name": "web", "fieldPath": field}
    told.tell(1, event("web", 1, type="Warning", involvedObject=about))
    span = told.spans()["Pod.Scheduled"]
    assert (span.error, span.service) == ("it is", "default-scheduler")
    assert dict(span.attributes)["k8s.container.name"] == "app"


def test_a_claim_is_under_its_pod_and_a_target_under_its_autoscaler() -> None:
    told = Told("HorizontalPodAutoscaler")
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    scaler = obj("HorizontalPodAutoscaler", "web", spec={"scaleTargetRef": target})
    scaler["metadata"]["uid"] = "uid-scaler"
    told.tell(0, scaler)
    told.tell(0, deployment())
    told.tell(1, obj("ReplicaSet", "rs", "web"))
    claim = {"persistentVolumeClaim": {"claimName": "disk"}}
    told.tell(1, pod(owner="rs", spec={"volumes": [claim]}))
    told.tell(1, obj("PersistentVolumeClaim", "disk"))
    spans = {each.span_id: each for each in told.log.spans(START + 9)}
    above = {
        each.name: spans[each.parent_id].name
        for each in spans.values()
        if each.kind is SpanKind.OBJECT
    }
    assert above == {
        "Deployment": "HorizontalPodAutoscaler.create",
        "ReplicaSet": "Deployment",
        "Pod": "ReplicaSet",
        "PersistentVolumeClaim": "Pod",
    }


def test_what_is_being_deleted_is_a_trace_until_it_is_gone() -> None:
    told = Told("Pod")
    told.tell(0, pod("web", owner=""))
    going = {"deletionTimestamp": rfc3339(START + 30)}
    told.tell(20, pod("web", owner="", metadata=going))
    assert times(told.spans()["Pod.delete"]) == (20, None)
    told.tell(22, pod("web", owner="", metadata=going), "DELETED")
    assert times(told.spans()["Pod.delete"]) == (20, 22)


def test_owners_that_own_each_other_end_nowhere() -> None:
    told = Told()
    told.tell(0, deployment(metadata={"ownerReferences": [{"uid": "uid-rs"}]}))
    told.tell(0, obj("ReplicaSet", "rs", "web"))
    assert told.spans()["ReplicaSet"].parent_id


def test_an_ingress_leads_to_services_and_those_to_pods() -> None:
    told = Told("Ingress")
    backend = {"service": {"name": "front"}}
    ingress = obj(
        "Ingress",
        "web",
        spec={
            "defaultBackend": {"service": {"name": "rest"}},
            "rules": [{"http": {"paths": [{"backend": backend}, {"backend": {}}]}}],
        },
    )
    told.tell(0, {**ingress, "apiVersion": "networking.k8s.io/v1"})
    told.tell(0, obj("Service", "front", spec={"selector": {"app": "web"}}))
    told.tell(0, obj("Service", "rest", spec={}))
    told.tell(0, pod(owner="", metadata={"labels": {"app": "web", "odd": 3}}))
    told.tell(0, pod("other", owner="", metadata={"labels": {"app": "other"}}))
    spans = told.log.spans(START + 9)
    below = {dict(each.attributes).get("k8s.pod.name") for each in spans}
    assert below == {None, "web-1"}
    names = [each.name for each in spans if each.kind is SpanKind.OBJECT]
    assert sorted(names) == ["Pod", "Service", "Service"]


def test_a_root_under_another_root_is_no_trace_of_its_own() -> None:
    told = Told("ReplicaSet")
    told.tell(0, obj("ReplicaSet", "web"))
    other = obj("ReplicaSet", "web", "web")
    other["metadata"]["uid"] = "uid-below"
    told.tell(1, {**other, "metadata": {**other["metadata"], "namespace": "b"}})
    roots = [each for each in told.log.spans(START + 9) if not each.parent_id]
    assert [dict(each.attributes)["k8s.replicaset.uid"] for each in roots] == [
        "uid-web"
    ]


def test_pulling_lasts_until_it_is_over_as_far_as_that_is_told() -> None:
    told = Told("Pod")
    told.tell(0, pod("web", ready=False, owner=""))
    told.tell(1, event("web", 1, reason="Pulling", firstTimestamp=None))
    assert times(told.spans()["Pod.PullingImage"]) == (1, None)
    told.tell(5, pod("web", owner=""))
    assert times(told.spans()["Pod.PullingImage"]) == (1, 1)
    told.tell(6, pod("web", owner=""), "DELETED")
    assert times(told.spans()["Pod.PullingImage"]) == (1, 6)
    pulled = event("web", 7, reason="Pulled", firstTimestamp=None)
    pulled["metadata"] = {**pulled["metadata"], "uid": "e2", "name": "e2"}
    told.tell(7, pulled)
    assert times(told.spans()["Pod.PullingImage"]) == (1, 7)


def test_a_nodes_events_name_it() -> None:
    told = Told("Node")
    told.tell(0, obj("Node", "web"))
    about = {"kind": "Node", "uid": "web", "name": "web"}
    told.tell(1, event("web", 1, reason="NodeReady", involvedObject=about))
    assert told.spans()["Node.NodeReady"].parent_id


def test_an_event_about_nothing_is_nobodys() -> None:
    told = Told("Pod")
    told.tell(0, pod("web", owner=""))
    told.tell(1, event("web", 1, involvedObject={}))
    assert set(told.spans()) == {"Pod.create"}


def test_what_is_long_gone_is_forgotten() -> None:
    told = Told(keep=10)
    told.tell(0, deployment())
    for number in range(12):
        told.tell(1, pod(f"web-{number}"))
        told.tell(1, pod(f"web-{number}"), "DELETED")
    pods = [each for each in told.log.spans(START + 9) if each.name == "Pod"]
    assert (len(pods), told.log.left_out) == (10, 2)


def test_what_comes_back_goes_on() -> None:
    told = Told("Pod")
    told.tell(0, pod("web", owner=""))
    told.tell(1, pod("web", owner=""), "DELETED")
    told.tell(2, pod("web", ready=False, owner=""))
    told.tell(3, pod("web", owner=""))
    assert times(told.spans()["Pod.Pending"]) == (2, 3)


def test_a_configmap_is_changed_by_its_data() -> None:
    told = Told("ConfigMap")
    config = obj("ConfigMap", "web", generation=0, data={"a": "1"})
    told.tell(0, config)
    told.tell(50, {**config, "data": {"a": "2"}})
    told.tell(60, {**config, "data": {"a": "2"}, "metadata": config["metadata"]})
    told.tell(90, {**config, "data": {"a": "1"}})
    names = [each.name for each in told.log.spans(START + 99)]
    assert names == ["ConfigMap.create", "ConfigMap.update", "ConfigMap.update"]


def test_a_custom_resource_that_was_ready_tells_since_when() -> None:
    told = Told("Widget")
    ready = {
        "type": "Ready",
        "status": "True",
        "lastTransitionTime": rfc3339(START + 7),
    }
    widget = obj("Widget", "web", status={"conditions": [ready]})
    told.tell(100, {**widget, "apiVersion": "example.com/v1"}, "LISTED")
    assert times(told.spans()["Widget.UntilReady"]) == (0, 7)
    assert times(told.spans()["Widget.create"]) == (0, 7)
    assert told.log.finished() == []
    assert told.log.finished(START + 200) == told.log.spans(START + 200)


def test_switches_have_names() -> None:
    told = Told()
    told.tell(0, deployment())
    told.tell(50, obj("Deployment", "web", generation=2, spec={"paused": True}))
    told.tell(60, obj("Deployment", "web", generation=3, spec={"paused": False}))
    names = [each.name for each in told.log.spans(START + 99) if not each.parent_id]
    assert names == ["Deployment.create", "Deployment.update", "Deployment.resume"]


@pytest.mark.parametrize("ahead", [-86_400.0, 0.0, 5000.0])
def test_what_began_before_and_ends_now_is_as_long_as_it_was(ahead: float) -> None:
    told = Told("Pod")
    created = rfc3339(START - 10 + ahead)
    listed = pod("web", ready=False, owner="", metadata={"creationTimestamp": created})
    told.tell(0, listed, "LISTED")
    for second in (2, 4):
        changed = {"creationTimestamp": rfc3339(START + second + ahead)}
        told.tell(second, pod(f"other-{second}", owner="", metadata=changed))
    told.tell(5, pod("web", owner="", metadata={"creationTimestamp": created}))
    assert times(told.spans()["Pod.Pending"]) == (-10, 5)


@pytest.mark.parametrize(
    ("value", "valid"),
    [
        ("00-" + "a" * 32 + "-" + "b" * 16 + "-01", True),
        ("00-" + "0" * 32 + "-" + "b" * 16 + "-01", False),
        ("00-" + "a" * 32 + "-" + "0" * 16 + "-01", False),
        ("ff-" + "a" * 32 + "-" + "b" * 16 + "-01", False),
        ("00-" + "A" * 32 + "-" + "b" * 16 + "-01", False),
        ("", False),
        (None, False),
    ],
)
def test_a_traceparent_is_a_link_if_it_is_one(value: Any, valid: bool) -> None:
    annotations = {"tracing.k8s.io/traceparent": value}
    assert links({"metadata": {"annotations": annotations}}) == ((value,) * valid)


JUNK: st.SearchStrategy[Any] = st.one_of(
    st.none(), st.booleans(), st.integers(), st.text(), st.just([]), st.just({})
)


@given(
    st.sampled_from(["Deployment", "Pod", "Event", "ConfigMap", "Service"]),
    st.dictionaries(
        st.sampled_from(["spec", "status", "involvedObject", "data"]),
        st.dictionaries(
            st.sampled_from(["conditions", "selector", "volumes", "replicas", "uid"]),
            st.one_of(JUNK, st.lists(st.dictionaries(st.just("type"), JUNK))),
        ),
    ),
    JUNK,
)
def test_an_object_may_hold_anything(kind: str, parts: Document, junk: Any) -> None:
    told = Told(kind)
    told.tell(0, obj(kind, "web", **parts))
    told.tell(1, {**obj(kind, "web"), "spec": junk, "status": junk})
    told.tell(2, obj(kind, "web", **parts), "DELETED")
    for span in told.log.flush(START + 3):
        assert span.end is None or span.start <= span.end


@pytest.mark.parametrize("about", ["uid-web", "uid-of-nobody"])
@pytest.mark.parametrize("said", [(0, 2e11), (2e11, 2e11), (START + 2e7, START + 2e7)])
def test_who_may_write_events_moves_no_time(
    about: str, said: tuple[float, float]
) -> None:
    def shown(*, lie: bool) -> dict[str, tuple[float, float | None]]:
        told = Told()
        told.tell(0, obj("Deployment", "web"), "LISTED")
        told.tell(5, obj("ReplicaSet", "web-1", "uid-web"), "ADDED")
        if lie:
            first, last = (rfc3339(each) for each in said)
            event = {
                **obj("Event", "e"),
                "apiVersion": "v1",
                "involvedObject": {"kind": "Deployment", "uid": about},
                "reason": "Lie",
                "firstTimestamp": first,
                "lastTimestamp": last,
            }
            told.tell(10, event, "ADDED")
        spans = told.log.spans(START + 60)
        assert all(0 <= each.start <= (each.end or START + 60) for each in spans)
        return {each.name: times(each) for each in spans if ".Lie" not in each.name}

    before, after = shown(lie=False), shown(lie=True)
    assert after["Deployment.Waiting"] == before["Deployment.Waiting"] == (0.0, None)


def test_a_chain_of_owners_may_be_long() -> None:
    told = Told()
    told.tell(0, deployment())
    for number in range(3000):
        owner = f"c{number - 1}" if number else "web"
        told.tell(1 + number / 1e4, obj("ConfigMap", f"c{number}", owner))
    spans = told.log.spans(START + 9)
    parents = {each.span_id: each.parent_id for each in spans}
    at = next(
        each.span_id
        for each in spans
        if dict(each.attributes).get("k8s.object.name") == "c2999"
    )
    steps = 0
    while at := parents[at]:
        steps += 1
    assert (steps, len(spans)) == (3000, 3001)


def test_of_roots_that_own_each_other_the_first_by_name_is_one() -> None:
    told = Told("ReplicaSet")
    one, other = obj("ReplicaSet", "web", "uid-b"), obj("ReplicaSet", "web")
    one["metadata"] |= {"uid": "uid-a", "namespace": "a"}
    one["metadata"]["ownerReferences"] = [{"uid": "uid-b"}]
    other["metadata"] |= {"uid": "uid-b", "namespace": "b"}
    other["metadata"]["ownerReferences"] = [{"uid": "uid-a"}]
    told.tell(0, other)
    told.tell(0, one)
    spans = told.log.spans(START + 9)
    assert [each.name for each in spans if not each.parent_id] == ["ReplicaSet.create"]
    assert "ReplicaSet" in {each.name for each in spans}
    assert dict(spans[0].attributes)["k8s.replicaset.uid"] == "uid-a"


def test_each_try_to_pull_an_image_is_told_with_its_error() -> None:
    told = Told("Pod")
    told.tell(0, pod("web", ready=False, owner=""))
    field = "spec.containers{app}"
    about = {"kind": "Pod", "uid": "uid-web", "name": "web", "fieldPath": field}

    def reported(at: float, uid: str, count: int, reason: str, message: str) -> None:
        kind = "Warning" if reason == "Failed" else "Normal"
        said = event("web", at, count, reason=reason, message=message)
        said |= {"involvedObject": about, "firstTimestamp": None, "type": kind}
        said["metadata"] = {**said["metadata"], "uid": uid, "name": uid}
        told.tell(at, said)

    for count, at in enumerate((1.0, 21.0), 1):
        reported(at, "e1", count, "Pulling", "Pulling image")
        reported(at + 2, "e2", count, "Failed", "Error: ErrImagePull")
        reported(at + 2, "e3", count, "Failed", "Failed to pull image: no such")
        reported(at + 3, "e4", count, "Failed", "Error: ImagePullBackOff")
    reported(41, "e1", 3, "Pulling", "Pulling image")
    reported(45, "e5", 1, "Pulled", "Successfully pulled")
    pulls = [
        (times(each), each.error)
        for each in told.log.spans(START + 99)
        if each.name == "Pod.PullingImage"
    ]
    assert pulls == [
        ((1, 3), "Failed to pull image: no such"),
        ((21, 23), "Failed to pull image: no such"),
        ((41, 45), ""),
    ]


NAMED = {"kind": "Pod", "namespace": "shop", "name": "web"}
MIRROR = {"annotations": {"kubernetes.io/config.mirror": "abcdef"}}


@pytest.mark.parametrize("reference", [NAMED, {**NAMED, "uid": "abcdef"}])
def test_events_may_name_an_object_by_more_than_its_uid(
    reference: dict[str, str],
) -> None:
    told = Told("Pod", keep=10)
    told.tell(0, pod("web", owner="", metadata=MIRROR))
    told.tell(1, event("web", 1, involvedObject=reference))
    assert times(told.spans()["Pod.Scheduled"]) == (0, 1)
    told.tell(2, event("web", 2, 2, involvedObject=reference))
    told.tell(200, pod("other"))
    assert times(told.spans()["Pod.Scheduled"]) == (0, 2)


def test_an_event_by_name_is_of_the_object_that_was_there_then() -> None:
    told = Told("Pod")
    before = rfc3339(START - 3600)
    old = event("web", 0, involvedObject=NAMED, reason="Older")
    old |= {"metadata": {"name": "e0", "namespace": "shop", "uid": "e0"}}
    old |= {"firstTimestamp": before, "lastTimestamp": before}
    told.tell(0, old, "LISTED")
    one = pod("web", owner="")
    told.tell(1, one)
    told.tell(2, event("web", 2, involvedObject=NAMED))
    told.tell(3, one, "DELETED")
    two = pod("web", owner="", metadata={"uid": "uid-two"})
    told.tell(5, two)
    late = event("web", 9, involvedObject=NAMED, reason="Later")
    late |= {"metadata": {"name": "e1", "namespace": "shop", "uid": "e1"}}
    told.tell(9, late)
    about = [
        (each.name, dict(each.attributes)["k8s.pod.uid"])
        for each in told.log.spans(START + 1000)
        if each.kind is SpanKind.EVENT
    ]
    assert about == [("Pod.Scheduled", "uid-web"), ("Pod.Later", "uid-two")]

"""Which trace something belongs to, under what, and when it was."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.core.times import rfc3339
from kubectl_spy.extras.spans.model.naming import links
from kubectl_spy.extras.spans.model.span import SpanKind
from tests.extras.spans.model.watch import (
    Document,
    Watch,
    deployment,
    event,
    obj,
    pod,
    times,
)
from tests.tracing import START


def test_a_generation_is_a_trace_until_it_is_ready() -> None:
    watch = Watch()
    watch.sees((0, deployment(available=0)), (2, deployment()))
    watch.sees((100, deployment(2, 0, replicas=2)), (103, deployment(2, 2, replicas=2)))
    restarted = {
        "metadata": {"annotations": {"kubectl.kubernetes.io/restartedAt": "now"}}
    }
    watch.observe(200, deployment(3, 0, replicas=2, template=restarted))
    spans = watch.spans()
    assert times(spans["Deployment.create"]) == (0, 2)
    assert times(spans["Deployment.scale"]) == (100, 103)
    assert times(spans["Deployment.restart"]) == (200, None)
    generation = dict(spans["Deployment.scale"].attributes)["k8s.object.generation"]
    assert generation == 2


def test_an_episode_without_a_change_is_a_trace_of_its_own() -> None:
    watch = Watch()
    watch.sees((0, deployment()), (50, deployment(available=0)), (55, deployment()))
    watch.sees((58, pod(ready=False)), (59, pod()), (90, pod("web-2")))
    spans = watch.spans()
    assert times(spans["Deployment.create"]) == (0, 0)
    assert times(spans["Deployment.recover"]) == (50, 59)
    assert times(spans["Deployment.activity"]) == (90, 90)


def test_an_event_may_come_before_its_object_and_after_it_is_gone() -> None:
    watch = Watch("Pod")
    watch.observe(0, event("web", 0))
    assert watch.spans() == {}
    watch.observe(1, pod("web", owner=""))
    assert times(watch.spans()["Pod.Scheduled"]) == (0, 0)
    assert times(watch.spans()["Pod.create"]) == (0, 1)
    watch.sees((2, pod("web", owner=""), "DELETED"), (3, event("web", 3, 2)))
    assert times(watch.spans()["Pod.Scheduled"]) == (3, 3)
    assert times(watch.spans()["Pod.delete"]) == (2, 3)


def test_an_event_that_happens_again_is_the_same_span_and_longer() -> None:
    watch = Watch("Pod")
    watch.sees((0, pod("web", owner="")), (1, event("web", 1)))
    first = watch.spans()["Pod.Scheduled"]
    watch.observe(4, event("web", 4, 3))
    watch.observe(4.5, event("web", 4, 3, note="no time later, no more often"))
    watch.sees((5, event("web", 1, 2)), (6, event("web", 4, 3), "DELETED"))
    again = watch.spans()["Pod.Scheduled"]
    assert (times(first), times(again)) == ((0, 1), (0, 4))
    assert first.span_id == again.span_id
    assert dict(again.attributes)["k8s.event.count"] == 3


def test_a_warning_is_an_error() -> None:
    watch = Watch("Pod")
    watch.observe(0, pod("web", owner=""))
    field = "spec.containers{app}"
    about = {"kind": "Pod", "uid": "uid-web", "name": "web", "fieldPath": field}
    watch.observe(1, event("web", 1, type="Warning", involvedObject=about))
    span = watch.spans()["Pod.Scheduled"]
    assert (span.error, span.service) == ("it is", "default-scheduler")
    assert dict(span.attributes)["k8s.container.name"] == "app"


def test_a_claim_is_under_its_pod_and_a_target_under_its_autoscaler() -> None:
    watch = Watch("HorizontalPodAutoscaler")
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    scaler = obj("HorizontalPodAutoscaler", "web", spec={"scaleTargetRef": target})
    scaler["metadata"]["uid"] = "uid-scaler"
    watch.sees((0, scaler), (0, deployment()), (1, obj("ReplicaSet", "rs", "web")))
    claim = {"persistentVolumeClaim": {"claimName": "disk"}}
    watch.observe(1, pod(owner="rs", spec={"volumes": [claim]}))
    watch.observe(1, obj("PersistentVolumeClaim", "disk"))
    spans = {each.span_id: each for each in watch.log.spans(START + 9)}
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


def test_a_deletion_is_a_trace_until_the_object_is_gone() -> None:
    watch = Watch("Pod")
    watch.observe(0, pod("web", owner=""))
    going = {"deletionTimestamp": rfc3339(START + 30)}
    watch.observe(20, pod("web", owner="", metadata=going))
    assert times(watch.spans()["Pod.delete"]) == (20, None)
    watch.observe(22, pod("web", owner="", metadata=going), "DELETED")
    assert times(watch.spans()["Pod.delete"]) == (20, 22)


def test_a_cycle_of_owners_has_no_root_span() -> None:
    watch = Watch()
    watch.observe(0, deployment(metadata={"ownerReferences": [{"uid": "uid-rs"}]}))
    watch.observe(0, obj("ReplicaSet", "rs", "web"))
    assert watch.spans()["ReplicaSet"].parent_id


def test_an_ingress_leads_to_services_and_those_to_pods() -> None:
    watch = Watch("Ingress")
    backend = {"service": {"name": "front"}}
    ingress = obj(
        "Ingress",
        "web",
        spec={
            "defaultBackend": {"service": {"name": "rest"}},
            "rules": [{"http": {"paths": [{"backend": backend}, {"backend": {}}]}}],
        },
    )
    watch.observe(0, ingress)
    watch.observe(0, obj("Service", "front", spec={"selector": {"app": "web"}}))
    watch.observe(0, obj("Service", "rest", spec={}))
    watch.observe(0, pod(owner="", metadata={"labels": {"app": "web", "odd": 3}}))
    watch.observe(0, pod("other", owner="", metadata={"labels": {"app": "other"}}))
    spans = watch.log.spans(START + 9)
    below = {dict(each.attributes).get("k8s.pod.name") for each in spans}
    assert below == {None, "web-1"}
    names = [each.name for each in spans if each.kind is SpanKind.OBJECT]
    assert sorted(names) == ["Pod", "Service", "Service"]


def test_a_nested_root_has_no_trace_of_its_own() -> None:
    watch = Watch("ReplicaSet")
    watch.observe(0, obj("ReplicaSet", "web"))
    other = obj("ReplicaSet", "web", "web")
    other["metadata"]["uid"] = "uid-below"
    watch.observe(1, {**other, "metadata": {**other["metadata"], "namespace": "b"}})
    roots = [each for each in watch.log.spans(START + 9) if not each.parent_id]
    assert [dict(each.attributes)["k8s.replicaset.uid"] for each in roots] == [
        "uid-web"
    ]


def test_a_pull_lasts_until_an_event_or_the_pod_ends_it() -> None:
    watch = Watch("Pod")
    watch.observe(0, pod("web", ready=False, owner=""))
    watch.observe(1, event("web", 1, reason="Pulling", firstTimestamp=None))
    assert times(watch.spans()["Pod.PullingImage"]) == (1, None)
    watch.observe(5, pod("web", owner=""))
    assert times(watch.spans()["Pod.PullingImage"]) == (1, 1)
    watch.observe(6, pod("web", owner=""), "DELETED")
    assert times(watch.spans()["Pod.PullingImage"]) == (1, 6)
    pulled = event("web", 7, reason="Pulled", firstTimestamp=None)
    pulled["metadata"] = {**pulled["metadata"], "uid": "e2", "name": "e2"}
    watch.observe(7, pulled)
    assert times(watch.spans()["Pod.PullingImage"]) == (1, 7)


def test_a_nodes_events_name_it() -> None:
    watch = Watch("Node")
    watch.observe(0, obj("Node", "web", metadata={"namespace": None}))
    about = {"kind": "Node", "uid": "web", "name": "web"}
    watch.observe(1, event("web", 1, reason="NodeReady", involvedObject=about))
    assert watch.spans()["Node.NodeReady"].parent_id


def test_an_event_about_nothing_is_nobodys() -> None:
    watch = Watch("Pod")
    watch.sees((0, pod("web", owner="")), (1, event("web", 1, involvedObject={})))
    assert set(watch.spans()) == {"Pod.create"}


def test_long_deleted_objects_leave_no_span() -> None:
    watch = Watch(keep=10)
    watch.observe(0, deployment())
    for number in range(12):
        watch.sees((1, pod(f"web-{number}")), (1, pod(f"web-{number}"), "DELETED"))
    pods = [each for each in watch.log.spans(START + 9) if each.name == "Pod"]
    assert (len(pods), watch.log.objects_left_out) == (10, 2)


def test_a_returning_object_continues_its_trace() -> None:
    watch = Watch("Pod")
    watch.sees((0, pod("web", owner="")), (1, pod("web", owner=""), "DELETED"))
    watch.sees((2, pod("web", ready=False, owner="")), (3, pod("web", owner="")))
    assert times(watch.spans()["Pod.Pending"]) == (2, 3)


def test_a_configmap_is_changed_by_its_data() -> None:
    watch = Watch("ConfigMap")
    config = obj("ConfigMap", "web", generation=0, data={"a": "1"})
    watch.sees((0, config), (50, {**config, "data": {"a": "2"}}))
    watch.observe(60, {**config, "data": {"a": "2"}, "metadata": config["metadata"]})
    watch.observe(90, {**config, "data": {"a": "1"}})
    names = [each.name for each in watch.log.spans(START + 99)]
    assert names == ["ConfigMap.create", "ConfigMap.update", "ConfigMap.update"]


def test_changes_of_one_moment_are_traces_of_their_own() -> None:
    """A batch of events has one time, and a ConfigMap has no generation."""
    watch = Watch("ConfigMap", emits=True)
    config = obj("ConfigMap", "web", generation=0, data={"a": "0"})
    watch.observe(0, config, "ADDED")
    for number in "121":
        watch.observe(50, {**config, "data": {"a": number}})
    watch.observe(60, {**config, "data": {"a": "2"}})
    for spans in (watch.log.spans(START + 99), watch.log.flush(START + 99)):
        assert [round(each.start - START) for each in spans] == [0, 50, 50, 50, 60]
        assert len({each.trace_id for each in spans}) == 5
    again = Watch("ConfigMap")
    for record in watch.records:
        again.log.observe(record)
    assert again.log.spans(START + 99) == watch.log.spans(START + 99)


def test_a_custom_resource_that_was_ready_tells_since_when() -> None:
    watch = Watch("Widget")
    ready = {
        "type": "Ready",
        "status": "True",
        "lastTransitionTime": rfc3339(START + 7),
    }
    widget = obj("Widget", "web", status={"conditions": [ready]})
    watch.observe(100, widget, "LISTED")
    assert times(watch.spans()["Widget.UntilReady"]) == (0, 7)
    assert times(watch.spans()["Widget.create"]) == (0, 7)
    assert watch.log.finished() == []
    assert watch.log.finished(START + 200) == watch.log.spans(START + 200)


def test_switches_have_names() -> None:
    watch = Watch()
    watch.observe(0, deployment())
    watch.observe(50, obj("Deployment", "web", generation=2, spec={"paused": True}))
    watch.observe(60, obj("Deployment", "web", generation=3, spec={"paused": False}))
    names = [each.name for each in watch.log.spans(START + 99) if not each.parent_id]
    assert names == ["Deployment.create", "Deployment.update", "Deployment.resume"]


@pytest.mark.parametrize("ahead", [-86_400.0, 0.0, 5000.0])
def test_an_episode_begun_earlier_has_its_full_length(ahead: float) -> None:
    watch = Watch("Pod")
    created = rfc3339(START - 10 + ahead)
    listed = pod("web", ready=False, owner="", metadata={"creationTimestamp": created})
    watch.observe(0, listed, "LISTED")
    for second in (2, 4):
        changed = {"creationTimestamp": rfc3339(START + second + ahead)}
        watch.observe(second, pod(f"other-{second}", owner="", metadata=changed))
    watch.observe(5, pod("web", owner="", metadata={"creationTimestamp": created}))
    assert times(watch.spans()["Pod.Pending"]) == (-10, 5)


@pytest.mark.parametrize(
    ("value", "valid"),
    [
        ("00-" + "a" * 32 + "-" + "b" * 16 + "-01", True),
        ("00-" + "0" * 32 + "-" + "b" * 16 + "-01", False),
        ("00-" + "a" * 32 + "-" + "0" * 16 + "-01", False),
        ("ff-" + "a" * 32 + "-" + "b" * 16 + "-01", False),
        ("00-" + "A" * 32 + "-" + "b" * 16 + "-01", False),
        ("00-" + "a" * 32 + "-" + "b" * 16 + "-01-more", False),
        ("00-" + "a" * 32 + "-" + "b" * 16 + "-01\n", False),
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
    watch = Watch(kind)
    watch.observe(0, obj(kind, "web", **parts))
    watch.observe(1, {**obj(kind, "web"), "spec": junk, "status": junk})
    watch.observe(2, obj(kind, "web", **parts), "DELETED")
    for span in watch.log.flush(START + 3):
        assert span.end is None or span.start <= span.end


@pytest.mark.parametrize("about", ["uid-web", "uid-of-nobody"])
@pytest.mark.parametrize("said", [(0, 2e11), (2e11, 2e11), (START + 2e7, START + 2e7)])
def test_forged_events_move_no_time(about: str, said: tuple[float, float]) -> None:
    def shown(*, lie: bool) -> dict[str, tuple[float, float | None]]:
        watch = Watch()
        watch.observe(0, obj("Deployment", "web"), "LISTED")
        watch.observe(5, obj("ReplicaSet", "web-1", "uid-web"), "ADDED")
        if lie:
            first, last = (rfc3339(each) for each in said)
            event = {
                **obj("Event", "e"),
                "involvedObject": {"kind": "Deployment", "uid": about},
                "reason": "Lie",
                "firstTimestamp": first,
                "lastTimestamp": last,
            }
            watch.observe(10, event, "ADDED")
        spans = watch.log.spans(START + 60)
        assert all(0 <= each.start <= (each.end or START + 60) for each in spans)
        return {each.name: times(each) for each in spans if ".Lie" not in each.name}

    before, after = shown(lie=False), shown(lie=True)
    assert after["Deployment.Waiting"] == before["Deployment.Waiting"] == (0.0, None)


def test_a_chain_of_owners_may_be_long() -> None:
    watch = Watch()
    watch.observe(0, deployment())
    for number in range(1500):
        owner = f"c{number - 1}" if number else "web"
        watch.observe(1 + number / 1e4, obj("ConfigMap", f"c{number}", owner))
    spans = watch.log.spans(START + 9)
    parents = {each.span_id: each.parent_id for each in spans}
    at = next(
        each.span_id
        for each in spans
        if dict(each.attributes).get("k8s.object.name") == "c1499"
    )
    steps = 0
    while at := parents[at]:
        steps += 1
    assert (steps, len(spans)) == (1500, 1501)


def test_the_first_root_of_a_cycle_is_the_trace() -> None:
    watch = Watch("ReplicaSet")
    one, other = obj("ReplicaSet", "web", "uid-b"), obj("ReplicaSet", "web")
    one["metadata"] |= {"uid": "uid-a", "namespace": "a"}
    one["metadata"]["ownerReferences"] = [{"uid": "uid-b"}]
    other["metadata"] |= {"uid": "uid-b", "namespace": "b"}
    other["metadata"]["ownerReferences"] = [{"uid": "uid-a"}]
    watch.sees((0, other), (0, one))
    spans = watch.log.spans(START + 9)
    assert [each.name for each in spans if not each.parent_id] == ["ReplicaSet.create"]
    assert "ReplicaSet" in {each.name for each in spans}
    assert dict(spans[0].attributes)["k8s.replicaset.uid"] == "uid-a"


def test_each_try_to_pull_an_image_is_a_span_with_its_error() -> None:
    watch = Watch("Pod")
    watch.observe(0, pod("web", ready=False, owner=""))
    field = "spec.containers{app}"
    about = {"kind": "Pod", "uid": "uid-web", "name": "web", "fieldPath": field}

    def reported(at: float, uid: str, count: int, reason: str, message: str) -> None:
        kind = "Warning" if reason == "Failed" else "Normal"
        said = event("web", at, count, reason=reason, message=message)
        said |= {"involvedObject": about, "firstTimestamp": None, "type": kind}
        said["metadata"] = {**said["metadata"], "uid": uid, "name": uid}
        watch.observe(at, said)

    for count, at in enumerate((1.0, 21.0), 1):
        reported(at, "e1", count, "Pulling", "Pulling image")
        reported(at + 2, "e2", count, "Failed", "Error: ErrImagePull")
        reported(at + 2, "e3", count, "Failed", "Failed to pull image: no such")
        reported(at + 3, "e4", count, "Failed", "Error: ImagePullBackOff")
    reported(41, "e1", 3, "Pulling", "Pulling image")
    reported(45, "e5", 1, "Pulled", "Successfully pulled")
    pulls = [
        (times(each), each.error)
        for each in watch.log.spans(START + 99)
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
def test_events_may_identify_objects_by_name(reference: dict[str, str]) -> None:
    watch = Watch("Pod", keep=10)
    watch.observe(0, pod("web", owner="", metadata=MIRROR))
    watch.observe(1, event("web", 1, involvedObject=reference))
    assert times(watch.spans()["Pod.Scheduled"]) == (0, 1)
    watch.sees((2, event("web", 2, 2, involvedObject=reference)), (200, pod("other")))
    assert times(watch.spans()["Pod.Scheduled"]) == (0, 2)


def test_an_event_by_name_is_of_the_object_that_was_there_then() -> None:
    watch = Watch("Pod")
    before = rfc3339(START - 3600)
    old = event("web", 0, involvedObject=NAMED, reason="Older")
    old |= {"metadata": {"name": "e0", "namespace": "shop", "uid": "e0"}}
    old |= {"firstTimestamp": before, "lastTimestamp": before}
    watch.observe(0, old, "LISTED")
    one = pod("web", owner="")
    watch.sees((1, one), (2, event("web", 2, involvedObject=NAMED)))
    watch.observe(3, one, "DELETED")
    two = pod("web", owner="", metadata={"uid": "uid-two"})
    watch.observe(5, two)
    late = event("web", 9, involvedObject=NAMED, reason="Later")
    late |= {"metadata": {"name": "e1", "namespace": "shop", "uid": "e1"}}
    watch.observe(9, late)
    about = [
        (each.name, dict(each.attributes)["k8s.pod.uid"])
        for each in watch.log.spans(START + 1000)
        if each.kind is SpanKind.EVENT
    ]
    assert about == [("Pod.Scheduled", "uid-web"), ("Pod.Later", "uid-two")]

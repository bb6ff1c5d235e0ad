"""What Events tell of how a ReplicaSet, or what an autoscaler scales, was scaled."""

from __future__ import annotations

from kubectl_spy.core.past.events import by_autoscalers, by_deployment
from tests.builders import Object
from tests.core.past.leaving import at, left, told, unmasked

SCALED = "Scaled up replica set web from 2 to 5"


def event(message: str, reason: str, first: float, last: float, count: int) -> Object:
    return {
        "involvedObject": {"uid": "above"},
        "reason": reason,
        "message": message,
        "count": count,
        "firstTimestamp": at(first),
        "lastTimestamp": at(last),
    }


def scaled(message: str, first: float, last: float, count: int = 1) -> list[str]:
    subject = left("ReplicaSet")
    subject.document["metadata"]["ownerReferences"] = [{"uid": "above"}]
    events = [event(message, "ScalingReplicaSet", first, last, count)]
    return told(by_deployment(subject, events, unmasked))


def test_an_event_tells_both_numbers_and_the_time() -> None:
    assert scaled(SCALED, 9, 9) == ["9 replicas 2 → 5 by kube-controller-manager"]


def test_it_is_made_with_the_number_that_it_is_then_scaled_up_to() -> None:
    made = "Scaled up replica set web from 0 to 5"
    assert not scaled(made, 1, 1)
    assert [each.split()[0] for each in scaled(made, 1, 30, 2)] == ["30"]


def test_one_that_came_again_tells_of_the_first_and_the_last_time() -> None:
    assert [each.split()[0] for each in scaled(SCALED, 9, 30, 3)] == ["9", "30"]


def test_one_that_stands_for_several_tells_of_the_last_only() -> None:
    message = f"(combined from similar events): {SCALED}"
    assert [each.split()[0] for each in scaled(message, 9, 30, 7)] == ["30"]


def test_what_is_about_another_replica_set_tells_nothing() -> None:
    assert not scaled(SCALED.replace("web", "web-2"), 9, 9)
    assert not scaled("Scaled up replica set web to 5", 9, 9)
    assert not scaled("", 9, 9)


def test_an_autoscaler_tells_the_new_number_only() -> None:
    reference = {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "web"}
    scaler = {"metadata": {"uid": "above"}, "spec": {"scaleTargetRef": reference}}
    message = "New size: 4; reason: cpu resource utilization above target"
    events = [event(message, "SuccessfulRescale", 9, 9, 1)]
    assert told(by_autoscalers(left("StatefulSet"), [scaler], events, unmasked)) == [
        "9 replicas 4 by kube-controller-manager"
    ]
    assert not told(by_autoscalers(left("Deployment"), [scaler], events, unmasked))

"""What ReplicaSets tell of the past of their Deployment, and what they cannot."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.objects import Resource
from kubectl_spy.core.past.revisions import of_replica_sets
from kubectl_spy.core.past.subject import Subject
from tests.builders import Object
from tests.core.past.leaving import at, left, managed, owned, told, unmasked

REVISION = "deployment.kubernetes.io/revision"
HISTORY = "deployment.kubernetes.io/revision-history"
DESIRED = "deployment.kubernetes.io/desired-replicas"
LABELS: Object = {"f:metadata": {"f:labels": {}}}
OWNS: Object = {"f:spec": {"f:template": {"f:spec": {}}}}


def deployment(revision: int, replicas: int = 2, **more: Any) -> Subject:
    annotations = {REVISION: str(revision), "kubernetes.io/change-cause": "a lie"}
    spec = {"replicas": replicas, "template": {"spec": {"containers": []}}}
    return left("Deployment", annotations=annotations, spec=spec, **more)


def replica_set(
    image: str, second: float, revision: int, *, history: str = "", desired: int = 2
) -> Object:
    annotations = {REVISION: str(revision), DESIRED: str(desired)}
    annotations |= {HISTORY: history} if history else {}
    template = {
        "metadata": {"labels": {"app": "web", "pod-template-hash": image}},
        "spec": {"containers": [{"name": "app", "image": image}]},
    }
    # Its last write is one of its status, long after it was made.
    entries = [managed("kube-controller-manager", 3000, {}, subresource="status")]
    metadata = {"annotations": annotations, "managedFields": entries}
    return owned(f"web-{image}", second, metadata=metadata, spec={"template": template})


def scaling(message: str, first: float, last: float, count: int = 1) -> Object:
    return {
        "involvedObject": {"uid": "web"},
        "reason": "ScalingReplicaSet",
        "message": message,
        "count": count,
        "firstTimestamp": at(first),
        "lastTimestamp": at(last),
    }


def found(
    subject: Subject, *sets: Object, events: tuple[Object, ...] = ()
) -> list[str]:
    return told(of_replica_sets(subject, sets, events, unmasked))


def test_each_revision_is_what_it_changed_at_its_creation() -> None:
    sets = replica_set("a", 0, 1), replica_set("b", 10, 2), replica_set("c", 20, 3)
    assert found(deployment(3), *sets) == ["10 image a → b", "20 image b → c"]


def test_who_wrote_the_template_in_that_second_made_it() -> None:
    entries = managed("kubectl-set", 10, OWNS), managed("kubectl-label", 10, LABELS)
    sets = replica_set("a", 0, 1), replica_set("b", 10, 2)
    assert found(deployment(2, entries=entries), *sets) == [
        "10 image a → b by kubectl-set"
    ]


def test_the_template_of_a_paused_deployment_is_older_than_its_rollout() -> None:
    entries = managed("kubectl-set", 40, OWNS), managed("kubectl-label", 90, LABELS)
    sets = replica_set("a", 10, 1), replica_set("b", 90, 2)
    assert found(deployment(2, entries=entries), *sets) == ["10-90 image a → b"]
    later = deployment(2, entries=[managed("kubectl-edit", 95, OWNS)])
    assert found(later, *sets) == ["90 image a → b"]
    unsure = deployment(2, entries=entries, settled=False)
    assert found(unsure, *sets) == ["90 image a → b"]


def test_behind_a_pruned_revision_only_that_the_template_was_written_is_told() -> None:
    sets = replica_set("a", 0, 1), replica_set("c", 20, 3)
    assert found(deployment(3), *sets) == ["20 owns spec.template"]
    assert found(deployment(3), replica_set("c", 20, 3)) == ["20 owns spec.template"]


def test_a_revision_that_is_used_again_was_written_at_an_unknown_time() -> None:
    """Its creation and its managedFields do not tell: others lie between."""
    sets = replica_set("a", 0, 3, history="1"), replica_set("b", 10, 2)
    assert found(deployment(3), *sets) == ["10 image a → b", "10-horizon image b → a"]


def test_the_owner_of_the_template_bounds_when_it_was_used_again() -> None:
    sets = replica_set("a", 0, 3, history="1"), replica_set("b", 10, 2)
    undone = deployment(3, entries=[managed("kubectl", 30, OWNS)])
    assert found(undone, *sets) == ["10 image a → b", "10-30 image b → a"]


def test_nobody_owns_what_an_undo_removed() -> None:
    """Whoever set the image before wrote it then, and not at the undo."""
    first, second = replica_set("a", 0, 3, history="1"), replica_set("a", 10, 2)
    second["metadata"]["name"] = "web-b"
    (container,) = second["spec"]["template"]["spec"]["containers"]
    container["env"] = [{"name": "A", "value": "1"}]
    subject = deployment(3, entries=[managed("kubectl-set", 10, OWNS)])
    assert found(subject, first, second) == [
        "10 env A added: 1 by kubectl-set",
        "10-horizon env A removed",
    ]


def test_an_event_tells_when_it_was_used_again() -> None:
    sets = replica_set("a", 0, 3, history="1"), replica_set("b", 10, 2)
    again = scaling("Scaled up replica set web-a from 0 to 1", 0, 30, 2)
    assert found(deployment(3), *sets, events=(again,)) == [
        "10 image a → b",
        "30 image b → a",
    ]


def test_the_event_of_its_creation_is_none_of_its_second_use() -> None:
    sets = replica_set("a", 0, 3, history="1"), replica_set("b", 10, 2)
    first = scaling("Scaled up replica set web-a from 0 to 1", 0, 0)
    assert found(deployment(3), *sets, events=(first,))[1] == "10-horizon image b → a"


def test_what_the_server_remembers_is_not_told_again() -> None:
    sets = replica_set("a", 0, 1), replica_set("b", 10, 2), replica_set("c", 20, 3)
    assert found(deployment(2), *sets) == ["10 image a → b"]


def test_a_version_behind_the_first_remembered_write_tells_less() -> None:
    """The write may be the very one that used the revision again."""
    sets = replica_set("a", 0, 3, history="1"), replica_set("b", 10, 2)
    assert found(deployment(3, settled=False), *sets) == ["10 image a → b"]


def test_the_number_of_replicas_is_known_from_rollout_to_rollout() -> None:
    sets = replica_set("a", 0, 1, desired=2), replica_set("b", 10, 2, desired=5)
    assert found(deployment(2, replicas=5), *sets) == [
        "10 image a → b",
        "10-horizon replicas 2 → 5",
    ]
    scaled = scaling("Scaled up replica set web-b from 2 to 5", 40, 40)
    assert found(deployment(2, replicas=5), *sets, events=(scaled,))[1] == (
        "40 replicas 2 → 5"
    )
    twice = scaling("Scaled up replica set web-b from 2 to 5", 40, 50, 2)
    assert found(deployment(2, replicas=5), *sets, events=(twice,))[1] == (
        "10-horizon replicas 2 → 5"
    )


def test_what_its_controller_has_seen_is_older_than_that() -> None:
    """Else a scale of long ago would be told in every window."""
    of_status = {"subresource": "status"}
    status = managed("kube-controller-manager", 60, {"f:status": {}}, **of_status)
    seen = deployment(2, replicas=5, entries=[status], status={"observedGeneration": 7})
    seen.document["metadata"]["generation"] = 7
    sets = replica_set("a", 0, 1), replica_set("b", 10, 2)
    assert found(seen, *sets)[1] == "10-60 replicas 2 → 5"
    seen.document["metadata"]["generation"] = 8
    assert found(seen, *sets)[1] == "10-horizon replicas 2 → 5"


def test_the_number_of_replicas_is_masked_as_a_rule_says() -> None:
    def masked(document: Object, resource: Resource) -> Object:
        return {**document, "spec": {"replicas": "***"}}

    sets = replica_set("a", 0, 1), replica_set("b", 10, 2)
    *_, write = of_replica_sets(deployment(2, replicas=5), sets, (), masked)
    assert [(each.old, each.value) for each in write.patch] == [("***", "***")]


def test_who_owns_the_number_scaled_it() -> None:
    scale = managed(
        "kubectl", None, {"f:spec": {"f:replicas": {}}}, subresource="scale"
    )
    sets = replica_set("a", 0, 1), replica_set("b", 10, 2)
    assert found(deployment(2, replicas=5, entries=[scale]), *sets)[1] == (
        "10-horizon replicas 2 → 5 by kubectl"
    )


def test_templates_are_masked_before_they_are_compared() -> None:
    def masked(document: Object, resource: Resource) -> Object:
        assert resource.gvk.kind == "Deployment"
        return {**document, "spec": "***"}

    sets = replica_set("a", 0, 1), replica_set("b", 10, 2)
    (write,) = of_replica_sets(deployment(2), sets, (), masked)
    assert not write.patch


@pytest.mark.parametrize("members", [{}, {"metadata": {}}, {"spec": 5, "metadata": []}])
def test_a_hostile_replica_set_tells_nothing(members: Any) -> None:
    hostile = owned("web-x", 5)
    hostile["metadata"]["annotations"] = {REVISION: "9" * 100, HISTORY: "-2,x"}
    assert found(deployment(3), members, hostile, {"metadata": "x"}) == []


IMAGE: Object = {
    "f:spec": {
        "f:template": {
            "f:spec": {"f:containers": {'k:{"name":"app"}': {"f:image": {}}}}
        }
    }
}
ENV: Object = {
    "f:spec": {
        "f:template": {
            "f:spec": {
                "f:containers": {
                    'k:{"name":"app"}': {"f:env": {'k:{"name":"A"}': {"f:value": {}}}}
                }
            }
        }
    }
}


def with_env(made: Object) -> Object:
    (app,) = made["spec"]["template"]["spec"]["containers"]
    app["env"] = [{"name": "A", "value": "1"}]
    return made


def deployed(*entries: Object, image: str) -> Subject:
    (app,) = with_env(replica_set(image, 0, 3))["spec"]["template"]["spec"][
        "containers"
    ]
    subject = deployment(3, entries=entries)
    subject.document["spec"]["template"] = {"spec": {"containers": [app]}}
    return subject


def test_of_writes_within_two_seconds_each_has_the_manager_of_its_own_fields() -> None:
    first, second = replica_set("a", 0, 1), replica_set("b", 11, 2)
    third = with_env(replica_set("b", 12, 3))
    third["metadata"]["name"] = "web-env"
    of = deployed(
        *(managed("kubectl-set", 10, IMAGE), managed("kubectl-patch", 12, ENV)),
        image="b",
    )
    assert found(of, first, second, third) == [
        "11 image a → b by kubectl-set",
        "12 env A added: 1 by kubectl-patch",
    ]


def test_what_was_written_again_within_two_seconds_names_nobody() -> None:
    """Who wrote it last owns it: of the write before, nobody tells."""
    sets = replica_set("a", 0, 1), replica_set("b", 11, 2), replica_set("c", 12, 3)
    of = deployed(managed("kubectl-patch", 12, IMAGE), image="c")
    assert found(of, *sets) == ["11 image a → b", "12 image b → c by kubectl-patch"]


def test_nobody_is_named_for_a_removal_next_to_another_write() -> None:
    first = with_env(replica_set("a", 0, 1))
    second, third = replica_set("a", 11, 2), replica_set("c", 12, 3)
    second["metadata"]["name"] = "web-less"
    of = deployed(managed("kubectl-patch", 12, IMAGE), image="c")
    assert found(of, first, second, third) == [
        "11 env A removed",
        "12 image a → c by kubectl-patch",
    ]


def test_a_replica_set_that_was_adopted_tells_nothing_of_the_new_object() -> None:
    """A Deployment was deleted and left it (--cascade=orphan)."""
    adopted, made = replica_set("a", -500, 1), replica_set("b", 3, 2)
    assert not [each for each in found(deployment(2), adopted, made) if "a →" in each]
    later = replica_set("c", 20, 3)
    assert found(deployment(3), adopted, made, later)[-1] == "20 image b → c"

"""The effects of a change are in its trace, whenever they were seen."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import groupby
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.core.changes.record import ChangeRecord, Item
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.times import rfc3339
from kubectl_spy.extras.spans.model.naming import event_id
from kubectl_spy.extras.spans.model.span import Span, SpanKind
from tests.examples import examples
from tests.extras.spans.model.watch import (
    Document,
    Watch,
    deployment,
    event,
    obj,
    pod,
    times,
)
from tests.spanning import merged, recorded_items, span_log
from tests.tracing import START

END = START + 1000
UPDATED = "nginx-bc988676b"
"""The ReplicaSet of the recorded update, which begins at 13.505."""


def joined(since: float, late: str = "", delay: float = 0.0) -> list[Item]:
    """Return what a watch from *since* observes; of kind *late* from *delay* later."""
    items, later = (recorded_items("deploy-rollout", since + it) for it in (0, delay))
    return merged(
        {
            each: (later if each.resource.gvk.kind == late else items)[each]
            for each in items
        }
    )


def traces_of(spans: list[Span], name: str) -> set[str]:
    """Return the names of the traces in which something is about the object *name*."""
    roots = {each.trace_id: each.name for each in spans if not each.parent_id}
    return {roots[each.trace_id] for each in spans if _is_about(each, name)}


def _is_about(span: Span, name: str) -> bool:
    attributes = dict(span.attributes)
    named = (attributes.get("k8s.replicaset.name"), attributes.get("k8s.pod.name"))
    return any(str(each).startswith(name) for each in named) or (
        f"Scaled up replica set {name} from 0" in str(attributes.get("message"))
    )


@pytest.mark.parametrize("since", [13.4, 13.506, 13.54, 13.6, 14, 14.4, 15.5])
@pytest.mark.parametrize("late", ["", "Deployment", "ReplicaSet", "Event", "Pod"])
def test_a_rollout_is_one_trace_in_any_order_of_lists(since: float, late: str) -> None:
    spans = span_log(joined(since, late, 0.3), "Deployment/nginx").spans(END)
    (update,) = (each for each in spans if each.name == "Deployment.update")
    before = [each for each in spans if each.start < START + 25]
    assert traces_of(before, UPDATED) == {"Deployment.update"}
    assert {each.name for each in before if not each.parent_id} == {
        "Deployment.create",
        "Deployment.update",
    }
    assert times(update)[1] == 19.462


@pytest.mark.parametrize("since", [13.506, 13.6, 14.4, 29])
@examples(5)
@given(st.integers(0, 1 << 32))
def test_the_order_within_a_batch_does_not_matter(since: float, seed: int) -> None:
    items = joined(since)
    expected = span_log(items, "Deployment/nginx").spans(END)
    shuffled = list(_shuffled(items, random.Random(seed)))
    assert span_log(shuffled, "Deployment/nginx").spans(END) == expected


def _shuffled(items: list[Item], choice: random.Random) -> Iterator[Item]:
    """Yield what came at the same time in any order, but for versions of an object."""
    for _, group in groupby(items, lambda it: it.time):
        batch = list(group)
        ranks = {id(it): choice.random() for it in batch}
        first: dict[str, float] = {}

        def rank(item: Item, ranks: Any = ranks, first: Any = first) -> float:
            if not isinstance(item, ChangeRecord) or item.of_stream:
                return 2.0
            return float(first.setdefault(item.uid, ranks[id(item)]))

        yield from sorted(batch, key=rank)


def template(image: str) -> dict[str, JSON]:
    return {"metadata": {"labels": {"app": "web"}}, "spec": {"image": image}}


def replica_set(image: str, born: float, revision: str = "1") -> Document:
    labels = {"app": "web", "pod-template-hash": image}
    metadata = {
        "creationTimestamp": rfc3339(START + int(born)),
        "labels": labels,
        "annotations": {"deployment.kubernetes.io/revision": revision},
    }
    made = {**template(image), "metadata": {"labels": labels}}
    counts = ("replicas", "readyReplicas", "availableReplicas", "fullyLabeledReplicas")
    return obj(
        "ReplicaSet",
        f"web-{image}",
        "web",
        metadata=metadata,
        spec={"replicas": 1, "template": made},
        status={"observedGeneration": 1, **dict.fromkeys(counts, 1)},
    )


def scaled(image: str, second: float) -> Document:
    about = {"kind": "Deployment", "uid": "uid-web", "name": "web"}
    found = event("web", second, involvedObject=about, reason="ScalingReplicaSet")
    found["message"] = f"Scaled up replica set web-{image} from 0 to 1"
    found["firstTimestamp"] = found["lastTimestamp"]
    name = f"web.{int((START + second) * 1e9):x}"
    return {**found, "metadata": {**found["metadata"], "name": name, "uid": image}}


def roots(watch: Watch) -> dict[str, tuple[float, float | None]]:
    return {
        each.name: times(each)
        for each in watch.log.spans(START + 99)
        if not each.parent_id
    }


def test_effects_seen_before_their_change_are_in_its_trace() -> None:
    watch = Watch()
    watch.observe(0, deployment(template=template("one")), "ADDED")
    watch.observe(0.1, replica_set("one", 0), "ADDED")
    watch.observe(0.1, scaled("one", 0.1), "ADDED")
    watch.observe(1.05, replica_set("two", 1, "2"), "ADDED")
    watch.observe(1.1, scaled("two", 1.1), "ADDED")
    watch.observe(2.0, deployment(2, template=template("two")))
    spans = watch.log.spans(END)
    assert traces_of(spans, "web-two") == {"Deployment.update"}
    assert traces_of(spans, "web-one") == {"Deployment.create"}
    assert roots(watch) == {
        "Deployment.create": (0, 0.1),
        "Deployment.update": (1.05, 2.0),
    }


def about_root(version: str) -> Document:
    """Return an Event about the root, whose reporter saw a *version* of it."""
    about = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "uid": "uid-web",
        "name": "web",
        "resourceVersion": version,
    }
    return event("web", 0, involvedObject=about, reason="Seen")


@pytest.mark.parametrize(
    ("change", "operation"),
    [
        (0, "Deployment.scale"),  # by time alone: of what was before
        (1, "Deployment.pause"),
        (2, "Deployment.pause"),  # a status after that change
        (99, "Deployment.create"),  # a version that was not seen: by time
    ],
)
def test_an_event_comes_after_the_version_it_saw(change: int, operation: str) -> None:
    """The stream of Events is ahead of that of the root."""
    watch = Watch()
    watch.observe(0, deployment(available=0), "ADDED")
    watch.observe(5.9, about_root(str(change + 3)), "ADDED")  # versions count up
    paused = [deployment(3, available, replicas=3) for available in (0, 1)]
    for each in paused:
        each["spec"]["paused"] = True
    watch.sees((6.0, deployment(2, 0, replicas=3)), (6.2, paused[0]), (6.3, paused[1]))
    spans = watch.log.spans(END)
    names = {each.trace_id: each.name for each in spans if not each.parent_id}
    found = [each for each in spans if dict(each.attributes).get("message") == "it is"]
    assert [names[each.trace_id] for each in found] == [operation]


@pytest.mark.parametrize(
    ("after", "change", "count", "operation"),
    [
        (0.1, 1, 1, "Deployment.create"),
        (40, 1, 1, "Deployment.create"),
        (4, 3, 1, "Deployment.scale"),
        (4, 4, 1, "Deployment.pause"),
        # A repeated Event names the version of its first time: it goes by time.
        (0.1, 1, 2, "Deployment.pause"),
    ],
)
def test_an_event_is_not_after_the_change_that_its_controller_reacted_to(
    after: float, change: int, count: int, operation: str
) -> None:
    """The stream of Events is behind that of the root."""
    watch = Watch()
    paused = deployment(3, 0, replicas=3)
    paused["spec"]["paused"] = True
    watch.observe(0, deployment(available=0), "ADDED")
    watch.observe(0.1, deployment(available=0, metadata={"labels": {"a": "b"}}))
    watch.sees((1, deployment(2, 0, replicas=3)), (2, paused))
    watch.observe(2 + after, about_root(str(change)) | {"count": count}, "ADDED")
    spans = watch.log.spans(END)
    names = {each.trace_id: each.name for each in spans if not each.parent_id}
    found = [each for each in spans if dict(each.attributes).get("message") == "it is"]
    assert [names[each.trace_id] for each in found] == [operation]


@examples(10)
@given(st.integers(0, 1 << 32))
def test_events_of_the_root_stay_in_their_trace(seed: int) -> None:
    """Each Event comes up to half a minute late: other changes may come before it."""
    items, late = recorded_items("deploy-rollout"), random.Random(seed)
    changes: dict[str, int] = {}
    reactions: dict[str, str] = {}
    for its in items.values():
        for place, item in enumerate(its):
            if not isinstance(item, ChangeRecord) or item.initial or not item.document:
                continue
            if item.gvk.kind == "Deployment":
                generation = item.document["metadata"]["generation"]
                changes[item.resource_version] = generation
            elif item.gvk.kind == "Event":
                about = item.document["involvedObject"]
                if about["kind"] == "Deployment":
                    reactions[event_id(item.uid)] = about["resourceVersion"]
                its[place] = item._replace(time=item.time + late.random() * 30)
    spans = span_log(merged(items), "Deployment/nginx").spans(END)
    roots = {it.trace_id: dict(it.attributes) for it in spans if not it.parent_id}
    found = [each for each in spans if each.span_id in reactions]
    assert len(found) == len(reactions) > 5
    for each in found:
        generation = roots[each.trace_id].get("k8s.object.generation", 0)
        assert generation <= changes[reactions[each.span_id]]


def test_a_create_ends_before_an_update_known_only_by_its_effects() -> None:
    watch = Watch()
    watch.observe(9, deployment(2, template=template("two")), "LISTED")
    watch.observe(9, replica_set("one", 0), "LISTED")
    watch.observe(9, replica_set("two", 1, "2"), "LISTED")
    watch.sees((9, scaled("one", 0.25), "LISTED"), (9, scaled("two", 1.5), "LISTED"))
    spans = watch.log.spans(END)
    assert traces_of(spans, "web-two") == {"Deployment.activity"}
    assert traces_of(spans, "web-one") == {"Deployment.create"}
    assert roots(watch)["Deployment.create"] == (0, 0.25)
    assert roots(watch)["Deployment.activity"][0] == 1.5


def test_a_scale_does_not_take_the_pods_of_the_template_that_was_there() -> None:
    watch = Watch()
    watch.observe(0, deployment(template=template("one")), "ADDED")
    watch.observe(0.1, replica_set("one", 0), "ADDED")
    watch.observe(1, deployment(2, replicas=2, template=template("one")))
    assert traces_of(watch.log.spans(END), "web-one") == {"Deployment.create"}


def test_a_rollback_does_not_take_what_was_there_long_before() -> None:
    watch = Watch()
    watch.observe(900, deployment(7, template=template("two")), "LISTED")
    watch.observe(900, replica_set("one", 0), "LISTED")
    watch.observe(900, replica_set("two", 500, "2"), "LISTED")
    watch.observe(900, scaled("one", 0.25), "LISTED")
    watch.observe(950, deployment(8, template=template("one")))
    assert traces_of(watch.log.spans(END), "web-one") == {"Deployment.create"}


@pytest.mark.parametrize("kind", ["StatefulSet", "DaemonSet"])
def test_pods_of_a_revision_are_in_its_trace(kind: str) -> None:
    watch = Watch(kind)

    def root(generation: int, image: str) -> Document:
        spec = {"template": template(image)}
        return obj(kind, "web", generation=generation, spec=spec, status={})

    def revised(image: str) -> Document:
        made = {"spec": {"template": {**template(image), "$patch": "replace"}}}
        labels = {"controller.kubernetes.io/hash": image}
        name = f"web-{image}"
        metadata = {"labels": labels, "creationTimestamp": rfc3339(START + 1)}
        return obj("ControllerRevision", name, "web", metadata=metadata, data=made)

    watch.sees((0, root(1, "one"), "ADDED"), (1.0, revised("two"), "ADDED"))
    labels = {"controller-revision-hash": "web-two"}
    watch.observe(1.1, pod("web-two-0", metadata={"labels": labels}), "ADDED")
    watch.observe(2.0, root(2, "two"))
    spans = watch.log.spans(END)
    assert traces_of(spans, "web-two") == {f"{kind}.update"}
    names = {each.name for each in spans if each.kind is SpanKind.OBJECT}
    assert names == {"ControllerRevision", "Pod"}

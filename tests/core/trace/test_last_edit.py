"""What was changed last in a root, also if that was before the watch."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from kubectl_spy.core.changes.history import History
from kubectl_spy.core.changes.record import ChangeRecord, Listed
from kubectl_spy.core.cluster.scope import Scope
from kubectl_spy.core.diagnosis.finding import Verdict
from kubectl_spy.core.headlines.edits import Edit
from kubectl_spy.core.objects import EventType, WatchEvent
from kubectl_spy.core.times import rfc3339
from kubectl_spy.core.trace.reason import LastEdit
from kubectl_spy.core.trace.trace import Trace
from kubectl_spy.sources.recording.recording import Recording
from tests.builders import bundled, entry, workload
from tests.core.summary import cluster as summed
from tests.recordings import items_of
from tests.recordings import record as recorded
from tests.tracing import START, all_listed, feed, selections_for


def first_picture_at(stream: str, seconds: float, kind: str) -> Edit | None:
    """Return the last change of the only *kind* if the watch begins at that moment."""
    recording = bundled(stream)
    objects = {each["metadata"]["uid"]: each for _, each in recording.initial}
    for step in recording.steps:
        if step.time <= seconds:
            objects[step.object["metadata"]["uid"]] = step.object
            if step.deleted:
                del objects[step.object["metadata"]["uid"]]
    selections = selections_for(objects.values())
    scope = Scope((), tuple(selections.values()), lambda it: it.gvk.kind == kind)
    trace, history = Trace(scope), History()
    feed(trace, all_listed(selections, objects.values()), history)
    picture = trace.picture()
    last = trace.reasons(picture)[picture.roots[0].uid].last
    return last and last.edit


@pytest.mark.parametrize(
    ("stream", "seconds", "kind", "text", "manager", "created"),
    [
        ("deploy-rollout", 3.0, "Deployment", "", "kubectl-client-side-apply", True),
        (
            "deploy-rollout",
            28.8,
            "Deployment",
            "image nginx:1.13-alpine → nginx:1.12-alpine",
            "kubectl-set",
            False,
        ),
        ("pod-bad-image", 47.12, "Pod", "", "kubectl-set", False),
    ],
)
def test_edits_before_the_watch_are_shown_if_known(
    stream: str, seconds: float, kind: str, text: str, manager: str, created: bool
) -> None:
    edit = first_picture_at(stream, seconds, kind)
    assert edit is not None
    assert (edit.text(), edit.managers, edit.created) == (text, (manager,), created)


Document = dict[str, Any]
HISTORY = "deployment.kubernetes.io/revision-history"


class Cluster:
    """A Deployment that is not available, and what was written, a minute apart."""

    def __init__(self) -> None:
        self.versions: list[tuple[float, Document]] = []
        self._times = count(START - 3600, 60)
        self._fields: list[Document] = []
        self._revision = 1
        self.deployment: Document = {}

    def write(
        self,
        manager: str,
        image: str = "",
        replicas: int = 0,
        *,
        note: str = "",
        subresource: str = "",
    ) -> None:
        """Write the Deployment, and its ReplicaSet if there is none for the image."""
        time, old = float(next(self._times)), self.deployment
        when = rfc3339(time)[:19] + "Z"
        spec = {"replicas": replicas or old["spec"]["replicas"]}
        spec["template"] = _template(image) if image else old["spec"]["template"]
        owned: Document = {"f:template" if image else "f:replicas": {}}
        fields = {"f:metadata": {}} if note else {"f:spec": owned}
        entry = {"manager": manager, "time": when, "fieldsV1": fields}
        self._fields = [each for each in self._fields if each["manager"] != manager]
        self._fields.append(entry | {"subresource": subresource})
        annotations = {"note": note} if note else {}
        created = old["metadata"]["creationTimestamp"] if old else when
        metadata = {"annotations": annotations, "managedFields": self._fields}
        metadata |= {"creationTimestamp": created}
        self.deployment = workload("Deployment", metadata=metadata, spec=spec)
        self.deployment["metadata"]["resourceVersion"] = str(time)
        self.versions.append((time, self.deployment))
        if image:
            self._use(image, time + 1)

    def _use(self, image: str, time: float) -> None:
        """Write the ReplicaSet of *image*, as the controller of Deployments does."""
        name = f"web-{image}"
        known = [each for _, each in self.versions if each["metadata"]["uid"] == name]
        before = known[-1]["metadata"]["annotations"] if known else {}
        number = "deployment.kubernetes.io/revision"
        annotations = {number: str(self._revision)}
        if number in before:
            annotations[HISTORY] = before[number]
        self._revision += 1
        metadata = known[-1]["metadata"] if known else {}
        created = metadata.get("creationTimestamp", rfc3339(time)[:19] + "Z")
        made = {"annotations": annotations, "creationTimestamp": created}
        spec = {"replicas": 1, "template": _template(image)}
        found = workload("ReplicaSet", name, owner="web", metadata=made, spec=spec)
        found["metadata"]["resourceVersion"] = str(time)
        self.versions.append((time, found))

    def last_edit(self, listed: int) -> Edit | None:
        """Return the last change if the first *listed* versions came before."""
        trace, history = _trace(document for _, document in self.versions)
        objects = {each["metadata"]["uid"]: each for _, each in self.versions[:listed]}
        selections = selections_for(document for _, document in self.versions)
        events = list(all_listed(selections, objects.values()))
        for time, each in self.versions[listed:]:
            of = selections[each["apiVersion"], each["kind"]]
            events.append(WatchEvent(EventType.MODIFIED, of, time, each))
        feed(trace, events, history)
        picture = trace.picture()
        assert picture.roots[0].verdict is not Verdict.OK
        last = trace.reasons(picture)["web"].last
        return last and last.edit


def _trace(objects: Iterable[Document]) -> tuple[Trace, History]:
    selections = tuple(selections_for(objects).values())
    scope = Scope((), selections, lambda it: it.gvk.kind == "Deployment")
    return Trace(scope), History()


def _template(image: str) -> Document:
    return {"spec": {"containers": [{"name": "app", "image": image}]}}


def told(cluster: Cluster) -> list[tuple[str, tuple[str, ...]] | None]:
    """Return what is told if the watch begins before the first or any later write."""
    found = map(cluster.last_edit, range(len(cluster.versions) + 1))
    return [edit and (edit.text() or "?", edit.managers) for edit in found]


BAD = ("image 1 → 2", ("setter",))


@pytest.mark.parametrize(
    "later",
    [
        {"manager": "kube-controller-manager", "replicas": 3, "subresource": "scale"},
        {"manager": "scaler", "replicas": 3, "subresource": "scale"},
        {"manager": "noter", "note": "harmless"},
    ],
)
def test_template_edits_are_shown_from_any_start(later: dict[str, Any]) -> None:
    cluster = Cluster()
    cluster.write("creator", "1", 2)
    cluster.write("setter", "2")
    cluster.write(**later)
    assert set(told(cluster)) == {BAD}


def test_a_client_comes_before_a_controller_if_the_template_was_not_changed() -> None:
    cluster = Cluster()
    cluster.write("creator", "1", 2)
    cluster.write("scaler", replicas=3, subresource="scale")
    cluster.write("kube-controller-manager", replicas=4, subresource="scale")
    # What was changed is known if it was seen.
    assert set(told(cluster)) == {("replicas 2 → 3", ("scaler",)), ("?", ("scaler",))}


def test_a_replica_set_that_is_used_again_does_not_date_the_change() -> None:
    cluster = Cluster()
    cluster.write("creator", "1", 2)
    cluster.write("setter", "2")
    cluster.write("undoer", "1")
    cluster.write("undoer", "2")
    time, _ = cluster.versions[-2]
    edit = cluster.last_edit(len(cluster.versions))
    assert edit == Edit(time, ("undoer",))


@pytest.mark.parametrize("root", ["Service", "HorizontalPodAutoscaler"])
def test_the_change_that_led_to_the_cause_is_shown_at_any_root(root: str) -> None:
    """A Service and an autoscaler fail by the Pods of a Deployment that was changed."""
    cluster = Cluster()
    cluster.write("kubectl-apply", "app:1", 1)
    cluster.write("kubectl-set", "app:typo")
    waiting = {"reason": "ErrImagePull", "message": "app:typo: not found"}
    container = {"name": "c", "image": "app:typo", "state": {"waiting": waiting}}
    pod = workload(
        "Pod",
        "web-2-x",
        owner="web-app:typo",
        metadata={"labels": {"app": "web"}},
        spec={"containers": [{"name": "c"}]},
        phase="Pending",
        containerStatuses=[container],
    )
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    spec = {"selector": {"app": "web"}, "scaleTargetRef": target}
    above = workload(root, "above", spec=spec)
    objects = {each["metadata"]["uid"]: each for _, each in cluster.versions}
    objects |= {"web-2-x": pod, "above": above}
    selections = selections_for(objects.values())
    scope = Scope((), tuple(selections.values()), lambda it: it.gvk.kind == root)
    trace, history = Trace(scope), History()
    feed(trace, all_listed(selections, objects.values()), history)
    last = trace.reasons(trace.picture())["above"].last
    assert last and last.of
    assert (last.of.name, last.edit.managers) == ("web", ("kubectl-set",))
    assert last.edit.text() == "image app:1 → app:typo"


WROTE = "2026-11-21T15:00:20Z"
IMAGE: Document = {"f:containers": {'k:{"name":"app"}': {".": {}, "f:image": {}}}}
OWNED: Document = {
    "kubectl-create": {
        "f:spec": {"f:containers": {'k:{"name":"app"}': {"f:name": {}}}}
    },
    "kubectl-patch": {"f:metadata": {"f:labels": {"f:run": {}}}},
    "kubectl-set": {"f:spec": IMAGE},
}


def rolled_out_twice() -> list[Document]:
    """Return a Deployment whose image and label were written in one second."""
    rows: Any = (("app:1", {}, 0), ("app:2", {}, 20), ("app:2", {"run": "x"}, 21))
    made, template = [], Document()
    for number, (image, labels, second) in enumerate(rows, 1):
        template = _template(image) | {"metadata": {"labels": labels}}
        metadata: Document = {"creationTimestamp": f"2026-11-21T15:00:{second:02}Z"}
        metadata["annotations"] = {"deployment.kubernetes.io/revision": str(number)}
        of: Document = {"replicas": int(number == 3), "template": template}
        name = f"web-{number}"
        made.append(
            workload("ReplicaSet", name, owner="web", metadata=metadata, spec=of)
        )
    managed = [
        entry(name, {"f:spec": {"f:template": fields}}, time=WROTE)
        for name, fields in OWNED.items()
    ]
    managed[0]["time"] = "2026-11-21T15:00:00Z"
    spec = {"replicas": 1, "template": template}
    metadata = {"managedFields": managed}
    return [workload("Deployment", metadata=metadata, spec=spec), *made]


def unready(state: Document) -> Document:
    """Return a Pod of the last revision."""
    container = {"name": "app", "image": "app:2", "state": state, "ready": False}
    status: Document = {"phase": "Pending", "containerStatuses": [container]}
    spec = _template("app:2")["spec"] | {"nodeName": "n1"}
    return workload("Pod", "web-3-x", owner="web-3", spec=spec, **status)


PULLED = {"waiting": {"reason": "ErrImagePull", "message": "app:2: not found"}}


@pytest.mark.parametrize(
    ("pods", "told"),
    [
        ([], ("template label run x", ("kubectl-patch",))),
        ([unready(PULLED)], ("image app:1 → app:2", ("kubectl-set",))),
    ],
)
def test_of_writes_in_one_second_the_one_that_explains_it_is_shown_by_its_owner(
    pods: list[Document], told: tuple[str, tuple[str, ...]], tmp_path: Path
) -> None:
    objects = [*rolled_out_twice(), *pods]
    selections = selections_for(objects)
    events = list(all_listed(selections, objects))
    file = tmp_path / "it.spy"
    recorded(file, events, selections=tuple(selections.values()))
    for items, managers in (
        (items_of(History(), events), told[1]),
        (Recording(str(file)), ()),  # which holds no managedFields
    ):
        trace, _ = _trace(objects)
        for item in items:
            if isinstance(item, ChangeRecord | Listed):
                trace.observe(item)
        last = trace.reasons(trace.picture())["web"].last
        assert last is not None
        assert (last.edit.text(), last.edit.managers) == (told[0], managers)


def last_of(cluster: summed.Cluster) -> LastEdit | None:
    """Return the last change of the only root, if each record is drawn."""
    selections = tuple(cluster.selections.values())
    trace = Trace(Scope((), selections, lambda it: it.gvk.kind == "Deployment"))
    history = History()
    for event in cluster.events:
        for record in history.observe(event):
            trace.observe(record)
            picture = trace.picture()
    return trace.reasons(picture)["web"].last


def test_a_write_of_what_the_root_needs_is_shown_if_the_failure_came_of_it() -> None:
    cluster = summed.well(**summed.ENV)
    cluster.write(summed.deployment("app:1", 2, **summed.ENV), by="scaler")
    cluster.delete("settings")
    cluster.write(summed.pod("app:1", *summed.ABSENT, **summed.ENV), by="kubelet")
    last = last_of(cluster)
    assert last is not None and last.of is not None
    assert (last.of.gvk.kind, last.edit.what) == ("ConfigMap", ("deleted",))


def test_a_write_after_the_failure_began_did_not_cause_it() -> None:
    cluster = summed.well(**summed.ENV)
    crash = summed.pod("app:1", "CrashLoopBackOff", "back-off 10s", **summed.ENV)
    for value in ("2", "3"):
        cluster.write(summed.config(a=value))
        cluster.write(crash, by="kubelet")
    last = last_of(cluster)
    assert last is not None and last.edit.what == ("a 1 → 2",)

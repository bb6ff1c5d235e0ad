"""What an object's spec asks for, and which operation changed it."""

from __future__ import annotations

from typing import NamedTuple

from kubectl_spy.core.cluster.clocks import Instant
from kubectl_spy.core.diagnosis.finding import Fact
from kubectl_spy.core.fields import mapping, number, text
from kubectl_spy.core.objects import JSON, GroupVersionKind
from kubectl_spy.core.times import rfc3339

_NOT_WANTED = frozenset({"apiVersion", "kind", "metadata", "status"})
_DEPLOYMENT = "deployment.kubernetes.io/"
_RESTARTED = "kubectl.kubernetes.io/restartedAt"  # set by `kubectl rollout restart`
_HASHES = (
    "pod-template-hash",
    "controller-revision-hash",
    "controller.kubernetes.io/hash",
)
"""Labels with the hash of a template. On a StatefulSet's Pods the value is the name of
the ControllerRevision, which ends with the hash.
"""
_SWITCHES = {
    ("paused", True): "pause",
    ("paused", False): "resume",
    ("suspend", True): "suspend",
    ("suspend", False): "resume",
}


class SpecChange(NamedTuple):
    """A change of the desired state of an object."""

    operation: str
    key: str  # its generation, or a text that is unique among the changes of the object
    start: Instant
    end: Instant | None  # when the object had settled or failed for good, or None
    managers: tuple[str, ...]
    template: JSON = None  # the Pod template that it asks for, if any
    listed: bool = False  # whether it was made before the object was first seen
    error: Fact | str = ""
    what: str = ""
    """What differs from the version before, in the words of a change record."""


class Revision(NamedTuple):
    """The Pod template that an object has, or was made from."""

    template: JSON  # None: it has none
    hash: str  # the hash of the template that it was made from, or ""
    later: bool = False  # whether it is certainly not the first revision


NO_REVISION = Revision(None, "")
REVISED = "1@revised"
"""The key of all unseen changes between the creation of an object and its first list.

Their times are inferred from their effects.
"""


def desired(document: JSON, time: float) -> tuple[JSON, str]:
    """Return a value that differs if the desired state does, and a key for it.

    Both are the generation, which the API server increments with each change of the
    spec. Kinds without one (ConfigMaps, Services) are compared by their spec, or by all
    but metadata and status. As these may return to an old value, their key is *time*.
    """
    generation = number(document, "metadata", "generation")
    if generation:
        return generation, str(generation)
    key = rfc3339(max(time, 0.0))
    parts = mapping(document)
    if "spec" in parts:
        return {"spec": parts["spec"]}, key
    return {name: each for name, each in parts.items() if name not in _NOT_WANTED}, key


def revision(gvk: GroupVersionKind, document: JSON) -> Revision:
    """Return the template that an object has, and the hash of that it was made from.

    A ReplicaSet or ControllerRevision has the template of the Deployment, StatefulSet
    or DaemonSet that it was made for. A rollback reuses an old ReplicaSet, which then
    has a revision history.
    https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/controller/deployment/util/deployment_util.go
    """
    labels = mapping(document, "metadata", "labels")
    hashes = (text(labels, each).rpartition("-")[2] for each in _HASHES)
    hashed = next(filter(None, hashes), "")
    if gvk.group != "apps":
        return Revision(None, hashed)
    parts = mapping(document, "data") if gvk.kind == "ControllerRevision" else document
    template = _without("$patch", mapping(parts, "spec", "template"))
    if gvk.kind != "ReplicaSet":
        return Revision(template or None, hashed)
    metadata = mapping(template, "metadata")
    own_labels = _without("pod-template-hash", mapping(metadata, "labels"))
    template["metadata"] = {**metadata, "labels": own_labels}
    annotations = mapping(document, "metadata", "annotations")
    sequence = text(annotations, _DEPLOYMENT + "revision")
    history = text(annotations, _DEPLOYMENT + "revision-history")
    return Revision(template, hashed, sequence not in ("", "1") and not history)


def _without(name: str, found: dict[str, JSON]) -> dict[str, JSON]:
    return {key: each for key, each in found.items() if key != name}


def operation(before: JSON, after: JSON) -> str:
    """Return what changed a spec, named like kubectl's commands: `scale`."""
    old, new = mapping(before, "spec"), mapping(after, "spec")
    names = {each for each in old.keys() | new.keys() if old.get(each) != new.get(each)}
    if len(names) != 1:
        return "update"
    name = names.pop()
    if name == "replicas":
        return "scale"
    restarted = ("template", "metadata", "annotations", _RESTARTED)
    if name == "template" and text(old, *restarted) != text(new, *restarted):
        return "restart"
    return _SWITCHES.get((name, bool(new.get(name))), "update")

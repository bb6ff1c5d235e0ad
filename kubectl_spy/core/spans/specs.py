"""What an object is to be, and what was done to it when that changed."""

from __future__ import annotations

from typing import NamedTuple

from kubectl_spy.core.fields import mapping, number, text
from kubectl_spy.core.objects import JSON, GroupVersionKind
from kubectl_spy.core.spans.clocks import Instant
from kubectl_spy.core.times import rfc3339

_APART = frozenset({"apiVersion", "kind", "metadata", "status"})
_DEPLOYMENT = "deployment.kubernetes.io/"
_NUMBERS = ("revision", "revision-history")
_RESTARTED = "kubectl.kubernetes.io/restartedAt"
"""What `kubectl rollout restart` writes into the template of Pods."""
_HASHES = (
    "pod-template-hash",
    "controller-revision-hash",
    "controller.kubernetes.io/hash",
)
"""Labels that hold the hash of a template. Of a StatefulSet's Pods it is the name of
the ControllerRevision, which ends with it.
"""
_SWITCHES = {
    ("paused", True): "pause",
    ("paused", False): "resume",
    ("suspend", True): "suspend",
    ("suspend", False): "resume",
}


class SpecChange(NamedTuple):
    """A change of what an object is to be, from when on it was asked for."""

    operation: str
    key: str
    """The generation that came of it, or what else tells it from others."""
    start: Instant
    end: Instant | None
    """When the object was as it should be, or beyond hope; None: not yet."""
    managers: tuple[str, ...]
    template: JSON = None
    """The template of Pods that it asks for, if it asks for Pods."""
    listed: bool = False
    """Whether it was there already when the object was seen first."""
    error: str = ""


class Revision(NamedTuple):
    """What an object says of a template of Pods."""

    template: JSON
    """None: it has none."""
    hash: str
    """That of the template that it was made of, or ""."""
    later: bool = False
    """Whether that is sure not to be the first one."""


NO_REVISION = Revision(None, "")
REVISED = "1@revised"
"""The key of changes between the first one and a list, which nobody saw.

Their times are inferred from their effects.
"""


def wanted(document: JSON, time: float) -> tuple[JSON, str]:
    """Return what to compare with what was wanted before, and what to call it.

    That is the generation, which the API server counts up with each change of the spec.
    Kinds without one (ConfigMaps, Services) are told by their spec, or by all but
    metadata and status; as the same may be wanted twice, they are called by *time*.

    >>> wanted({"metadata": {"generation": 3}}, 0.0)
    (3, '3')
    """
    generation = number(document, "metadata", "generation")
    if generation:
        return generation, str(generation)
    rest = {
        name: value for name, value in mapping(document).items() if name not in _APART
    }
    if "spec" in rest:
        rest = {"spec": rest["spec"]}
    return rest, rfc3339(max(time, 0.0))


def revision(gvk: GroupVersionKind, document: JSON) -> Revision:
    """Return what an object says of the template that it has, or was made of.

    A ReplicaSet and a ControllerRevision have that of the Deployment, StatefulSet or
    DaemonSet that they were made for. A rollback takes up an old ReplicaSet again,
    which then has a history.
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
    pods = mapping(template, "metadata")
    notes = mapping(document, "metadata", "annotations")
    last, history = (text(notes, _DEPLOYMENT + each) for each in _NUMBERS)
    own = _without(_HASHES[0], mapping(pods, "labels"))
    template["metadata"] = {**pods, "labels": own}
    return Revision(template, hashed, last not in ("", "1") and not history)


def _without(name: str, found: dict[str, JSON]) -> dict[str, JSON]:
    return {key: each for key, each in found.items() if key != name}


def operation(before: JSON, after: JSON) -> str:
    """Return in a word what was done, as `kubectl` calls it.

    >>> operation({"spec": {"replicas": 1}}, {"spec": {"replicas": 3}})
    'scale'
    """
    old, new = mapping(before, "spec"), mapping(after, "spec")
    names = {each for each in old.keys() | new.keys() if old.get(each) != new.get(each)}
    if len(names) != 1:
        return "update"
    name = names.pop()
    if name == "replicas":
        return "scale"
    if (name, bool(new.get(name))) in _SWITCHES:
        return _SWITCHES[name, bool(new.get(name))]
    where = ("template", "metadata", "annotations", _RESTARTED)
    if name == "template" and text(old, *where) != text(new, *where):
        return "restart"
    return "update"

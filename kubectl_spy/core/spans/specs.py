"""What an object is to be, and what was done to it when that changed."""

from __future__ import annotations

from kubectl_spy.core.fields import mapping, number, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.record import rfc3339

_APART = frozenset({"apiVersion", "kind", "metadata", "status"})
_RESTARTED = "kubectl.kubernetes.io/restartedAt"
"""What `kubectl rollout restart` writes into the template of Pods."""
_SWITCHES = {
    ("paused", True): "pause",
    ("paused", False): "resume",
    ("suspend", True): "suspend",
    ("suspend", False): "resume",
}


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

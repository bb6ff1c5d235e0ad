"""Finds the operations of a patch that tell nothing new, such as times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from kubectl_spy.core.fields import text
from kubectl_spy.core.headlines.facts import COUNTS, FOLLOWING_COUNTS
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.patch import pointer
from kubectl_spy.core.patch.operation import PatchOperation

_TIMES = frozenset(
    {
        *("lastTransitionTime", "lastUpdateTime", "lastProbeTime"),
        *("lastHeartbeatTime", "renewTime", "acquireTime"),
    }
)
_MEMBERS = {
    **dict.fromkeys(_TIMES, "times"),
    "observedGeneration": "generations",
    "containerID": "ids",
    "imageID": "ids",
}
ANNOTATIONS = frozenset(
    {
        "kubectl.kubernetes.io/last-applied-configuration",
        "deployment.kubernetes.io/revision",
        "meta.helm.sh/release-name",
        "meta.helm.sh/release-namespace",
        "argocd.argoproj.io/tracking-id",
        "argocd.argoproj.io/refresh",
        "reconcile.fluxcd.io/requestedAt",
        "kustomize.toolkit.fluxcd.io/checksum",
    }
)
"""Annotations that clients and GitOps tools write at each apply."""


def signal(
    patch: Iterable[PatchOperation],
) -> tuple[list[PatchOperation], Counter[str]]:
    """Return the operations to show, and how many others there are.

    The others are counted by kind: times, messages, ids …
    """
    steps = list(patch)
    reasons = {_around(step.path) for step in steps if step.path.endswith("/reason")}
    turned_off = {
        _around(step.path)
        for step in steps
        if step.path.endswith("/status") and step.value != "True"
    }
    turned = {step.label: _status(step) for step in steps if _status(step)}
    ready = turned.get("type=Ready")
    follows = ready is not None and turned.get("type=ContainersReady") == ready
    counted = any(_count(step) in COUNTS for step in steps)
    kept: list[PatchOperation] = []
    folded: Counter[str] = Counter()
    for step in steps:
        about = _noise(step)
        if not about and step.path.endswith("/message"):
            around = _around(step.path)
            if "/conditions/" in around and around in reasons - turned_off:
                about = "messages"
        if not about and follows and step.label == "type=ContainersReady":
            about = "ContainersReady"
        if counted and _count(step) in COUNTS.keys() | FOLLOWING_COUNTS:
            about = "counts"
        if about:
            folded[about] += 1
            continue
        value = _without_noise(step.value, folded)
        kept.append(step if value is step.value else step._replace(value=value))
    return kept, folded


def _noise(step: PatchOperation) -> str:
    """Return the kind of *step* if its path alone makes it noise, or ""."""
    if step.op == "move":
        return "moves"
    tokens = pointer.parse(step.path)
    if not tokens:
        return ""
    if tokens[:2] == ("metadata", "annotations") and len(tokens) == 3:
        return "annotations" if tokens[2] in ANNOTATIONS else ""
    if tokens == ("metadata", "generation"):
        return "generations"
    return _MEMBERS.get(tokens[-1], "") if tokens[0] == "status" else ""


def _without_noise(value: JSON, folded: Counter[str]) -> JSON:
    """Return an added *value* without its times and ids. Count them in *folded*."""
    if isinstance(value, list):
        parts = [_without_noise(each, folded) for each in value]
        same = all(one is other for one, other in zip(parts, value, strict=True))
        return value if same else parts
    noisy = value.keys() & _MEMBERS.keys() if isinstance(value, dict) else ()
    if not isinstance(value, dict) or not noisy:
        return value
    folded.update(_MEMBERS[name] for name in noisy)
    return {name: each for name, each in value.items() if name not in _MEMBERS}


def _status(step: PatchOperation) -> str:
    """Return the new status of a condition in *step*, or ""."""
    if step.path.endswith("/status"):
        return step.value if isinstance(step.value, str) else ""
    return text(step.value, "status") if step.op == "add" else ""


def _count(step: PatchOperation) -> str:
    """Return the member of the status that *step* is about, or ""."""
    above, _, member = step.path.rpartition("/")
    return member if above == "/status" else ""


def _around(path: str) -> str:
    """Return the pointer to the object that holds the member at *path*."""
    return path.rpartition("/")[0]

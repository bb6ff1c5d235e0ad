"""Finds the operations of a patch that tell nothing new, such as times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence, Set

from kubectl_spy.core.fields import text
from kubectl_spy.core.headlines.facts import COUNTS, is_bad, told
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.patch import pointer
from kubectl_spy.core.patch.operation import PatchOperation
from kubectl_spy.core.readiness.conditions import status_conditions

_TIMES = ("lastTransitionTime", "lastUpdateTime", "lastProbeTime", "lastHeartbeatTime")
RENEWALS = {("spec", "renewTime"), ("spec", "acquireTime")}
"""What the holder of a Lease writes again and again."""
_AS_MANY = {
    "availableReplicas": "readyReplicas",
    "numberAvailable": "numberReady",
    "fullyLabeledReplicas": "replicas",
}
"""Counts that are mostly equal to another one."""
_OTHERS = {
    "unavailableReplicas": "availableReplicas",
    "numberUnavailable": "numberAvailable",
}
"""Counts of the Pods that another one does not count."""
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
    patch: Iterable[PatchOperation], document: JSON, headline: str
) -> tuple[list[PatchOperation], Counter[str], Counter[str]]:
    """Return the operations to show, the number of others, and of left out members.

    Both are counted by kind: times, messages, ids … The members are those of shown
    values. *document* is the new version. Only what *headline* says in other words
    counts as told.
    """
    steps = list(patch)
    reasons = {_around(step.path) for step in steps if step.path.endswith("/reason")}
    conditions = status_conditions(document) if reasons else []
    statuses = {f"type={each.type}": each.status for each in conditions}
    turned = {step.label: _status(step) for step in steps if _status(step)}
    ready = turned.get("type=Ready")
    follows = ready is not None and turned.get("type=ContainersReady") == ready
    counts = {step.path for step in steps if _is_told(step, headline)}
    counts |= {step.path for step in steps if _follows(step, steps, counts)}
    kept: list[PatchOperation] = []
    folded: Counter[str] = Counter()
    members: Counter[str] = Counter()
    for step in steps:
        about = _noise(step)
        explained = step.path.endswith("/message") and _around(step.path) in reasons
        if not about and explained:
            kind = step.label.removeprefix("type=")
            if is_bad(kind, statuses.get(step.label, "")) is False:
                about = "messages"
        if not about and follows and step.label == "type=ContainersReady":
            about = "ContainersReady"
        if step.path in counts:
            about = "counts"
        if about:
            folded[about] += 1
            continue
        if step.path.startswith("/status"):
            value = _without_noise(step.value, members)
            step = step if value is step.value else step._replace(value=value)
        kept.append(step)
    return kept, folded, members


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
    if tokens in RENEWALS:
        return "times"
    return _MEMBERS.get(tokens[-1], "") if tokens[0] == "status" else ""


def _without_noise(value: JSON, members: Counter[str]) -> JSON:
    """Return an added *value* without its times and ids. Count them in *members*."""
    if isinstance(value, list):
        parts = [_without_noise(each, members) for each in value]
        same = all(one is other for one, other in zip(parts, value, strict=True))
        return value if same else parts
    noisy = value.keys() & _MEMBERS.keys() if isinstance(value, dict) else ()
    if not isinstance(value, dict) or not noisy:
        return value
    members.update(_MEMBERS[name] for name in noisy)
    return {name: each for name, each in value.items() if name not in _MEMBERS}


def _status(step: PatchOperation) -> str:
    """Return the new status of a condition in *step*, or ""."""
    if step.path.endswith("/status"):
        return step.value if isinstance(step.value, str) else ""
    return text(step.value, "status") if step.op == "add" else ""


def _is_told(step: PatchOperation, headline: str) -> bool:
    """Return whether *headline* says how the count in *step* changed."""
    word = COUNTS.get(_count(step))
    old, new = (0 if each is None else each for each in (step.old, step.value))
    if word is None or type(old) is not int or type(new) is not int:
        return False
    return old == new or told(word, old, new) in headline


def _follows(
    step: PatchOperation, steps: Sequence[PatchOperation], counts: Set[str]
) -> bool:
    """Return whether one of *counts*, which are told, tells that in *step*, too."""
    member = _count(step)
    if member in _OTHERS:
        available = f"/status/{_OTHERS[member]}"
        return any(
            each.path == available
            and (available in counts or _follows(each, steps, counts))
            for each in steps
        )
    like = f"/status/{_AS_MANY.get(member)}"
    return like in counts and any(
        each.path == like and each.value == step.value for each in steps
    )


def _count(step: PatchOperation) -> str:
    """Return the member of the status that *step* is about, or ""."""
    above, _, member = step.path.rpartition("/")
    return member if above == "/status" else ""


def _around(path: str) -> str:
    """Return the pointer to the object that holds the member at *path*."""
    return path.rpartition("/")[0]

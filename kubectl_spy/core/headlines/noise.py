"""Finds the operations of a patch that tell nothing new, such as times."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from functools import lru_cache

from kubectl_spy.core.fields import mappings, text
from kubectl_spy.core.headlines.facts import COUNTS, Phrase
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.patch import pointer
from kubectl_spy.core.patch.operation import PatchOperation
from kubectl_spy.core.readiness.polarity import is_bad

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
    patch: Iterable[PatchOperation], document: JSON, told: Iterable[Phrase]
) -> tuple[list[PatchOperation], dict[str, int], dict[str, int]]:
    """Return the operations to show, the number of others, and of left out members.

    Both are counted by kind: times, messages, ids … The members are those of shown
    values. *document* is the new version. A count is folded only if one of the phrases
    *told* says how it changed.
    """
    steps = list(patch)
    places = [_place(step.path) for step in steps]
    reasons = {above for _, above, member in places if member == "reason"}
    statuses: dict[str, str] = {}
    if reasons and any(m == "message" and above in reasons for _, above, m in places):
        for each in mappings(document, "status", "conditions"):
            statuses[f"type={text(each, 'type')}"] = text(each, "status")
    follows = _ready_follows(steps)
    counted = any(at == "/status" and name in COUNTS for _, at, name in places)
    counts = _told_counts(steps, told) if counted else ()
    kept: list[PatchOperation] = []
    folded: dict[str, int] = {}
    members: dict[str, int] = {}
    for step, (about, above, member) in zip(steps, places, strict=True):
        if step.op == "move":
            about = "moves"
        if not about and member == "message" and above in reasons:
            kind = step.label.removeprefix("type=")
            if is_bad(kind, statuses.get(step.label, "")) is False:
                about = "messages"
        if not about and follows and step.label == "type=ContainersReady":
            about = "ContainersReady"
        if step.path in counts:
            about = "counts"
        if about:
            folded[about] = folded.get(about, 0) + 1
            continue
        if step.path.startswith("/status"):
            value = _without_noise(step.value, members)
            step = step if value is step.value else step._replace(value=value)
        kept.append(step)
    return kept, folded, members


@lru_cache(4096)
def _place(path: str) -> tuple[str, str, str]:
    """Return the kind of noise at *path* (or ""), the pointer above, the member."""
    above, _, member = path.rpartition("/")
    return _noise(pointer.parse(path)), above, member


def _noise(tokens: pointer.Tokens) -> str:
    if not tokens:
        return ""
    if tokens[:2] == ("metadata", "annotations") and len(tokens) == 3:
        return "annotations" if tokens[2] in ANNOTATIONS else ""
    if tokens == ("metadata", "generation"):
        return "generations"
    if tokens in RENEWALS:
        return "times"
    return _MEMBERS.get(tokens[-1], "") if tokens[0] == "status" else ""


def _ready_follows(steps: Sequence[PatchOperation]) -> bool:
    """Return whether the conditions Ready and ContainersReady turned alike."""
    ready = containers = ""
    for step in steps:
        if step.label == "type=Ready":
            ready = _status(step) or ready
        elif step.label == "type=ContainersReady":
            containers = _status(step) or containers
    return bool(ready) and ready == containers


def _told_counts(steps: Sequence[PatchOperation], told: Iterable[Phrase]) -> set[str]:
    """Return the pointers to the counts that the phrases *told* tell."""
    moved = {each.counted for each in told}
    counts = {step.path for step in steps if _is_told(step, moved)}
    if counts:
        counts |= {step.path for step in steps if _follows(step, steps, counts)}
    return counts


def _without_noise(value: JSON, members: dict[str, int]) -> JSON:
    """Return an added *value* without its times and ids. Count them in *members*."""
    if isinstance(value, list):
        parts = [_without_noise(each, members) for each in value]
        same = all(one is other for one, other in zip(parts, value, strict=True))
        return value if same else parts
    noisy = value.keys() & _MEMBERS.keys() if isinstance(value, dict) else ()
    if not isinstance(value, dict) or not noisy:
        return value
    for name in noisy:
        members[_MEMBERS[name]] = members.get(_MEMBERS[name], 0) + 1
    return {name: each for name, each in value.items() if name not in _MEMBERS}


def _status(step: PatchOperation) -> str:
    """Return the new status of a condition in *step*, or ""."""
    if step.path.endswith("/status"):
        return step.value if isinstance(step.value, str) else ""
    return text(step.value, "status") if step.op == "add" else ""


def _is_told(
    step: PatchOperation, moved: Set[tuple[str, int | None, int] | None]
) -> bool:
    """Return whether the counts that *moved* say how the one in *step* changed."""
    word = COUNTS.get(_count(step))
    if word is None:
        return False
    old = 0 if step.old is None else step.old
    new = 0 if step.value is None else step.value
    if type(old) is not int or type(new) is not int:
        return False
    return old == new or (word, old, new) in moved


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

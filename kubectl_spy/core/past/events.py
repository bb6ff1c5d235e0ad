"""What Events tell of the past: how controllers scaled. They are kept for an hour.

https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/controller/deployment/sync.go
https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/controller/podautoscaler/horizontal.go
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kubectl_spy.core.changes.earlier import EarlierWrite
from kubectl_spy.core.fields import mapping, mappings, moment, number, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.past.subject import Mask, Subject
from kubectl_spy.core.past.times import SECOND
from kubectl_spy.core.patch.operation import PatchOperation

EVENT = "Event"
_SCALED = re.compile(
    r"Scaled (?:up|down) replica set (\S+) from (\d{1,9}) to (\d{1,9})"
)
_RESIZED = re.compile(r"New size: (\d{1,9}); reason: ")
_MANAGER = "kube-controller-manager"
_COMBINED = "(combined from similar events): "
"""How the message begins that stands for several. It is that of the last one.

https://github.com/kubernetes/kubernetes/blob/v1.36.2/staging/src/k8s.io/client-go/tools/record/events_cache.go
"""


def by_deployment(
    subject: Subject, events: Sequence[JSON], mask: Mask
) -> Iterator[EarlierWrite]:
    """Yield how a Deployment scaled its ReplicaSet *subject*, as far as Events tell."""
    for event in _about(subject.document, "ScalingReplicaSet", events):
        found = _SCALED.fullmatch(_message(event))
        if found and found[1] == subject.name:
            step = subject.scaled(int(found[2]), int(found[3]), mask)
            for write in _writes(subject, event, step):
                # It is made with as many as it is then said to be scaled up to.
                if found[2] != "0" or write.time > subject.created + SECOND:
                    yield write


def by_autoscalers(
    subject: Subject,
    autoscalers: Sequence[JSON],
    events: Sequence[JSON],
    mask: Mask,
) -> Iterator[EarlierWrite]:
    """Yield how autoscalers scaled *subject*. The number before is not known."""
    group, kind = subject.kind
    for each in autoscalers:
        target = mapping(each, "spec", "scaleTargetRef")
        version = text(target, "apiVersion")
        is_meant = (version.rpartition("/")[0], text(target, "kind")) == (group, kind)
        if not is_meant or text(target, "name") != subject.name:
            continue
        uid = text(each, "metadata", "uid")
        for event in events:
            found = _RESIZED.match(_message(event))
            about = text(event, "involvedObject", "uid")
            if found and about == uid and text(event, "reason") == "SuccessfulRescale":
                step = subject.scaled(None, int(found[1]), mask)
                yield from _writes(subject, event, step)


def scaled_up(
    uid: str, name: str, created: float, events: Sequence[JSON]
) -> float | None:
    """Return when the Deployment *uid* scaled up an empty ReplicaSet *name* again.

    It was *created* before.
    """
    found = [
        times[-1]
        for event in events
        if text(event, "involvedObject", "uid") == uid
        and _message(event).startswith(f"Scaled up replica set {name} from 0 to ")
        and (times := _times(event))
        and times[-1] > created + SECOND
    ]
    return max(found, default=None)


def scaled(
    uid: str,
    sizes: tuple[int, int],
    within: tuple[float, float],
    events: Sequence[JSON],
) -> float | None:
    """Return when a ReplicaSet of the Deployment *uid* was scaled so, if that was once.

    *sizes* are those before and after, *within* two times between which it was.
    """
    since, until = within[0], within[1] + SECOND
    found = set()
    for event in events:
        match = _SCALED.fullmatch(_message(event))
        about = text(event, "involvedObject", "uid")
        if match and about == uid and (int(match[2]), int(match[3])) == sizes:
            found |= {it for it in _times(event) if since <= it <= until}
    return found.pop() if len(found) == 1 else None


def _about(
    document: JSON, reason: str, events: Sequence[JSON]
) -> Iterator[dict[str, JSON]]:
    references = mappings(document, "metadata", "ownerReferences")
    owners = {text(it, "uid") for it in references if text(it, "uid")}
    for event in events:
        about = text(event, "involvedObject", "uid")
        if text(event, "reason") == reason and about in owners:
            yield event


def _writes(
    subject: Subject, event: JSON, step: PatchOperation
) -> Iterator[EarlierWrite]:
    """Yield the write of *step*, which may have happened again and again."""
    times = _times(event)
    source = f"{EVENT} {text(event, 'reason')}"
    if (count := number(event, "count")) > len(times):
        source += f", {count} times or alike"
    for time in times:
        yield subject.write(
            *(time, time, EVENT, source), managers=(_MANAGER,), patch=[step]
        )


def _message(event: JSON) -> str:
    return text(event, "message").removeprefix(_COMBINED)


def _times(event: JSON) -> list[float]:
    """Return when the message was true: at first, and at last."""
    last = moment(event, "lastTimestamp")
    first = moment(event, "firstTimestamp")
    if text(event, "message").startswith(_COMBINED):
        first = None  # that was another message
    return sorted({each for each in (first, last) if each is not None})

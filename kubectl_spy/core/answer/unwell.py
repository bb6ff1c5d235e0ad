"""What was well and is no more, although nothing says that it failed.

Time alone makes no failure: what never was well may need an hour. But what was well,
and then is not, and does not advance, is not well.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from kubectl_spy.core.answer.model import Model
from kubectl_spy.core.answer.timeline import IDLE, Timeline
from kubectl_spy.core.causes.needs import related
from kubectl_spy.core.causes.suspects import Case, Suspect, suspects
from kubectl_spy.core.cluster.events import ClusterEvent
from kubectl_spy.core.cluster.inventory import Entry
from kubectl_spy.core.diagnosis.finding import Diagnosis, Verdict
from kubectl_spy.core.fields import mapping, mappings, moment, number, text

LASTS = 60.0  # seconds that it is so, and that nothing of it has advanced
_WORKS = 600.0  # the same while its controller works at it, as a rollout may take
_GOOD = ("Ready", "Available")
_NOT_OUT = IDLE | {"Serving"}  # phases of what serves, or is meant not to
_MAKERS = frozenset({"ReplicaSet", "StatefulSet", "DaemonSet", "ReplicationController"})
_MEANT = frozenset(
    {
        *("suspended", "paused", "stopped", "halted", "hibernated"),
        *("succeeded", "completed", "complete", "done"),
    }
)
"""Words of a status that somebody wants so, or that it has ended, in lower case."""
_OFTEN = 3  # times that a Warning comes about what waits to begin


class Unwell(NamedTuple):
    """An object that is not well, since when, and the last Warning about it."""

    of: Entry
    diagnosis: Diagnosis
    since: float
    warning: ClusterEvent | None  # the last one about *entry*
    entry: Entry  # what is not well by itself: the object, or one below it
    by: tuple[Suspect, ...] = ()  # the writes that may have done it, of `caused`


def unwell(
    model: Model, timeline: Timeline, now: float, failing: Collection[str]
) -> list[Unwell]:
    """Return what is not well at *now*, in order. *failing* tops are left out.

    An object below another one that is not well stands for that one.
    """
    found: dict[str, Unwell] = {}
    for entry, diagnosis in timeline.waiting.values():
        chain = model.chain(entry)
        uid = chain[-1].uid if chain else ""
        top = timeline.waiting.get(uid)  # else enough others are well
        if top is None or uid in failing or diagnosis.phase in _NOT_OUT:
            continue
        warning = _warning(entry, model)
        since = _since(entry, chain, warning, timeline, now)
        if since and (uid not in found or since < found[uid].since):
            found[uid] = Unwell(*top, since, warning, entry)
    return sorted(found.values(), key=lambda it: (it.since, it.of.gvk.kind, it.of.name))


def caused(unwell: Unwell, model: Model, timeline: Timeline) -> Unwell:
    """Return *unwell* with the writes that may have done it: none is certain."""
    entry, since = unwell.entry, unwell.since
    healthy = timeline.wellness.last_healthy(entry.uid, since)
    _, diagnosis = timeline.waiting[entry.uid]
    waits = (it for it in diagnosis.findings if it.verdict is Verdict.WAITING)
    finding = next(waits, None)
    if finding is None or not healthy.writes:
        return unwell
    near, alike = related(entry, finding, model), (entry.uid,)
    case = Case(model.chain(entry), finding, near, since, healthy.writes, alike)
    by = (each._replace(certain=False) for each in suspects(case, model.writes))
    return unwell._replace(by=tuple(by))


def _since(
    entry: Entry,
    chain: Sequence[Entry],
    warning: ClusterEvent | None,
    timeline: Timeline,
    now: float,
) -> float:
    """Return since when *entry* is not well by itself, or 0 if it is not so."""
    if any(map(_is_meant, chain)):
        return 0.0
    since = timeline.wellness.last_healthy(entry.uid, now).until or _turned(entry)
    if not since and warning is not None and _waits_to_begin(entry):
        since = (warning.first or entry.time) if warning.times >= _OFTEN else 0.0
    lasted = now - max(since, timeline.said(entry.uid))
    return since if lasted >= max(map(_patience, chain)) else 0.0


def _is_meant(entry: Entry) -> bool:
    """Return whether somebody wants *entry* so, or it ends by itself, as a Job does."""
    spec, status = (mapping(entry.document, each) for each in ("spec", "status"))
    words = {text(status, each) for each in ("phase", "state", "printableStatus")}
    words |= {text(spec, "state"), text(spec, "runStrategy")}
    for each in mappings(status, "conditions"):
        words |= {text(each, "reason")} if text(each, "type") in _GOOD else set()
    return (
        entry.gvk.kind in ("Job", "CronJob")
        or _leaves(entry)
        or any(spec.get(each) is True for each in ("suspend", "suspended", "paused"))
        or any(spec.get(each) is False for each in ("running", "enabled"))
        or spec.get("replicas") == 0
        or bool(_MEANT & {each.casefold() for each in words})
    )


def _waits_to_begin(entry: Entry) -> bool:
    """Return whether *entry* is a Pod of which no container runs, or makes Pods."""
    if entry.gvk.kind == "Pod":
        return text(entry.document, "status", "phase") == "Pending"
    return entry.gvk.kind in _MAKERS


def _patience(entry: Entry) -> float:
    """Return how long *entry* may be so, as its own status says.

    https://github.com/kubernetes-sigs/cli-utils/blob/master/pkg/kstatus/README.md
    """
    status = mapping(entry.document, "status")
    rolls = text(status, "updateRevision") != text(status, "currentRevision")
    counts = ("readyReplicas", "availableReplicas", "numberReady", "numberAvailable")
    rolls |= any(number(status, each) for each in counts)  # some serve meanwhile
    for each in mappings(status, "conditions"):
        kind, value = text(each, "type"), text(each, "status")
        ends = text(each, "reason") == "NewReplicaSetAvailable"
        rolls |= kind == "Progressing" and value == "True" and not ends
        rolls |= (kind, value) in (("Reconciling", "True"), ("Ready", "Unknown"))
    return _WORKS if rolls else LASTS


def _leaves(entry: Entry) -> bool:
    return bool(text(entry.document, "metadata", "deletionTimestamp"))


def _warning(entry: Entry, model: Model) -> ClusterEvent | None:
    """Return the last Warning about *entry*, or None."""
    warnings = (each for each in model.events(entry.uid) if each.warning)
    return max(warnings, key=lambda each: each.last or 0.0, default=None)


def _turned(entry: Entry) -> float:
    """Return when a condition turned so that it is not well, long after its creation.

    It is 0 if none did.
    """
    created = moment(entry.document, "metadata", "creationTimestamp")
    times = [
        moment(each, "lastTransitionTime") or 0.0
        for each in mappings(entry.document, "status", "conditions")
        if text(each, "type") in _GOOD and text(each, "status") == "False"
    ]
    last = max(times, default=0.0)
    if entry.gvk.kind == "Pod":  # the kubelet writes it when the Pod has a node
        return 0.0
    return last if created is not None and last - created >= LASTS else 0.0

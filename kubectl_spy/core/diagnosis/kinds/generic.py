"""Rules for any kind: its conditions, and the finalizers that hold back its deletion.

Only its controller knows what a condition of an unknown type means. Such conditions
are shown as unjudged, unless their words, reason or severity tell of a failure.

Time alone is no failure. A condition that is not what it should be is waiting, and
fails only if it tells of a failure and has done so for a while.
https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#typical-status-properties
"""

from __future__ import annotations

from collections import Counter

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.finding import (
    Child,
    Diagnosis,
    Fact,
    Finding,
    Verdict,
    fact,
    finding,
    stating,
)
from kubectl_spy.core.diagnosis.kinds.referred import referred
from kubectl_spy.core.fields import condition, mapping, mappings, moment, text
from kubectl_spy.core.readiness.conditions import StatusCondition, believable
from kubectl_spy.core.readiness.polarity import (
    OF_SPEC,
    RETRYING,
    contradicts,
    is_bad,
    is_warning,
    should_be_true,
    tells_failure,
)
from kubectl_spy.core.readiness.readiness import (
    GRACE,
    Readiness,
    State,
    has_rules,
    readiness,
)
from kubectl_spy.core.readiness.reported import all_conditions
from kubectl_spy.core.remedy import NO_REMEDY, Remedy, advice, kubectl
from kubectl_spy.core.times import seconds
from kubectl_spy.core.wording import many, one_line
from kubectl_spy.knowledge.kinds import known
from kubectl_spy.knowledge.paths import text_at

# Conditions of CustomResourceDefinitions and Cluster API that explain a deletion.
_LEAVING = frozenset({"Terminating", "Deleting"})
_STATES = {
    State.CURRENT: (Verdict.OK, "Ready"),
    State.IN_PROGRESS: (Verdict.WAITING, "InProgress"),
    State.TERMINATING: (Verdict.WAITING, "Terminating"),
    State.FAILED: (Verdict.FAILING, "Failed"),
    State.UNKNOWN: (Verdict.UNJUDGED, "Present"),
}
_PHASE = 60  # the most characters of a phase
# https://kubernetes.io/docs/concepts/architecture/garbage-collection/#foreground-deletion
_FOREGROUND = "foregroundDeletion"
_ORPHAN = "orphan"
# https://kubernetes.io/docs/concepts/storage/persistent-volumes/#storage-object-in-use-protection
_IN_USE = "kubernetes.io/pv-protection"
# https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#finalizers
_INSTANCES = "customresourcecleanup.apiextensions.k8s.io"
# https://kubernetes.io/docs/concepts/architecture/garbage-collection/#owners-dependents
_BAD_OWNER = "OwnerRefInvalidNamespace"


def diagnose(entry: Entry, inventory: Inventory) -> Diagnosis:
    """Return the state of the object by the rules that all kinds share."""
    conditions = tuple(dict.fromkeys(all_conditions(entry.document)))
    deleted = terminating(entry, inventory)
    if deleted is not None:
        others = (_finding(each, _leaving(each)) for each in conditions)
        return deleted._replace(findings=(*deleted.findings, *others))
    found = readiness(entry.document, has_status=entry.has_status)
    verdict, default_phase = _STATES[found.state]
    if _is_unjudged(found, entry, inventory):
        verdict = Verdict.UNJUDGED
    if found.paused:
        default_phase = "Paused"
    ruled = _ruled(found, conditions, entry, inventory)
    findings = tuple(
        ruled
        if ruled and ruled.about == each.about
        else _finding(each, _verdict(each, found, entry, inventory))
        for each in conditions
    )
    if ruled and ruled not in findings:
        findings = (ruled, *findings)
    well = verdict not in (Verdict.WAITING, Verdict.FAILING)
    named = referred(entry, inventory, well=well)
    if named.missing:
        lasts = _lasts("", entry, inventory)
        absent = (Verdict.WARNING if well else Verdict.FAILING) if lasts else None
        findings += tuple(
            each._replace(verdict=absent or each.verdict) for each in named.missing
        )
    if any(each.verdict is Verdict.FAILING for each in findings):
        verdict = Verdict.FAILING
    elif verdict is Verdict.OK and any(
        each.verdict is Verdict.WARNING for each in findings
    ):
        verdict = Verdict.WARNING
    plain = found.state is State.CURRENT and not found.judged
    phase = one_line(text(entry.document, "status", "phase"), _PHASE)
    if verdict is Verdict.FAILING and found.state is not State.FAILED:
        default_phase = "Failing"
    stated = ruled is not None or found.condition is not None
    silent = stated or (plain and not conditions)
    findings += _owners(entry, inventory)
    return Diagnosis(
        phase=phase or ("Present" if plain else default_phase),
        verdict=verdict,
        summary="" if silent else found.message,
        findings=findings,
        children=_below(named.children, entry, inventory),
        final=found.final,
    )


def _owners(entry: Entry, inventory: Inventory) -> tuple[Finding, ...]:
    """Return that the garbage collector cannot find an owner, and collects the object.

    An owner must be in the namespace of what it owns, or in none.
    """
    owners = mappings(entry.document, "metadata", "ownerReferences")
    events = inventory.events(entry.uid) if owners else ()
    if not any(each.reason == _BAD_OWNER for each in events):
        return ()
    names = tuple(f"{text(it, 'kind')} {text(it, 'name')}" for it in owners)
    return (finding("OwnerElsewhere", "owner", owners=names),)


def _below(
    named: tuple[Child, ...], entry: Entry, inventory: Inventory
) -> tuple[Child, ...] | None:
    """Return what *entry* owns, and then what it names; None if it names nothing."""
    if not named:
        return None
    owned = [Child(each.uid) for each in inventory.owned(entry.uid)]
    known = {each.uid for each in owned}
    return (*owned, *(each for each in named if each.uid not in known))


def _ruled(
    found: Readiness,
    conditions: tuple[StatusCondition, ...],
    entry: Entry,
    inventory: Inventory,
) -> Finding | None:
    """Return what the entry of the kind says, if that is more than that it is well."""
    if not found.about or (found.state is State.CURRENT and not found.warns):
        return None
    stated = next((each for each in conditions if each.about == found.about), None)
    since = stated.since if stated else ""
    verdict = Verdict.WARNING if found.warns else _STATES[found.state][0]
    if found.grace is not None and _lasts(since, entry, inventory, found.grace):
        verdict = Verdict.FAILING
    if stated and found.condition == stated:
        of = _reported(stated)
    else:
        path = "" if stated or found.about == "status" else found.about
        value = text_at(entry.document, tuple(path.split("/"))) if path else ""
        of = fact("Reported", path=path, value=value, message=found.message)
    return stating(
        of,
        found.about,
        verdict=verdict,
        remedy=found.remedy,
        since=_moment(since),
        final=found.final,
    )


def _reported(each: StatusCondition) -> Fact:
    return fact(
        "Reported",
        part=each.of,
        type=each.type,
        status=each.status,
        reason=each.reason,
        message=each.explained,
    )


def _is_unjudged(found: Readiness, entry: Entry, inventory: Inventory) -> bool:
    """Return whether no rule says how the object is.

    What has no status after a while may be of a kind that never gets one.
    """
    if found.judged or found.state is not State.IN_PROGRESS:
        return not found.judged
    return _lasts("", entry, inventory)


def _finding(each: StatusCondition, verdict: Verdict) -> Finding:
    since = _moment(each.since)
    return stating(_reported(each), each.about, verdict=verdict, since=since)


def _leaving(each: StatusCondition) -> Verdict:
    """Return the verdict on a condition of an object that is being deleted."""
    bad = is_bad(each.type, each.status, each.reason, each.severity)
    if bad or (each.type in _LEAVING and each.true):
        return Verdict.WAITING
    return Verdict.UNJUDGED if bad is None else Verdict.OK


def _verdict(
    each: StatusCondition, of: Readiness, entry: Entry, inventory: Inventory
) -> Verdict:
    """Return the verdict on a condition of an object with the readiness *of*."""
    if each.type in _LEAVING and each.true:
        return Verdict.WAITING
    polarity = known(entry.gvk.group, entry.gvk.kind).conditions
    bad = is_bad(each.type, each.status, each.reason, each.severity, polarity)
    if bad is False:
        return Verdict.OK
    if bad is None:
        wanted = should_be_true(each.type, polarity)
        lacks = wanted and each.status not in ("True", "False")
        return Verdict.WAITING if lacks else Verdict.UNJUDGED
    if not believable(entry.document, each):
        return Verdict.WAITING
    if contradicts(each.type, each.status, each.reason, each.severity, polarity):
        return Verdict.FAILING
    works = of.state is State.CURRENT and of.judged
    if works or is_warning(each.type, each.severity, polarity):
        info = each.severity == "Info"
        return Verdict.WAITING if info else Verdict.WARNING
    ruled = has_rules(entry.gvk.group, entry.gvk.kind)
    if of.state is State.FAILED and (ruled or of.condition == each):
        return Verdict.FAILING
    if ruled:
        return Verdict.WAITING
    first = each.reason or f"{each.message.partition(' ')[0]} "
    is_failure = tells_failure(first) or should_be_true(each.type, polarity) is False
    is_failure = is_failure or each.severity == "Error" or each.type in OF_SPEC
    if (
        not is_failure
        and condition(entry.document, "Reconciling").get("reason") != RETRYING
    ):
        return Verdict.WAITING
    lasts = _lasts(each.since, entry, inventory)
    return Verdict.FAILING if lasts else Verdict.WAITING


def _lasts(
    since: str, entry: Entry, inventory: Inventory, grace: float = GRACE
) -> bool:
    """Return whether what began at *since* has lasted for *grace* seconds.

    *since* is by a clock of the cluster; without it, it began when the object was
    created. A beginning in the future is now. What is new began, by our clock, when it
    was first seen.
    """
    first = entry.first or entry.time
    began = _moment(since)
    if began is None:
        began = moment(entry.document, "metadata", "creationTimestamp")
    began = first if began is None else min(began, entry.time)
    if not entry.initial:
        began = max(began, first)
    if not inventory.time:  # spans judge each version by itself
        return entry.time >= began + grace
    return not inventory.is_before(began + grace)


def _moment(time: str) -> float | None:
    try:
        return seconds(time)
    except ValueError:
        return None


def terminating(
    entry: Entry,
    inventory: Inventory,
    summary: str = "",
    children: tuple[Child, ...] | None = None,
) -> Diagnosis | None:
    """Return the diagnosis of an object that is being deleted, or None.

    https://kubernetes.io/docs/concepts/overview/working-with-objects/finalizers/
    """
    metadata = mapping(entry.document, "metadata")
    if not metadata.get("deletionTimestamp"):
        return None
    since = moment(metadata, "deletionTimestamp")
    findings = (
        stating(
            _waits_for(name, entry, inventory),
            f"finalizer/{name}",
            remedy=finalizer_remedy(name, entry.name),
            since=since,
        )
        for name in names_in(metadata.get("finalizers"))
    )
    return Diagnosis(
        phase="Terminating",
        verdict=Verdict.WAITING,
        summary=summary,
        findings=tuple(findings),
        children=children,
        since=since,
    )


def _waits_for(finalizer: str, entry: Entry, inventory: Inventory) -> Fact:
    if finalizer == _FOREGROUND:
        left = Counter(each.gvk.kind for each in inventory.owned(entry.uid))
        named = tuple(many(count, kind) for kind, count in left.items())
        return fact("OwnedFirst", left=named)
    if finalizer == _ORPHAN:
        return fact("OrphanDeletion")
    claim = mapping(entry.document, "spec", "claimRef")
    if finalizer == _IN_USE and claim:
        name = f"{text(claim, 'namespace')}/{text(claim, 'name')}"
        return fact("VolumeInUseByClaim", claim=name)
    if finalizer == _INSTANCES:
        return fact("InstancesLeft", name=entry.name)
    return fact("FinalizerHolds", finalizer=finalizer)


def names_in(finalizers: object) -> list[str]:
    """Return the names in a list of finalizers, each once."""
    found = finalizers if isinstance(finalizers, list) else []
    return list(dict.fromkeys(each for each in found if isinstance(each, str)))


def finalizer_remedy(finalizer: str, crd: str = "") -> Remedy:
    """Return who has to remove a finalizer. *crd* is the name of its object."""
    if finalizer == _INSTANCES and crd:
        return kubectl("get {} -A", crd)
    if finalizer in (_FOREGROUND, _ORPHAN, _IN_USE):
        return NO_REMEDY
    return advice("look at the controller that set {}: it has to remove it", finalizer)

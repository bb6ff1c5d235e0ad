"""Nodes: conditions, taints, and whether the kubelet still reports.

https://kubernetes.io/docs/concepts/architecture/nodes/
https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.finding import (
    Diagnosis,
    Finding,
    Verdict,
    fact,
    finding,
    stating,
)
from kubectl_spy.core.diagnosis.kinds import generic
from kubectl_spy.core.diagnosis.pods.placement import CORDONED, is_trouble
from kubectl_spy.core.diagnosis.wording import message_line
from kubectl_spy.core.fields import condition, flag, mappings, moment, text
from kubectl_spy.core.remedy import advice

_EFFECTS = {
    "NoSchedule": "schedules",
    "PreferNoSchedule": "prefers",
    "NoExecute": "executes",
}


def diagnose(entry: Entry, inventory: Inventory) -> Diagnosis:
    """Return the state of the node; its phase is the STATUS of `kubectl get nodes`."""
    found = generic.diagnose(entry, inventory)
    if text(entry.document, "metadata", "deletionTimestamp"):
        return found
    findings = list(found.findings)
    ready = condition(entry.document, "Ready").get("status")
    if ready == "Unknown":
        findings = [*map(_silent, findings), *_lease(entry, inventory)]
    findings += _taints(entry)
    phase = "Ready" if ready == "True" else "NotReady"
    if flag(entry.document, "spec", "unschedulable") is True:
        phase += ",SchedulingDisabled"
    return found._replace(phase=phase, findings=tuple(findings))


def _silent(finding: Finding) -> Finding:
    """Return the finding about the condition Ready as FAILING."""
    if finding.about != "condition/Ready":
        return finding
    remedy = advice("look at the machine and its kubelet: it does not report any more")
    return finding._replace(verdict=Verdict.FAILING, remedy=remedy)


def _lease(entry: Entry, inventory: Inventory) -> Iterator[Finding]:
    """Yield when the kubelet renewed its Lease last.

    https://kubernetes.io/docs/concepts/architecture/leases/#node-heart-beats
    """
    for lease in inventory.owned(entry.uid, "Lease"):
        renewed = moment(lease.document, "spec", "renewTime")
        if renewed is not None:
            yield finding("LeaseExpired", "lease", since=renewed)


def _taints(entry: Entry) -> Iterator[Finding]:
    for taint in mappings(entry.document, "spec", "taints"):
        key, value = text(taint, "key"), text(taint, "value")
        effect = text(taint, "effect")
        name = message_line(f"{key}={value}:{effect}" if value else f"{key}:{effect}")
        of = fact("NodeTainted", taint=name, **{_EFFECTS.get(effect, "other"): True})
        if key == CORDONED:
            of = fact("NodeCordoned")
        verdict = Verdict.WAITING if is_trouble(key) else Verdict.OK
        since = moment(taint, "timeAdded")
        yield stating(of, f"taint/{name}", verdict=verdict, since=since)

"""Node: its conditions, its taints, and whether its kubelet still reports.

https://kubernetes.io/docs/concepts/architecture/nodes/
https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.finding import Diagnosis, Finding, Verdict
from kubectl_spy.core.diagnosis.kinds import generic
from kubectl_spy.core.diagnosis.taints import CORDONED, is_trouble
from kubectl_spy.core.diagnosis.wording import one_line
from kubectl_spy.core.fields import condition, flag, mappings, moment, text
from kubectl_spy.core.remedy import advice

_EFFECTS = {
    "NoSchedule": "no new Pod comes here without a toleration",
    "PreferNoSchedule": "new Pods go to other nodes if they can",
    "NoExecute": "Pods without a toleration are evicted",
}


def diagnose(entry: Entry, seen: Inventory) -> Diagnosis:
    """Return how the node is; its phase is what `kubectl get nodes` has as STATUS."""
    found = generic.diagnose(entry, seen)
    if text(entry.document, "metadata", "deletionTimestamp"):
        return found
    findings = list(found.findings)
    ready = condition(entry.document, "Ready").get("status")
    if ready == "Unknown":
        findings = [_silent(each, entry) for each in findings]
        findings += _lease(entry, seen)
    findings += _taints(entry)
    phase = "Ready" if ready == "True" else "NotReady"
    if flag(entry.document, "spec", "unschedulable") is True:
        phase += ",SchedulingDisabled"
    return found._replace(phase=phase, findings=tuple(findings))


def _silent(finding: Finding, entry: Entry) -> Finding:
    """Return *finding* as failing if it says that the kubelet is not heard of."""
    if finding.about != "condition/Ready":
        return finding
    remedy = advice("look at the machine and its kubelet: it does not report any more")
    return finding._replace(verdict=Verdict.FAILING, remedy=remedy)


def _lease(entry: Entry, seen: Inventory) -> Iterator[Finding]:
    """Say when the kubelet was heard of last.

    https://kubernetes.io/docs/concepts/architecture/leases/#node-heart-beats
    """
    for lease in seen.owned(entry.uid, "Lease"):
        renewed = moment(lease.document, "spec", "renewTime")
        if renewed is not None:
            told = "its kubelet does not renew its Lease any more"
            yield Finding("lease", Verdict.FAILING, told, since=renewed)


def _taints(entry: Entry) -> Iterator[Finding]:
    for taint in mappings(entry.document, "spec", "taints"):
        key, value = text(taint, "key"), text(taint, "value")
        effect = text(taint, "effect")
        name = one_line(f"{key}={value}:{effect}" if value else f"{key}:{effect}")
        told = f"taint {name}: {_EFFECTS.get(effect, 'its effect is not known')}"
        if key == CORDONED:
            told = "cordoned: no new Pod comes here before kubectl uncordon"
        verdict = Verdict.WAITING if is_trouble(key) else Verdict.OK
        since = moment(taint, "timeAdded")
        yield Finding(f"taint/{name}", verdict, told, since=since)

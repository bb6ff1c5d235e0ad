"""Services without Pods because somebody scaled these to 0: a fault, or on purpose."""

from __future__ import annotations

from collections.abc import Iterable

from kubectl_spy.core.answer.model import Model
from kubectl_spy.core.causes.suspects import Suspect
from kubectl_spy.core.cluster.inventory import Entry
from kubectl_spy.core.diagnosis.finding import Diagnosis, Fact, Finding, Verdict
from kubectl_spy.core.fields import text
from kubectl_spy.core.remedy import NO_REMEDY

_ON_PURPOSE = frozenset({"ScaledToZero", "PodsOnNoNode"})
_SCALERS = frozenset(
    {
        "kube-downscaler",
        "py-kube-downscaler",
        "gokubedownscaler",
        "kube-green",
        "snorlax",
        "sleepcycles",
        "keda-operator",
        "keda",
        "horizontal-pod-autoscaler",
        "vpa-updater",
        "autoscaler",  # of Knative
        "activator",
        "osiris",
    }
)
"""Managers that scale to 0 by a schedule, or while nobody asks."""
_AUTOSCALERS = (
    ("autoscaling", "HorizontalPodAutoscaler"),
    ("keda.sh", "ScaledObject"),
    ("autoscaling.internal.knative.dev", "PodAutoscaler"),
    ("kube-green.com", "SleepInfo"),
)


def idle_workload(finding: Finding) -> Fact | None:
    """Return what makes such Pods and wants none, if that is why there are none."""
    made = finding.args.get("made")
    return made if isinstance(made, Fact) and made.code in _ON_PURPOSE else None


def at_rest(diagnosis: Diagnosis, *, meant: bool) -> Diagnosis:
    """Return *diagnosis* if nobody says that there should be Pods.

    Nothing is advised if somebody *meant* it so.
    """
    findings = []
    for each in diagnosis.findings:
        if idle_workload(each) is not None:
            remedy = NO_REMEDY if meant else each.remedy
            each = each._replace(verdict=Verdict.WARNING, remedy=remedy)
        findings.append(each)
    fails = any(each.verdict is Verdict.FAILING for each in findings)
    verdict = diagnosis.verdict if fails else Verdict.WARNING
    return diagnosis._replace(verdict=verdict, findings=tuple(findings))


def is_scaled_on_purpose(
    finding: Finding, by: Iterable[Suspect], service: Entry, model: Model
) -> bool:
    """Return whether a scaler, and no person, scaled the Pods of *service* to 0."""
    made = idle_workload(finding)
    first = next(iter(by), None)
    if made is None:
        return False
    if first is not None:
        return bool(_SCALERS & set(first.write.edit.managers))
    return any(
        text(each.document, "spec", "scaleTargetRef", "name") == made.args.get("name")
        or kind == "SleepInfo"
        for group, kind in _AUTOSCALERS
        for each in model.every(group, kind, service.namespace)
    )

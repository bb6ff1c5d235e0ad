"""Which code and arguments a rare state of a Pod has."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.diagnosis.finding import Finding
from kubectl_spy.core.diagnosis.kinds import pod as pods
from kubectl_spy.core.fact import args_json
from kubectl_spy.render.findings import text
from tests.builders import a_pod, container, over, reported, running, waiting
from tests.tracing import diagnosis, inventory

DELETED = {"deletionTimestamp": "2026-11-21T15:05:00Z"}
TWO = (container(state=running()), container("other", running()))


def finding_of(about: str, pod: dict[str, Any], *others: dict[str, Any]) -> Finding:
    found = diagnosis(pod, *others).findings
    (finding,) = [each for each in found if each.about == about]
    return finding


def waits(reason: str) -> dict[str, Any]:
    return a_pod(container(state=waiting(reason, "no")), phase="Pending")


def failed(reason: str) -> dict[str, Any]:
    return a_pod(phase="Failed", reason=reason)


def disrupted(reason: str) -> dict[str, Any]:
    target = {"status": "True", "reason": reason, "message": "m"}
    return a_pod(container(state=running()), conditions={"DisruptionTarget": target})


@pytest.mark.parametrize(
    ("about", "pod", "code", "args"),
    [
        (
            "container/app",
            waits("CreateContainerConfigError"),
            "ContainerConfigInvalid",
            {"message": "no", "container": "app"},
        ),
        ("container/app", waits("ImageInspectError"), "ImageUnreadable", None),
        ("container/app", waits("RegistryUnavailable"), "RegistryUnavailable", None),
        (
            "container/app",
            waits("SignatureValidationFailed"),
            "ImageSignatureInvalid",
            None,
        ),
        (
            "container/other",
            a_pod(*TWO, metadata=DELETED),
            "ContainerStopping",
            {"where": {"code": "InContainer", "args": {"name": "other"}}},
        ),
        ("eviction", failed("Preempting"), "PreemptedByNode", {}),
        ("eviction", failed("NodeShutdown"), "NodeShutDown", {}),
        ("node", failed("NodeAffinity"), "NodeAffinityRefused", {}),
        ("node", failed("UnexpectedAdmissionError"), "NodeRefused", {}),
        ("node", failed("OutOfcpu"), "NodeOutOf", {"resource": "cpu"}),
        ("disruption", disrupted("DeletionByPodGC"), "NodeGone", {"message": "m"}),
        ("disruption", disrupted("TerminationByKubelet"), "EndedByNode", None),
        (
            "container/app",
            a_pod(container(state={"terminated": over(134)})),
            "ContainerFailed",
            {
                "why": {
                    "code": "ExitedWith",
                    "args": {
                        "exit": 134,
                        "reason": "Error",
                        "meaning": {"code": "Aborted"},
                    },
                },
                "again": True,
            },
        ),
    ],
)
def test_a_state_has_its_code(
    about: str, pod: dict[str, Any], code: str, args: dict[str, Any] | None
) -> None:
    finding = finding_of(about, pod)
    assert finding.code == code
    assert args in (None, args_json(finding.args))


def test_a_refused_resource_claim_is_quoted() -> None:
    message = "PodResourceClaim gpu: not today"
    claims = [{"name": "gpu", "resourceClaimTemplateName": "t"}]
    spec = {"nodeName": "", "resourceClaims": claims}
    template = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": "t", "namespace": "shop", "uid": "t"},
    }
    finding = finding_of(
        "resourceClaim/gpu",
        a_pod(container(), phase="Pending", spec=spec),
        template,
        reported("FailedResourceClaimCreation", message),
    )
    refused = {"name": "gpu", "message": message}
    assert args_json(finding.args)["missing"] == {
        "code": "ResourceClaimRefused",
        "args": refused,
    }


def test_a_scheduling_gate_without_a_name_is_not_listed() -> None:
    gated = {"PodScheduled": {"status": "False", "reason": "SchedulingGated"}}
    spec = {"nodeName": "", "schedulingGates": [{}, {"name": "a/x"}, {"name": ""}]}
    pod = a_pod(container(), phase="Pending", conditions=gated, spec=spec)
    assert text(finding_of("scheduling", pod)) == "held back by scheduling gate a/x"


def test_a_pod_that_has_not_failed_is_not_called_failed() -> None:
    """Its containers have ended, and its phase follows."""
    done = container(state={"terminated": over(0, "Completed")})
    ready = {"Ready": {"status": "False", "reason": "PodCompleted"}}
    pod = a_pod(done, conditions=ready, spec={"restartPolicy": "Never"})
    seen = inventory(pod)
    entry = seen.entry("pod-uid")
    assert entry is not None
    finding = pods.unready(entry, seen)
    assert finding is not None
    assert (finding.code, text(finding)) == ("PodNotReady", "Completed")


@pytest.mark.parametrize("odd", ["x" * 9_999, "two\nlines"])
def test_what_is_within_a_fact_is_bounded_as_well(odd: str) -> None:
    ended = over(1, odd, message=odd)
    loop = container(state=waiting("CrashLoopBackOff"), last=ended, restarts=2)
    (finding,) = diagnosis(a_pod(loop)).findings
    told = str(args_json(finding.args))
    assert len(told) < 1_000 and r"\n" not in told
    held = DELETED | {"finalizers": [odd]}
    gone = container(state={"terminated": ended})
    for each in diagnosis(a_pod(gone, metadata=held)).findings:
        told = str(args_json(each.args))
        assert len(told) < 1_500 and r"\n" not in told

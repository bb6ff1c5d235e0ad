"""Which code and arguments a rare state of a Pod has."""

from __future__ import annotations

import pytest

from kubectl_spy.core.diagnosis.kinds import pod as pods
from kubectl_spy.core.fact import args_json
from kubectl_spy.render.findings import text
from tests.builders import (
    Object,
    a_pod,
    container,
    obj,
    over,
    reported,
    running,
    waiting,
)
from tests.core.diagnosis.cases import check
from tests.tracing import diagnosis, entry_of, inventory

DELETED = {"deletionTimestamp": "2026-11-21T15:05:00Z"}
TWO = (container(state=running()), container("other", running()))


def waits(reason: str) -> Object:
    return a_pod(container(state=waiting(reason, "no")), phase="Pending")


def failed(reason: str) -> Object:
    return a_pod(phase="Failed", reason=reason)


def disrupted(reason: str) -> Object:
    target = {"status": "True", "reason": reason, "message": "m"}
    return a_pod(container(state=running()), conditions={"DisruptionTarget": target})


GATES = [{}, {"name": "a/x"}, {"name": ""}]
GATED = a_pod(
    container(),
    phase="Pending",
    conditions={"PodScheduled": {"status": "False", "reason": "SchedulingGated"}},
    spec={"nodeName": "", "schedulingGates": GATES},
)
WHOLE = "ContainerConfigInvalid container=app message=no"
ABORTED = "(ExitedWith exit=134 meaning=(Aborted) reason=Error)"


@pytest.mark.parametrize(
    ("pod", "told"),
    [
        (waits("CreateContainerConfigError"), f"container/app: {WHOLE}"),
        (waits("ImageInspectError"), "container/app ~ ImageUnreadable"),
        (waits("RegistryUnavailable"), "container/app ~ RegistryUnavailable"),
        (waits("SignatureValidationFailed"), "container/app ~ ImageSignatureInvalid"),
        (
            a_pod(*TWO, metadata=DELETED),
            "container/other: ContainerStopping where=(InContainer name=other)",
        ),
        (failed("Preempting"), "eviction: PreemptedByNode"),
        (failed("NodeShutdown"), "eviction: NodeShutDown"),
        (failed("NodeAffinity"), "node: NodeAffinityRefused"),
        (failed("UnexpectedAdmissionError"), "node: NodeRefused"),
        (failed("OutOfcpu"), "node: NodeOutOf resource=cpu"),
        (disrupted("DeletionByPodGC"), "disruption: NodeGone message=m"),
        (disrupted("TerminationByKubelet"), "disruption ~ EndedByNode"),
        (
            a_pod(container(state={"terminated": over(134)})),
            f"container/app: ContainerFailed again why={ABORTED}",
        ),
        # A gate without a name is not listed.
        (GATED, "scheduling: SchedulingGated gates=[a/x]"),
    ],
)
def test_a_state_has_its_code(pod: Object, told: str) -> None:
    check((pod, told))


def test_a_refused_resource_claim_is_quoted() -> None:
    message = "PodResourceClaim gpu: not today"
    claims = [{"name": "gpu", "resourceClaimTemplateName": "t"}]
    spec = {"nodeName": "", "resourceClaims": claims}
    template = obj("ResourceClaimTemplate", "t") | {
        "apiVersion": "resource.k8s.io/v1",
    }
    check(
        (
            *(a_pod(container(), phase="Pending", spec=spec), template),
            reported("FailedResourceClaimCreation", message),
            f"resourceClaim/gpu ~ missing=(ResourceClaimRefused message={message}"
            " name=gpu)",
        )
    )


def test_a_pod_that_has_not_failed_is_not_called_failed() -> None:
    """Its containers have ended, and its phase follows."""
    done = container(state={"terminated": over(0, "Completed")})
    ready = {"Ready": {"status": "False", "reason": "PodCompleted"}}
    pod = a_pod(done, conditions=ready, spec={"restartPolicy": "Never"})
    seen = inventory(pod)
    entry = entry_of(seen, "pod-uid")
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

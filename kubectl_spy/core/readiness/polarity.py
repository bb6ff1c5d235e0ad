"""Which conditions should be true, and which words tell of a failure.

The API conventions leave the polarity to each type of condition, so there is a table.
Types that are not in it are judged by their own words, and by severity and reason.
https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#typical-status-properties
"""

from __future__ import annotations

import re
from collections.abc import Mapping

Polarities = Mapping[str, str]
"""What is known of a kind's conditions, by type: `good`, `bad`, `neutral`, `warning`,
or `good warning`."""
NO_POLARITIES: Polarities = {}

_GOOD = """
    Ready Available Established Succeeded Complete AbleToScale ScalingActive
    Synced Healthy Progressing PodScheduled Initialized ContainersReady Accepted
    Programmed ResolvedRefs Reconciled NamesAccepted Bound Valid Launched Registered
    Installed Approved PodReadyToStartContainers
"""
SHOULD_BE_TRUE = frozenset(_GOOD.split())
_BAD = """
    Stalled Failed Degraded MemoryPressure DiskPressure PIDPressure NetworkUnavailable
    FailureTarget ReplicaFailure DisruptionTarget Denied Error Unschedulable
    DeletionError ReadonlyFilesystem KernelDeadlock Conflicted Fallback
"""
SHOULD_BE_FALSE = frozenset(_BAD.split())
_HARMLESS = "Fallback"  # of KEDA, which then scales by a number that is given
_PRESSURE = "Pressure"  # a Node under pressure is ready, and evicts Pods

# `re` compiles these when they are needed: that takes long, and few objects need them.
_BAD_TYPE = (
    r"Not[A-Z]|Invalid|(?:.*[a-z0-9])?(?:Failed|Failure|Error|Pressure|Deadlock)$"
)
_GOOD_TYPE = r".*[a-z0-9.-](?:Ready|Available|Healthy|Succeeded)$"
_ALARMING = (
    r"(?:Failed|Error|Invalid|Missing|Denied|NotFound|Unhealthy)(?:[A-Z ]|$)|"
    r".*(?:Failed|Failure|Error|Exceeded|NotFound|Invalid|Denied|Missing|Aborted"
    r"|Unreachable|Rejected|Forbidden|Conflict|Conflicted)$"
)
_FAILED_WORD = (
    r"(?:.*[a-z])?(?:failed|failure|error|errored|degraded|faulted|unhealthy|rejected"
    r"|aborted)$"
)
_LONGEST = 100  # characters of a word; what is longer is a sentence
OF_SPEC = frozenset({"Valid", "ResolvedRefs"})
"""Conditions that judge a spec: if they are false, that is no progress."""
RETRYING = "ProgressingWithRetry"
"""The reason of Reconciling after a failure, in Flux.

https://fluxcd.io/flux/components/source/gitrepositories/#reconciling-gitrepository
"""
SCALING_DISABLED = "ScalingDisabled"
"""The reason of an autoscaler whose target has 0 replicas: it waits, and is well.

https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/controller/podautoscaler/horizontal.go
"""
_MILD = frozenset({"Info", "Warning"})  # severities, as Cluster API sets them


def should_be_true(kind: str, known: Polarities = NO_POLARITIES) -> bool | None:
    """Return whether a condition of type *kind* should be true; None if unknown.

    What is *known* of its object's kind wins.

    >>> should_be_true("Ready"), should_be_true("NotReady"), should_be_true("Sync")
    (True, False, None)
    """
    said = known.get(kind, "").split()
    if "neutral" in said:
        return None
    if "good" in said or "bad" in said:
        return "good" in said
    if kind in SHOULD_BE_TRUE:
        return True
    if kind in SHOULD_BE_FALSE:
        return False
    if len(kind) > _LONGEST:
        return None
    if re.match(_BAD_TYPE, kind):
        return False
    return True if re.match(_GOOD_TYPE, kind) else None


def is_bad(
    kind: str,
    status: str,
    reason: str = "",
    severity: str = "",
    known: Polarities = NO_POLARITIES,
) -> bool | None:
    """Return whether a condition says that something is wrong; None if unknown.

    Progressing is false where all is done, unless its reason says something else.

    >>> is_bad("Ready", "False"), is_bad("Sync", "False", "SyncError")
    (True, True)
    >>> is_bad("Progressing", "False", "RolloutAborted"), is_bad("Sync", "True")
    (True, None)
    """
    if status not in ("True", "False"):
        return None
    wanted = should_be_true(kind, known)
    if known.get(kind) == "neutral":
        return None
    if status == "False" and (kind == "Progressing" or reason == SCALING_DISABLED):
        wanted = None
    if wanted is not None:
        return (status == "True") is not wanted
    alarming = status == "False" and severity == "Error"
    return True if alarming or tells_failure(reason) else None


def contradicts(
    kind: str,
    status: str,
    reason: str,
    severity: str,
    known: Polarities = NO_POLARITIES,
) -> bool:
    """Return whether an object with this condition is not ready, whatever else it says.

    What is available has failed to go on if Progressing is false for a failure.
    """
    if is_warning(kind, severity, known):
        return False
    if kind in known:
        return known[kind] == "bad" and status == "True"
    if kind == "Progressing":
        return status == "False" and tells_failure(reason)
    return status == "True" and (kind in SHOULD_BE_FALSE or kind.startswith("Invalid"))


def is_warning(
    kind: str, severity: str = "", known: Polarities = NO_POLARITIES
) -> bool:
    """Return whether a condition, if it is bad, does not count against its object."""
    if kind in known:
        return "warning" in known[kind]
    return kind == _HARMLESS or kind.endswith(_PRESSURE) or severity in _MILD


def tells_failure(reason: str) -> bool:
    """Return whether the *reason* of a condition tells of a failure.

    >>> tells_failure("ImageNotFound"), tells_failure("MissingEndpoints")
    (True, True)
    >>> tells_failure("Creating"), tells_failure("MinimumReplicasUnavailable")
    (False, False)
    """
    return 0 < len(reason) <= _LONGEST and bool(re.match(_ALARMING, reason))


def is_failed(word: str) -> bool:
    """Return whether a phase, a state or a health is a failure.

    >>> is_failed("PartiallyFailed"), is_failed("ERROR, no answer"), is_failed("Up")
    (True, True, False)
    """
    first = word[:_LONGEST].partition(",")[0].partition(":")[0]
    return bool(re.match(_FAILED_WORD, first.lower()))

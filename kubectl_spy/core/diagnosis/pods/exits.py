"""Describes how a container ended, and what to do."""

from __future__ import annotations

import re

from kubectl_spy.core.diagnosis.finding import Fact, fact
from kubectl_spy.core.diagnosis.pods.probes import REFUSED
from kubectl_spy.core.diagnosis.pods.seen_pod import Container, SeenPod
from kubectl_spy.core.diagnosis.wording import brief, message_line
from kubectl_spy.core.fields import mapping, moment, number, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.remedy import Remedy, advice

NEVER_STARTED = ("StartError", "ContainerCannotRun", "RunContainerError")

_HOOK = "postStart"
_STATUS = re.compile(r"statuscode: ([0-9]{3})\b")

# The signals of Linux, signal(7). The module `signal` has those of this machine.
_FIRST_SIGNALS = "SIGHUP SIGINT SIGQUIT SIGILL SIGTRAP SIGABRT SIGBUS SIGFPE SIGKILL"
_SIGNALS = dict(enumerate(_FIRST_SIGNALS.split(), 1)) | {11: "SIGSEGV", 13: "SIGPIPE"}
_SIGNALS |= {14: "SIGALRM", 15: "SIGTERM", 24: "SIGXCPU", 25: "SIGXFSZ", 31: "SIGSYS"}

_MEANINGS = {
    126: "CommandNotExecutable",
    127: "CommandNotFound",
    134: "Aborted",
    137: "Killed",
    139: "Crashed",
    143: "ToldToStop",
}
"""126 and 127 are the shell's, more than 128 is 128 and the signal:
https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html#tag_19_08_02"""


def ended(pod: SeenPod, container: Container, terminated: dict[str, JSON]) -> Fact:
    """Return how the run in *terminated* ended: `ExitedWith`, `OutOfMemory`."""
    code = number(terminated, "exitCode")
    reason = text(terminated, "reason")
    message = text(terminated, "message")
    if reason == "OOMKilled":
        return _out_of_memory(pod, container)
    if reason in NEVER_STARTED:
        return fact("NeverStarted", message=start_error(message) or reason)
    if reason == "ContainerStatusUnknown":
        return fact("EndUnseen")
    if why := _killed_for(pod, container, terminated):
        if why == _HOOK:
            return fact("KilledForHook", exit=code)
        return fact("KilledForProbe", probe=why, exit=code)
    last = _last_line(message)
    if signal := number(terminated, "signal"):
        named = str(_SIGNALS.get(signal, signal))
        return fact("KilledBySignal", signal=named, reason=reason, last=last)
    return fact(
        "ExitedWith", exit=code, reason=reason, meaning=_meaning(code), last=last
    )


def remedy(pod: SeenPod, container: Container, terminated: dict[str, JSON]) -> Remedy:
    """Return what to do about it, or where to look."""
    name = container.name
    code = number(terminated, "exitCode")
    reason = text(terminated, "reason")
    logs = pod.logs(container, previous=container.terminated is None)
    if reason == "OOMKilled":
        raised = "raise resources.limits.memory of container {}, or let it use less: {}"
        return advice(raised, name, logs)
    if reason in NEVER_STARTED or code in (126, 127):
        return advice("check command and args of container {} against its image", name)
    why = _killed_for(pod, container, terminated)
    if not why:
        return logs
    if why == _HOOK:
        return advice("check lifecycle.postStart of container {}", name)
    if mapping(container.spec, f"{why}Probe", "exec"):
        return advice("see why the command of the probe fails: {}", logs)
    return _of_probe(_answer(pod, container, terminated, why), logs)


def _answer(
    pod: SeenPod, container: Container, terminated: dict[str, JSON], probe: str
) -> str:
    """Return the last message about *probe* of a run that the kubelet ended."""
    over = moment(terminated, "finishedAt") or 0.0
    for each in reversed(container.events(pod, "Unhealthy")):
        past = each.first is None or each.first < over + 1
        if past and each.said.lower().startswith(f"{probe} probe"):
            return brief(each.said)
    return ""


def _of_probe(answer: str, logs: Remedy) -> Remedy:
    """Return what to do about a probe that failed with that *answer*.

    https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/probe/http/http.go
    """
    if answered := _STATUS.search(answer):
        code = answered[1]
        if code.startswith("4"):
            hint = "it answered HTTP {}: correct the path of the probe, or serve it: {}"
            return advice(hint, code, logs)
        return advice("see why it answered HTTP {}: {}", code, logs)
    if REFUSED in answer:
        return advice(
            "nothing listened: correct the port, or loosen the probe: {}", logs
        )
    return advice("see why it did not answer, or loosen the probe: {}", logs)


def _killed_for(pod: SeenPod, container: Container, terminated: dict[str, JSON]) -> str:
    """Return what the kubelet ended that run for: `liveness`, `postStart`, or ""."""
    kills = container.events(pod, "Killing", "FailedPostStartHook")
    if not kills:
        return ""
    begun, over = moment(terminated, "startedAt"), moment(terminated, "finishedAt")
    if begun is None or over is None:
        return ""
    code = number(terminated, "exitCode")
    for each in reversed(kills):
        if each.first is None or each.last is None:
            continue
        # The end has whole seconds. The Event may be more precise.
        within = begun <= each.last < over + 1
        # A later kill updates the time of the Event, so the exit code counts, too.
        among = each.first <= over <= each.last and code in (137, 143)
        if not within and not among:
            continue
        if each.reason == "FailedPostStartHook":
            return _HOOK
        for probe in ("liveness", "startup"):
            if f"failed {probe} probe" in each.message:
                return probe
    return ""


def start_error(message: str) -> str:
    """Return why the container runtime could not start a container.

    >>> start_error('runc create failed: unable to start container process: '
    ...     'error during container init: exec: "ngin": executable file not found')
    'exec: "ngin": executable file not found'
    """
    message = brief(message)
    for mark in (
        "error during container init: ",
        "unable to start container process: ",
        "OCI runtime create failed: ",
        " desc = ",
    ):
        _, found, after = message.rpartition(mark)
        if found:
            return message_line(after)
    return message_line(message)


def _out_of_memory(pod: SeenPod, container: Container) -> Fact:
    own = text(container.spec, "resources", "limits", "memory")
    whole = text(mapping(pod.document, "spec"), "resources", "limits", "memory")
    return fact("OutOfMemory", limit=own, whole="" if own else whole)


def _meaning(code: int) -> Fact | None:
    if code in _MEANINGS:
        return fact(_MEANINGS[code])
    signal = _SIGNALS.get(code - 128)
    return fact("EndedBySignal", signal=signal) if signal else None


def _last_line(message: str) -> str:
    """Return the last line of a termination message, which usually has the error."""
    lines = [line for line in message.splitlines() if line.strip()]
    return message_line(lines[-1], 160) if lines else ""

"""Describes how a container ended, and what to do."""

from __future__ import annotations

import re

from kubectl_spy.core.diagnosis.pods.probes import REFUSED
from kubectl_spy.core.diagnosis.pods.seen_pod import Container, SeenPod
from kubectl_spy.core.diagnosis.wording import brief, message_line
from kubectl_spy.core.fields import mapping, moment, number, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.remedy import Remedy, advice

NEVER_STARTED = ("StartError", "ContainerCannotRun", "RunContainerError")

_STATUS = re.compile(r"statuscode: ([0-9]{3})\b")

# The signals of Linux, signal(7). The module `signal` has those of this machine.
_FIRST_SIGNALS = "SIGHUP SIGINT SIGQUIT SIGILL SIGTRAP SIGABRT SIGBUS SIGFPE SIGKILL"
_SIGNALS = dict(enumerate(_FIRST_SIGNALS.split(), 1)) | {11: "SIGSEGV", 13: "SIGPIPE"}
_SIGNALS |= {14: "SIGALRM", 15: "SIGTERM", 24: "SIGXCPU", 25: "SIGXFSZ", 31: "SIGSYS"}

_MEANINGS = {
    126: "its command cannot be executed",
    127: "its command was not found",
    134: "it aborted (SIGABRT)",
    137: "killed (SIGKILL)",
    139: "it crashed, a segmentation fault (SIGSEGV)",
    143: "it was told to stop (SIGTERM)",
}
"""126 and 127 are the shell's, more than 128 is 128 and the signal:
https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html#tag_19_08_02"""


def ended(pod: SeenPod, container: Container, terminated: dict[str, JSON]) -> str:
    """Return how the run in *terminated* ended.

    `exited with 3 (Error)`, `ran out of memory (OOMKilled), its limit is 64Mi`.
    """
    code = number(terminated, "exitCode")
    reason = text(terminated, "reason")
    message = text(terminated, "message")
    if reason == "OOMKilled":
        return f"ran out of memory (OOMKilled), {_memory(pod, container)}"
    if reason in NEVER_STARTED:
        return f"could not be started: {start_error(message) or reason}"
    if reason == "ContainerStatusUnknown":
        return "ended when nobody saw it: the node lost track of it"
    if why := _killed_because(pod, container, terminated):
        return f"was killed because {why} (exit code {code})"
    signal = number(terminated, "signal")
    named = f" ({reason})" if reason else ""
    if signal:
        told = f"was killed by signal {_SIGNALS.get(signal, signal)}{named}"
    else:
        told = f"exited with {code}{named}"
    meaning = "" if signal else _meaning(code)
    last = _last_line(message)
    return told + (f": {meaning}" if meaning else "") + (f": {last}" if last else "")


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
    why = _killed_because(pod, container, terminated)
    if "hook" in why:
        return advice("check lifecycle.postStart of container {}", name)
    for probe in ("liveness", "startup"):
        if probe in why:
            if mapping(container.spec, f"{probe}Probe", "exec"):
                return advice("see why the command of the probe fails: {}", logs)
            return _of_probe(_answer(pod, container, terminated, probe), logs)
    return logs


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
            told = "it answered HTTP {}: correct the path of the probe, or serve it: {}"
            return advice(told, code, logs)
        return advice("see why it answered HTTP {}: {}", code, logs)
    if REFUSED in answer:
        return advice(
            "nothing listened: correct the port, or loosen the probe: {}", logs
        )
    return advice("see why it did not answer, or loosen the probe: {}", logs)


def _killed_because(
    pod: SeenPod, container: Container, terminated: dict[str, JSON]
) -> str:
    """Return why the kubelet ended that run: `its liveness probe failed`, or ""."""
    begun, over = moment(terminated, "startedAt"), moment(terminated, "finishedAt")
    if begun is None or over is None:
        return ""
    code = number(terminated, "exitCode")
    for each in reversed(container.events(pod, "Killing", "FailedPostStartHook")):
        if each.first is None or each.last is None:
            continue
        # The end has whole seconds. The Event may be more precise.
        within = begun <= each.last < over + 1
        # A later kill updates the time of the Event, so the exit code counts, too.
        among = each.first <= over <= each.last and code in (137, 143)
        if not within and not among:
            continue
        if each.reason == "FailedPostStartHook":
            return "its postStart hook failed"
        for probe in ("liveness", "startup"):
            if f"failed {probe} probe" in each.message:
                return f"its {probe} probe failed"
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


def _memory(pod: SeenPod, container: Container) -> str:
    own = text(container.spec, "resources", "limits", "memory")
    if own:
        return f"its limit is {own}"
    whole = text(mapping(pod.document, "spec"), "resources", "limits", "memory")
    if whole:
        return f"the limit of the Pod is {whole}"
    return "it has no limit of its own: the node's memory ran out"


def _meaning(code: int) -> str:
    if code in _MEANINGS:
        return _MEANINGS[code]
    signal = _SIGNALS.get(code - 128)
    return f"killed by {signal}" if signal else ""


def _last_line(message: str) -> str:
    """Return the last line of a termination message, which usually has the error."""
    lines = [line for line in message.splitlines() if line.strip()]
    return message_line(lines[-1], 160) if lines else ""

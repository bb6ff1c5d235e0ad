"""Describes probes, and whether they failed since the container was started.

https://kubernetes.io/docs/concepts/configuration/liveness-readiness-startup-probes/
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_spy.core.cluster.events import ClusterEvent
from kubectl_spy.core.diagnosis.finding import Fact, Finding, Verdict, fact, finding
from kubectl_spy.core.diagnosis.pods.seen_pod import Container, SeenPod
from kubectl_spy.core.diagnosis.wording import message_line
from kubectl_spy.core.fields import mapping, mappings, number, text
from kubectl_spy.core.objects import JSON

REFUSED = "connect: connection refused"  # Go's message if nothing listens at a port
_UNNAMED = "strconv.Atoi: parsing "
"""If the container has no port of a name, the kubelet parses the name as a number:
https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/probe/util.go"""


def undeclared(
    pod: SeenPod, container: Container, probe: str, answer: str
) -> Fact | None:
    """Return that no container declares the port of a failed probe, and the declared.

    `containerPort` is only informational. But an undeclared port that refuses
    connections is probably wrong.
    """
    asked = mapping(container.spec, f"{probe}Probe")
    ports = [
        mapping(asked, how).get("port") for how in ("httpGet", "tcpSocket", "grpc")
    ]
    if _UNNAMED in answer:
        names = [text(each, "name") for each in mappings(container.spec, "ports")]
        wanted = next((each for each in ports if isinstance(each, str)), "")
        if not wanted or wanted in names:
            return None
        others = tuple(filter(None, names))
        return fact("PortNameUnknown", port=wanted, others=others)
    if REFUSED not in answer:
        return None
    port = next((each for each in ports if type(each) is int), None)
    declared = [
        number
        for each in pod.containers
        for declaring in mappings(each.spec, "ports")
        if type(number := declaring.get("containerPort")) is int
    ]
    if port is None or not declared or port in declared:
        return None
    others = tuple(str(each) for each in dict.fromkeys(declared))
    return fact("PortUndeclared", port=port, others=others)


PROBES = ("startup", "liveness", "readiness")
_DEFAULTS = {
    "initialDelaySeconds": 0,
    "periodSeconds": 10,
    "timeoutSeconds": 1,
    "failureThreshold": 3,
}
_MOST = 2**31 - 1


def findings(pod: SeenPod, container: Container) -> list[Finding]:
    """Return the findings about the probes of a running container."""
    found = [_finding(pod, container, probe) for probe in PROBES]
    return [each for each in found if each is not None]


def question(container: Container, probe: str) -> str:
    """Return what *probe* does: `GET :8080/ready`, `exec cat /tmp/ok`, or ""."""
    asked = _probe(container, probe)
    if "httpGet" in asked:
        get = mapping(asked, "httpGet")
        scheme = "HTTPS " if text(get, "scheme") == "HTTPS" else ""
        path = text(get, "path") or "/"
        return message_line(f"{scheme}GET {text(get, 'host')}:{_port(get)}{path}", 100)
    if "tcpSocket" in asked:
        socket = mapping(asked, "tcpSocket")
        return message_line(f"TCP {text(socket, 'host')}:{_port(socket)}", 100)
    if "grpc" in asked:
        grpc = mapping(asked, "grpc")
        return message_line(f"gRPC :{_port(grpc)} {text(grpc, 'service')}", 100)
    command = mapping(asked, "exec").get("command")
    if isinstance(command, list):
        words = [each for each in command if isinstance(each, str)]
        return message_line(f"exec {' '.join(words)}", 100)
    return ""


def awaited(container: Container) -> str:
    """Return the probe that a running, unready container waits for, or ""."""
    if _probe(container, "startup") and container.status.get("started") is not True:
        return "startup"
    return "readiness" if _probe(container, "readiness") else ""


def failures(pod: SeenPod, container: Container, probe: str) -> list[ClusterEvent]:
    """Return the failures of *probe* since the container started, the latest last."""
    return [
        each
        for each in _since_start(pod, container, "Unhealthy")
        if each.said.lower().startswith(probe)
    ]


def refuses(pod: SeenPod, port: int) -> bool:
    """Return whether the last failed probe of *port* was refused a connection."""
    return any(
        f":{port}: {REFUSED}" in failed[-1].said
        and _verdict(pod, container, probe, failed) is Verdict.FAILING
        for container in pod.containers
        if container.running is not None
        for probe in PROBES
        if not _passes(container, probe) and (failed := failures(pod, container, probe))
    )


def _since_start(
    pod: SeenPod, container: Container, reason: str
) -> Iterator[ClusterEvent]:
    started = container.started
    for each in container.events(pod, reason):
        # Both times are the kubelet's, in whole seconds.
        if started is None or each.last is None or each.last >= started:
            yield each


def _finding(pod: SeenPod, container: Container, probe: str) -> Finding | None:
    failed = failures(pod, container, probe)
    if not failed or _passes(container, probe):
        return None
    answer = _answer(failed[-1])
    verdict = _verdict(pod, container, probe, failed)
    return finding(
        "ProbeFailed",
        f"probe/{container.name}/{probe}",
        probe=probe,
        question=question(container, probe),
        answer=answer,
        port=undeclared(pod, container, probe, answer),
        restarting=probe != "readiness" and verdict is Verdict.FAILING,
        verdict=verdict,
        remedy=pod.logs(container),
    )


def _passes(container: Container, probe: str) -> bool:
    if probe == "readiness":
        return container.ready
    return probe == "startup" and container.status.get("started") is True


def _verdict(
    pod: SeenPod, container: Container, probe: str, failed: list[ClusterEvent]
) -> Verdict:
    if probe == "readiness":
        threshold = _setting(_probe(container, probe), "failureThreshold")
        failing = _in_a_row(container, failed) >= threshold
    else:
        failing = any(
            f"failed {probe} probe" in each.message
            for each in _since_start(pod, container, "Killing")
        )
    return Verdict.FAILING if failing else Verdict.WAITING


def _in_a_row(container: Container, failed: list[ClusterEvent]) -> int:
    """Return how many readiness probes in a row have failed, by the Events *failed*.

    An unready container has failed all probes since its start, or at least
    failureThreshold of them: a ready one turns unready only after so many. Events count
    failures, but not exactly. After 25 Events about a Pod the kubelet sends one in five
    minutes, and an older Event also counts failures of earlier runs. Time gives bounds:
    at least one probe for each period since the start, and at most some more, because
    an unready container is probed more often. Within these bounds the count decides.
    https://kubernetes.io/docs/concepts/workloads/pods/probes/#configure-probes
    """
    last, started = failed[-1].last, container.started
    if started is None or last is None:
        return sum(each.times for each in failed)
    count = sum(
        1 if each.first is not None and each.first < started else each.times
        for each in failed
    )
    asked = _probe(container, "readiness")
    period = _setting(asked, "periodSeconds")
    began = late = started + _setting(asked, "initialDelaySeconds")
    if startup := _probe(container, "startup"):
        # Readiness probes begin after the startup probe has passed.
        first = min(each.first or 0.0 for each in failed)
        tries = _setting(startup, "periodSeconds") * _setting(
            startup, "failureThreshold"
        )
        late += _setting(startup, "initialDelaySeconds") + tries
        late = min(late, first) if first >= started else late
    # Times have whole seconds, so a difference may be off by one.
    slowest = max(period, _setting(asked, "timeoutSeconds"))
    least = int((last - late - 1) // slowest) + 1
    most = int((last - began + 1) // period) + 1
    return max(least, min(count, most))


def _setting(asked: dict[str, JSON], name: str) -> int:
    return min(max(number(asked, name), 0), _MOST) or _DEFAULTS[name]


def _answer(event: ClusterEvent) -> str:
    """Return the answer to the probe in the kubelet's message.

    The kubelet writes `Readiness probe failed: …`, or `Liveness probe errored: …` if it
    could not probe.
    """
    _, separator, answer = event.said.partition(": ")
    answer = message_line(answer if separator else event.said, 160)
    code = answer.removeprefix("HTTP probe failed with statuscode: ")
    return f"HTTP {code}" if code != answer else answer


def _probe(container: Container, probe: str) -> dict[str, JSON]:
    return mapping(container.spec, f"{probe}Probe")


def _port(asked: dict[str, JSON]) -> str:
    port = asked.get("port")
    return str(port) if isinstance(port, (str, int)) else ""

"""Probes: what each asks, and whether it failed since the container was started.

https://kubernetes.io/docs/concepts/configuration/liveness-readiness-startup-probes/
"""

from __future__ import annotations

from kubectl_spy.core.events import ClusterEvent
from kubectl_spy.core.fields import mapping, number, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.trace.picture import Finding, Verdict
from kubectl_spy.core.trace.pods.seen_pod import Container, SeenPod
from kubectl_spy.core.trace.wording import one_line

PROBES = ("startup", "liveness", "readiness")


def findings(pod: SeenPod, container: Container) -> list[Finding]:
    """Return what the probes of a running container have to say, if anything."""
    found = [_finding(pod, container, probe) for probe in PROBES]
    return [each for each in found if each is not None]


def question(container: Container, probe: str) -> str:
    """Return what *probe* asks: `GET :8080/ready`, `exec cat /tmp/ok`; or ""."""
    asked = _probe(container, probe)
    if "httpGet" in asked:
        get = mapping(asked, "httpGet")
        scheme = "HTTPS " if text(get, "scheme") == "HTTPS" else ""
        path = text(get, "path") or "/"
        return one_line(f"{scheme}GET {text(get, 'host')}:{_port(get)}{path}", 100)
    if "tcpSocket" in asked:
        socket = mapping(asked, "tcpSocket")
        return one_line(f"TCP {text(socket, 'host')}:{_port(socket)}", 100)
    if "grpc" in asked:
        grpc = mapping(asked, "grpc")
        return one_line(f"gRPC :{_port(grpc)} {text(grpc, 'service')}", 100)
    command = mapping(asked, "exec").get("command")
    if isinstance(command, list):
        words = [each for each in command if isinstance(each, str)]
        return one_line(f"exec {' '.join(words)}", 100)
    return ""


def named(container: Container, probe: str) -> str:
    """Return the name of the probe with what it asks: `readiness probe (TCP :80)`."""
    asked = question(container, probe)
    return f"{probe} probe ({asked})" if asked else f"{probe} probe"


def awaited(container: Container) -> str:
    """Return the probe that a running container that is not ready waits for, or ""."""
    if _probe(container, "startup") and container.status.get("started") is not True:
        return "startup"
    return "readiness" if _probe(container, "readiness") else ""


def failure(pod: SeenPod, container: Container, probe: str) -> ClusterEvent | None:
    """Return the latest failure of *probe* since the container was started, if any."""
    started = container.started
    for each in reversed(container.events(pod, "Unhealthy")):
        if not each.message.lower().startswith(probe):
            continue
        # Both are times of the kubelet, in whole seconds.
        if started is None or each.last is None or each.last >= started:
            return each
    return None


def _finding(pod: SeenPod, container: Container, probe: str) -> Finding | None:
    if probe == "readiness" and container.ready:
        return None  # it passes now, whatever it did before
    if probe == "startup" and container.status.get("started") is True:
        return None
    event = failure(pod, container, probe)
    if event is None:
        return None
    told = f"{named(container, probe)} failed: {_answer(event)}"
    verdict = Verdict.WAITING
    if probe == "readiness":
        if _outlasted(container, event):
            verdict = Verdict.FAILING
    elif _kills(pod, container, probe):
        verdict = Verdict.FAILING
        told += "; the container is being restarted for it"
    return Finding(
        f"probe/{container.name}/{probe}", verdict, told, pod.logs(container)
    )


def _kills(pod: SeenPod, container: Container, probe: str) -> bool:
    """Whether the kubelet gave the container up for *probe*."""
    started = container.started
    return any(
        f"failed {probe} probe" in each.message
        and (started is None or each.last is None or each.last >= started)
        for each in container.events(pod, "Killing")
    )


def _outlasted(container: Container, event: ClusterEvent) -> bool:
    """Whether readiness failed for longer than the probe gives it from the start."""
    if container.started is None or event.last is None:
        return False
    asked = _probe(container, "readiness")
    # The defaults that the API server fills in, if nobody else did.
    patience = number(asked, "failureThreshold", default=3)
    grace = (
        number(asked, "initialDelaySeconds")
        + number(asked, "periodSeconds", default=10) * patience
    )
    return event.last - container.started > grace


def _answer(event: ClusterEvent) -> str:
    """Return what the probe got for an answer, without the words around it.

    The kubelet writes `Readiness probe failed: …`, and `Liveness probe errored: …`
    where it could not ask.
    """
    _, separator, answer = event.message.partition(": ")
    answer = one_line(answer if separator else event.message, 160)
    code = answer.removeprefix("HTTP probe failed with statuscode: ")
    return f"HTTP {code}" if code != answer else answer or "it says nothing"


def _probe(container: Container, probe: str) -> dict[str, JSON]:
    return mapping(container.spec, f"{probe}Probe")


def _port(asked: dict[str, JSON]) -> str:
    """Return the port, by its number or its name."""
    port = asked.get("port")
    return str(port) if isinstance(port, (str, int)) else ""

"""Probes: what each asks, and whether it failed since the container was started.

https://kubernetes.io/docs/concepts/configuration/liveness-readiness-startup-probes/
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_spy.core.cluster.events import ClusterEvent
from kubectl_spy.core.diagnosis.finding import Finding, Verdict
from kubectl_spy.core.diagnosis.pods import ports
from kubectl_spy.core.diagnosis.pods.seen_pod import Container, SeenPod
from kubectl_spy.core.diagnosis.wording import one_line
from kubectl_spy.core.fields import mapping, number, text
from kubectl_spy.core.objects import JSON

PROBES = ("startup", "liveness", "readiness")
_DEFAULTS = {
    "initialDelaySeconds": 0,
    "periodSeconds": 10,
    "timeoutSeconds": 1,
    "failureThreshold": 3,
}
_MOST = 2**31 - 1


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


def failures(pod: SeenPod, container: Container, probe: str) -> list[ClusterEvent]:
    """Return what was reported of *probe* since the container started, latest last."""
    return [
        each
        for each in _since_start(pod, container, "Unhealthy")
        if each.said.lower().startswith(probe)
    ]


def refuses(pod: SeenPod, port: int) -> bool:
    """Whether a probe that fails was refused when it last asked at *port*."""
    return any(
        f":{port}: {ports.REFUSED}" in failed[-1].said
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
        # Both are times of the kubelet, in whole seconds.
        if started is None or each.last is None or each.last >= started:
            yield each


def _finding(pod: SeenPod, container: Container, probe: str) -> Finding | None:
    failed = failures(pod, container, probe)
    if not failed or _passes(container, probe):
        return None
    answer = _answer(failed[-1])
    verdict = _verdict(pod, container, probe, failed)
    told = f"{named(container, probe)} failed: {answer}"
    if wrong := ports.undeclared(pod, container, probe, answer):
        told += f"; {wrong}"
    if probe != "readiness" and verdict is Verdict.FAILING:
        told += "; the container is being restarted for it"
    return Finding(
        f"probe/{container.name}/{probe}", verdict, told, pod.logs(container)
    )


def _passes(container: Container, probe: str) -> bool:
    """Whether the status says that the probe passes, whatever it did before."""
    if probe == "readiness":
        return container.ready
    return probe == "startup" and container.status.get("started") is True


def _verdict(
    pod: SeenPod, container: Container, probe: str, failed: list[ClusterEvent]
) -> Verdict:
    """Return whether *probe* fails for good; *failed* was reported of this run."""
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
    """Return how many readiness probes in a row have failed, *failed* being reported.

    A container that is not ready has failed all of them since it started, or at least
    failureThreshold of them: only that makes a ready one unready. Events count the
    failures, but not exactly: after 25 about a Pod the kubelet sends one in five
    minutes, and one that was there before the start counts failures of earlier runs.
    Time says how many there must be, one for each period since the start. It also says
    how many there can be: while a container is not ready, more probes than one in a
    period belong to a normal start. So the count decides within the bounds of time.
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
        # No readiness probe is made before the startup probe has passed.
        first = min(each.first or 0.0 for each in failed)
        tries = _setting(startup, "periodSeconds") * _setting(
            startup, "failureThreshold"
        )
        late += _setting(startup, "initialDelaySeconds") + tries
        late = min(late, first) if first >= started else late
    # Times of whole seconds may be a second further apart than they seem, or nearer.
    slowest = max(period, _setting(asked, "timeoutSeconds"))
    least = int((last - late - 1) // slowest) + 1
    most = int((last - began + 1) // period) + 1
    return max(least, min(count, most))


def _setting(asked: dict[str, JSON], name: str) -> int:
    """Return a number of a probe, or the default that the API server fills in."""
    return min(max(number(asked, name), 0), _MOST) or _DEFAULTS[name]


def _answer(event: ClusterEvent) -> str:
    """Return what the probe got for an answer, without the words around it.

    The kubelet writes `Readiness probe failed: …`, and `Liveness probe errored: …`
    where it could not ask.
    """
    _, separator, answer = event.said.partition(": ")
    answer = one_line(answer if separator else event.said, 160)
    code = answer.removeprefix("HTTP probe failed with statuscode: ")
    return f"HTTP {code}" if code != answer else answer or "it says nothing"


def _probe(container: Container, probe: str) -> dict[str, JSON]:
    return mapping(container.spec, f"{probe}Probe")


def _port(asked: dict[str, JSON]) -> str:
    """Return the port, by its number or its name."""
    port = asked.get("port")
    return str(port) if isinstance(port, (str, int)) else ""

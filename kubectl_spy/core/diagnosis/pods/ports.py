"""Whether a probe asks at a port that a container of the Pod declares."""

from __future__ import annotations

from kubectl_spy.core.diagnosis.pods.seen_pod import Container, SeenPod
from kubectl_spy.core.diagnosis.wording import listed
from kubectl_spy.core.fields import mapping, mappings

REFUSED = "connect: connection refused"
"""How the Linux kernel, through Go, says that nothing listens at a port."""


def undeclared(pod: SeenPod, container: Container, probe: str, answer: str) -> str:
    """Return that nobody declares the port that refused a probe, and who has which.

    `containerPort` is for information only, so that alone is no mistake: but a port
    that refuses connections and that nobody declares is likely a wrong one.
    """
    if REFUSED not in answer:
        return ""
    asked = mapping(container.spec, f"{probe}Probe")
    ports = [
        mapping(asked, how).get("port") for how in ("httpGet", "tcpSocket", "grpc")
    ]
    port = next((each for each in ports if type(each) is int), None)
    declared = [
        number
        for each in pod.containers
        for declaring in mappings(each.spec, "ports")
        if type(number := declaring.get("containerPort")) is int
    ]
    if port is None or not declared or port in declared:
        return ""
    numbers = listed(str(each) for each in dict.fromkeys(declared))
    return f"no container declares port {port}, but {numbers}"

"""Checks whether the port of a failed probe is declared."""

from __future__ import annotations

from kubectl_spy.core.diagnosis.pods.seen_pod import Container, SeenPod
from kubectl_spy.core.diagnosis.wording import listed
from kubectl_spy.core.fields import mapping, mappings, text

REFUSED = "connect: connection refused"
"""The message of Go if nothing listens at a port."""
_UNNAMED = "strconv.Atoi: parsing "
"""If the container has no port of a name, the kubelet parses the name as a number:
https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/probe/util.go"""


def undeclared(pod: SeenPod, container: Container, probe: str, answer: str) -> str:
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
            return ""
        others = listed(filter(None, names))
        return f"the container has no port named {wanted}" + (
            f", but {others}" if others else ""
        )
    if REFUSED not in answer:
        return ""
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

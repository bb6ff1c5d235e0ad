"""Probes whether a Service answers, through the API server's proxy.

The API server connects to a ready endpoint itself. The cluster's DNS and the nodes'
proxies take no part.
https://kubernetes.io/docs/tasks/access-application-cluster/access-cluster-services/
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import quote

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.finding import Finding, finding
from kubectl_spy.core.diagnosis.services.seen_service import SeenService, ServicePort
from kubectl_spy.core.diagnosis.wording import message_line
from kubectl_spy.core.fields import text
from kubectl_spy.core.objects import JSON

_TROUBLE = "error trying to reach service: "
_NOT_HTTP = ("malformed HTTP", "malformed MIME", "server gave HTTP response")
"""Errors of Go's HTTP client for an answer that is not HTTP.
https://github.com/kubernetes/apimachinery/blob/v0.36.2/pkg/util/proxy/transport.go
"""


class ProbeTarget(NamedTuple):
    """A port of a Service to probe. If any member changes, probe again."""

    uid: str
    namespace: str
    name: str
    port: int
    protocol: str
    secure: bool
    endpoints: tuple[str, ...]

    @property
    def path(self) -> str:
        """The path of the API server's proxy to this port."""
        scheme = "https" if self.secure else "http"
        service = f"{scheme}:{quote(self.name, safe='')}:{self.port}"
        namespace = quote(self.namespace, safe="")
        return f"/api/v1/namespaces/{namespace}/services/{service}/proxy/"


def targets(entry: Entry, seen: Inventory) -> Iterator[ProbeTarget]:
    """Yield the ports of a Service to probe."""
    service = SeenService(entry, seen)
    if service.external:
        return
    for port in service.ports:
        endpoints = sorted(each.address for each in service.receiving(port))
        yield ProbeTarget(
            entry.uid,
            entry.namespace or "",
            entry.name,
            port.number,
            port.protocol,
            _is_secure(port),
            tuple(endpoints),
        )


def findings(service: SeenService) -> Iterator[Finding]:
    """Yield the answer of each port that was probed."""
    probed = service.seen.probed(service.entry.uid)
    for port in service.ports:
        answer = probed.get((port.number, port.protocol))
        if answer is None:
            continue
        what = message_line(answer.what)
        about = f"probe/{port.number}/{port.protocol}"
        codes = {True: "PortAnswers", False: "PortSilent", None: "PortUnknown"}
        yield finding(codes[answer.answers], about, port=str(port), answer=what)


def judged(status: int, body: str) -> tuple[bool | None, str]:
    """Return whether the Service answered, and the answer in one line.

    None means that it is not known. The API server's own refusals and failures are
    Status objects.
    """
    answer = _status_object(body)
    message = text(answer, "message")
    if status == 403 and "services/proxy" in message:
        return None, f"{message}: it takes the right to get services/proxy"
    if status == 401 and answer:
        return None, message or "the API server does not accept the credentials"
    if status == 404 and text(answer, "details", "kind") == "services":
        return None, message
    if status == 503 and message.startswith(("no endpoints available", "no service ")):
        return False, message
    if status in (502, 503, 504) and message.startswith(_TROUBLE):
        trouble = message.removeprefix(_TROUBLE)
        if any(each in trouble for each in _NOT_HTTP):
            return True, f"no HTTP ({trouble})"
        if trouble == "EOF":
            return True, "it takes the connection, and closes it without an answer"
        return False, trouble
    return True, f"HTTP {status}"


def _status_object(body: str) -> JSON:
    if not body.startswith("{"):
        return {}
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return answer if text(answer, "kind") == "Status" else {}


def _is_secure(port: ServicePort) -> bool:
    protocol = port.app_protocol.rpartition("/")[2].lower()
    if protocol:
        return protocol in ("https", "wss")
    return port.name.lower().startswith("https") or port.number in (443, 8443, 6443)

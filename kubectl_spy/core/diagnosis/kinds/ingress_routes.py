"""The hosts and paths of an Ingress, and the backend that each leads to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.finding import Finding, Verdict
from kubectl_spy.core.diagnosis.kinds import service as service_kind
from kubectl_spy.core.diagnosis.services.seen_service import SeenService
from kubectl_spy.core.diagnosis.wording import listed, one_line
from kubectl_spy.core.fields import mapping, mappings, number, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.remedy import NO_REMEDY, Remedy, kubectl

_COMMON = ("ImplementationSpecific", "Prefix", "")
"""Path types that need no mention."""


class Backend(NamedTuple):
    """What a path leads to."""

    kind: str
    name: str
    port: int | str
    """Of a Service: its number, or its name; 0 is none."""

    def __str__(self) -> str:
        name = self.name if self.kind == "Service" else f"{self.kind}/{self.name}"
        return f"{name}:{self.port}" if self.port else name


class Route(NamedTuple):
    """A host and path, or the default."""

    where: str
    backend: Backend
    service: Entry | None
    """The one it leads to, if that is there."""
    finding: Finding


def routes(entry: Entry, seen: Inventory) -> list[Route]:
    """Return where everything leads, the default last."""
    found: dict[str, Route] = {}
    for where, document in _paths(entry):
        route = _route(where, _backend(document), entry, seen)
        found.setdefault(route.finding.about, route)
    return list(found.values())


def _paths(entry: Entry) -> Iterator[tuple[str, dict[str, JSON]]]:
    for rule in mappings(entry.document, "spec", "rules"):
        host = text(rule, "host") or "*"
        for each in mappings(rule, "http", "paths"):
            kind = text(each, "pathType")
            where = host + (text(each, "path") or "/")
            if kind not in _COMMON:
                where += f" ({kind})"
            yield one_line(where), mapping(each, "backend")
    default = mapping(entry.document, "spec", "defaultBackend")
    if default:
        yield "everything else", default


def _backend(document: dict[str, JSON]) -> Backend:
    if "resource" in document:
        kind = one_line(text(document, "resource", "kind"), 63)
        return Backend(kind, text(document, "resource", "name"), 0)
    port = mapping(document, "service", "port")
    return Backend(
        "Service",
        text(document, "service", "name"),
        number(port, "number") or text(port, "name"),
    )


def _route(where: str, backend: Backend, entry: Entry, seen: Inventory) -> Route:
    service = None
    if backend.kind == "Service":
        service = seen.named("", "Service", entry.namespace, backend.name)
        verdict, what, remedy = _state(backend, service, entry, seen)
    else:
        verdict, remedy = Verdict.UNKNOWN, NO_REMEDY
        what = "no Service: what becomes of it only the controller knows"
    text_ = one_line(f"{where} leads to {backend}: {what}", 400)
    about = f"backend/{where}"
    return Route(where, backend, service, Finding(about, verdict, text_, remedy))


def _state(
    backend: Backend, service: Entry | None, entry: Entry, seen: Inventory
) -> tuple[Verdict, str, Remedy]:
    if service is None:
        why = seen.unseen("", "Service", entry.namespace)
        if why:
            return Verdict.UNKNOWN, f"unknown: {why}", NO_REMEDY
        remedy = kubectl("get services", namespace=entry.namespace)
        return Verdict.FAILING, f"there is no Service {backend.name}", remedy
    its = SeenService(service, seen)
    if its.external:
        target = text(its.spec, "externalName")
        return Verdict.OK, f"an alias of {target}", NO_REMEDY
    port = next(
        (each for each in its.ports if backend.port in (each.number, each.name)), None
    )
    if port is None:
        there = listed(map(str, its.ports)) or "none"
        return (
            Verdict.FAILING,
            f"the Service has no port {backend.port or 'named'}, only {there}",
            kubectl("edit ingress {}", entry.name, namespace=entry.namespace),
        )
    ready = len({each.addresses for each in its.receiving(port)})
    if ready:
        return (
            Verdict.OK,
            f"{ready} ready endpoint{'' if ready == 1 else 's'}",
            NO_REMEDY,
        )
    # Why there is none stands under the Service.
    verdict = seen.once(service_kind.diagnose, service).verdict
    if verdict is Verdict.OK:
        verdict = Verdict.WAITING
    remedy = kubectl("spy trace svc/{}", service.name, namespace=entry.namespace)
    return verdict, "no ready endpoint", remedy

"""Ingresses: their class, and the Service behind each host and path.

https://kubernetes.io/docs/concepts/services-networking/ingress/
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.finding import Child, Diagnosis, Finding, Verdict, said
from kubectl_spy.core.diagnosis.kinds import service as service_kind
from kubectl_spy.core.diagnosis.kinds.generic import terminating
from kubectl_spy.core.diagnosis.services import address
from kubectl_spy.core.diagnosis.services.readiness import worst
from kubectl_spy.core.diagnosis.services.seen_service import SeenService, strings
from kubectl_spy.core.diagnosis.wording import listed, message_line
from kubectl_spy.core.fields import mapping, mappings, number, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.remedy import NO_REMEDY, Remedy, advice, kubectl
from kubectl_spy.core.wording import many

_COMMON = ("ImplementationSpecific", "Prefix", "")  # path types that need no mention
_GROUP = "networking.k8s.io"
_LEGACY = "kubernetes.io/ingress.class"
_DEFAULT = "ingressclass.kubernetes.io/is-default-class"


def diagnose(entry: Entry, inventory: Inventory) -> Diagnosis:
    """Return whether each route has a Service with ready endpoints."""
    found = _routes(entry, inventory)
    children = tuple(_children(entry, found, inventory))
    summary = _summary(entry, found)
    deleted = terminating(entry, inventory, summary, children)
    if deleted is not None:
        return deleted
    backends = [each.finding for each in found]
    if not found:
        what = "it has neither a path nor a default backend: it leads nowhere"
        backends = [said("backend/none", Verdict.FAILING, what)]
    findings = (
        _class(entry, inventory),
        *backends,
        *_certificates(entry),
        _address(entry, inventory),
    )
    judged = [
        each.verdict
        for each in findings
        # Secrets are never read: their findings are always UNKNOWN.
        if each.verdict is not Verdict.UNKNOWN or each.about.startswith("backend/")
    ]
    phase = _phase(entry, found)
    return Diagnosis(phase, worst(judged), summary, findings, children)


def _certificates(entry: Entry) -> Iterator[Finding]:
    """Yield the Secret of each certificate, without reading it."""
    for each in mappings(entry.document, "spec", "tls"):
        hosts = strings(each, "hosts")
        whose = f"TLS for {address.written(list(hosts))}" if hosts else "TLS"
        secret = text(each, "secretName")
        if not secret:
            what = f"{whose} with the controller's own certificate"
            yield said(f"tls/{'/'.join(hosts)}", Verdict.OK, what)
            continue
        yield said(
            f"tls/{secret}",
            Verdict.UNKNOWN,
            message_line(f"{whose} from Secret {secret}, which is not read here"),
            kubectl("get secret {}", secret, namespace=entry.namespace),
        )


def _address(entry: Entry, inventory: Inventory) -> Finding:
    if found := address.addresses(entry):
        return said("address", Verdict.OK, address.written(found))
    verdict, reported = address.progress(
        inventory.events(entry.uid), lambda event: event.warning
    )
    return said(
        "address",
        verdict,
        f"no address yet: {reported or 'its controller has reported none'}",
        kubectl("describe ingress {}", entry.name, namespace=entry.namespace),
    )


def _phase(entry: Entry, found: list[_Route]) -> str:
    if all(each.finding.verdict is Verdict.FAILING for each in found):
        return "NoBackend"
    return "Serving" if address.addresses(entry) else "Pending"


def _summary(entry: Entry, found: list[_Route]) -> str:
    parts = [name] if (name := _class_name(entry)) else []
    backends: dict[_Backend, Verdict] = {
        each.backend: each.finding.verdict for each in found
    }
    if backends:
        fine = sum(each is Verdict.OK for each in backends.values())
        parts.append(f"{fine} of {many(len(backends), 'backend')} ready")
    if addresses := address.addresses(entry):
        parts.append(address.written(addresses))
    return message_line(", ".join(parts))


def _children(
    entry: Entry, found: list[_Route], inventory: Inventory
) -> Iterator[Child]:
    roles: dict[str, list[str]] = {}
    for each in found:
        if each.service is not None:
            roles.setdefault(each.service.uid, []).append(each.where)
    for uid, where in roles.items():
        yield Child(uid, message_line(f"for {listed(where, 3)}"))
    for owned in inventory.owned(entry.uid):
        if owned.uid not in roles:
            yield Child(owned.uid)


class _Backend(NamedTuple):
    kind: str
    name: str
    port: int | str  # the number or name of a Service port; 0 is none

    def __str__(self) -> str:
        name = self.name if self.kind == "Service" else f"{self.kind}/{self.name}"
        return f"{name}:{self.port}" if self.port else name


class _Route(NamedTuple):
    where: str  # its host and path
    backend: _Backend
    service: Entry | None  # the Service behind it, if it exists
    finding: Finding


def _routes(entry: Entry, inventory: Inventory) -> list[_Route]:
    found: dict[str, _Route] = {}
    for where, document in _paths(entry):
        route = _route(where, _backend(document), entry, inventory)
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
            yield message_line(where), mapping(each, "backend")
    default = mapping(entry.document, "spec", "defaultBackend")
    if default:
        yield "everything else", default


def _backend(document: dict[str, JSON]) -> _Backend:
    if "resource" in document:
        kind = message_line(text(document, "resource", "kind"), 63)
        return _Backend(kind, text(document, "resource", "name"), 0)
    port = mapping(document, "service", "port")
    return _Backend(
        "Service",
        text(document, "service", "name"),
        number(port, "number") or text(port, "name"),
    )


def _route(where: str, backend: _Backend, entry: Entry, inventory: Inventory) -> _Route:
    service = None
    if backend.kind == "Service":
        service = inventory.named("", "Service", entry.namespace, backend.name)
        verdict, what, remedy = _state(backend, service, entry, inventory)
    else:
        verdict, remedy = Verdict.UNKNOWN, NO_REMEDY
        what = "no Service: only its controller knows what it does"
    what = message_line(f"{where} leads to {backend}: {what}", 400)
    finding = said(f"backend/{where}", verdict, what, remedy)
    return _Route(where, backend, service, finding)


def _state(
    backend: _Backend, service: Entry | None, entry: Entry, inventory: Inventory
) -> tuple[Verdict, str, Remedy]:
    if service is None:
        why = inventory.unseen("", "Service", entry.namespace)
        if why:
            return Verdict.UNKNOWN, f"unknown: {why}", NO_REMEDY
        remedy = kubectl("get services", namespace=entry.namespace)
        return Verdict.FAILING, f"there is no Service {backend.name}", remedy
    its = SeenService(service, inventory)
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
        return Verdict.OK, many(ready, "ready endpoint"), NO_REMEDY
    # The Service shows why.
    verdict = inventory.once(service_kind.diagnose, service).verdict
    if verdict is Verdict.OK:
        verdict = Verdict.WAITING
    remedy = kubectl("spy trace svc/{}", service.name, namespace=entry.namespace)
    return verdict, "no ready endpoint", remedy


def _class_name(entry: Entry) -> str:
    return text(entry.document, "spec", "ingressClassName") or text(
        entry.document, "metadata", "annotations", _LEGACY
    )


def _class(entry: Entry, inventory: Inventory) -> Finding:
    """Return whether a controller serves the Ingress, as far as the API shows.

    https://kubernetes.io/docs/concepts/services-networking/ingress/#ingress-class
    """
    name = _class_name(entry)
    if not name:
        return _classless(entry, inventory)
    by_annotation = not text(entry.document, "spec", "ingressClassName")
    what = f"class {message_line(name, 100)}"
    if by_annotation:
        what += f" (by the old annotation {_LEGACY})"
    found = inventory.named(_GROUP, "IngressClass", None, name)
    if found is not None:
        controller = text(found.document, "spec", "controller")
        by = f" of controller {message_line(controller, 100)}" if controller else ""
        return _found(Verdict.OK, f"{what}{by}")
    why = inventory.unseen(_GROUP, "IngressClass")
    if why:
        return _found(Verdict.UNKNOWN, f"{what}; whether it exists is unknown: {why}")
    if by_annotation:
        # Controllers that read the annotation need no IngressClass object.
        return _found(Verdict.UNKNOWN, f"{what}, of which there is no IngressClass")
    there = [each.name for each in inventory.every(_GROUP, "IngressClass")]
    have = f"there is {listed(there[:5])}" if there else "there is none at all"
    return _found(
        Verdict.FAILING,
        message_line(f"IngressClass {name} does not exist: {have}"),
        kubectl("get ingressclasses"),
    )


def _classless(entry: Entry, inventory: Inventory) -> Finding:
    if address.addresses(entry):
        return _found(Verdict.OK, "it names no class; some controller has taken it")
    why = inventory.unseen(_GROUP, "IngressClass")
    if why:
        what = f"it names no class; whether there is a default is unknown: {why}"
        return _found(Verdict.UNKNOWN, what)
    default = [
        each.name
        for each in inventory.every(_GROUP, "IngressClass")
        if text(each.document, "metadata", "annotations", _DEFAULT) == "true"
    ]
    if default:
        # The API server sets the default when an Ingress is created.
        what = f"it names no class, and is older than the default, {listed(default)}"
    else:
        what = "it names no class, and there is no default"
    return _found(
        Verdict.UNKNOWN,
        message_line(f"{what}: only a controller that takes every Ingress serves it"),
        advice("set spec.ingressClassName"),
    )


def _found(verdict: Verdict, what: str, remedy: Remedy = NO_REMEDY) -> Finding:
    return said("class", verdict, what, remedy)

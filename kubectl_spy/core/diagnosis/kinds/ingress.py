"""Ingresses: their class, and the Service behind each host and path.

https://kubernetes.io/docs/concepts/services-networking/ingress/
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.finding import (
    Child,
    Diagnosis,
    Fact,
    Finding,
    Verdict,
    fact,
    finding,
    stating,
)
from kubectl_spy.core.diagnosis.kinds import service as service_kind
from kubectl_spy.core.diagnosis.kinds.generic import terminating
from kubectl_spy.core.diagnosis.services import address
from kubectl_spy.core.diagnosis.services.readiness import worst
from kubectl_spy.core.diagnosis.services.seen_service import SeenService, strings
from kubectl_spy.core.diagnosis.wording import listed, message_line
from kubectl_spy.core.fields import mapping, mappings, number, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.remedy import kubectl
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
        backends = [finding("IngressLeadsNowhere", "backend/none")]
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
        hosts = tuple(strings(each, "hosts"))
        secret = text(each, "secretName")
        if not secret:
            yield finding("TLSByController", f"tls/{'/'.join(hosts)}", hosts=hosts)
            continue
        yield finding(
            "TLSFromSecret",
            f"tls/{secret}",
            hosts=hosts,
            secret=secret,
            remedy=kubectl("get secret {}", secret, namespace=entry.namespace),
        )


def _address(entry: Entry, inventory: Inventory) -> Finding:
    if found := address.addresses(entry):
        return finding("IngressAddress", "address", addresses=tuple(found))
    verdict, args = address.progress(
        inventory.events(entry.uid), lambda event: event.warning
    )
    describe = kubectl("describe ingress {}", entry.name, namespace=entry.namespace)
    of = fact("IngressPending", **args)
    return stating(of, "address", verdict=verdict, remedy=describe)


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
        parts.append(message_line(listed(addresses, 4)))
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
    service, routed = None, {"route": where, "backend": str(backend)}
    if backend.kind == "Service":
        service = inventory.named("", "Service", entry.namespace, backend.name)
        found = _state(routed, backend, service, entry, inventory)
    else:
        found = stating(fact("RouteToResource", **routed), "")
    return _Route(where, backend, service, found._replace(about=f"backend/{where}"))


def _state(
    routed: dict[str, str],
    backend: _Backend,
    service: Entry | None,
    entry: Entry,
    inventory: Inventory,
) -> Finding:
    if service is None:
        why = inventory.unseen("", "Service", entry.namespace)
        if why:
            return stating(fact("RouteUnseen", **routed, why=why), "")
        of = fact("BackendMissing", **routed, kind="Service", name=backend.name)
        remedy = kubectl("get services", namespace=entry.namespace)
        return stating(of, "", remedy=remedy)
    backed = SeenService(service, inventory)
    if backed.external:
        target = text(backed.spec, "externalName")
        return stating(fact("RouteIsAlias", **routed, target=target), "")
    port = next(
        (each for each in backed.ports if backend.port in (each.number, each.name)),
        None,
    )
    if port is None:
        there = tuple(map(str, backed.ports))
        wanted = str(backend.port or "")
        edit = kubectl("edit ingress {}", entry.name, namespace=entry.namespace)
        of = fact("BackendPortMissing", **routed, port=wanted, there=there)
        return stating(of, "", remedy=edit)
    ready = len({each.addresses for each in backed.receiving(port)})
    if ready:
        return stating(fact("RouteServes", **routed, endpoints=ready), "")
    # The Service shows why.
    verdict = inventory.once(service_kind.diagnose, service).verdict
    if verdict is Verdict.OK:
        verdict = Verdict.WAITING
    remedy = kubectl("spy trace svc/{}", service.name, namespace=entry.namespace)
    of = fact("BackendWithoutEndpoints", **routed)
    return stating(of, "", verdict=verdict, remedy=remedy)


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
    about, legacy = "class", not text(entry.document, "spec", "ingressClassName")
    called = fact("IngressClassKnown", name=message_line(name, 100), legacy=legacy)
    found = inventory.named(_GROUP, "IngressClass", None, name)
    if found is not None:
        controller = message_line(text(found.document, "spec", "controller"), 100)
        args = {**called.args, **fact("", controller=controller).args}
        return stating(Fact("IngressClassKnown", args), about)
    why = inventory.unseen(_GROUP, "IngressClass")
    if why:
        return stating(Fact("IngressClassUnseen", {**called.args, "why": why}), about)
    if legacy:
        # Controllers that read the annotation need no IngressClass object.
        return stating(Fact("IngressClassOfAnnotation", called.args), about)
    there = [each.name for each in inventory.every(_GROUP, "IngressClass")]
    return finding(
        "IngressClassMissing",
        about,
        kind="IngressClass",
        name=name,
        there=tuple(there[:5]),
    )


def _classless(entry: Entry, inventory: Inventory) -> Finding:
    about = "class"
    if address.addresses(entry):
        return finding("IngressTaken", about)
    why = inventory.unseen(_GROUP, "IngressClass")
    if why:
        return finding("IngressDefaultUnseen", about, why=why)
    default = tuple(
        each.name
        for each in inventory.every(_GROUP, "IngressClass")
        if text(each.document, "metadata", "annotations", _DEFAULT) == "true"
    )
    # The API server sets the default when an Ingress is created.
    return finding("IngressWithoutClass", about, default=default)

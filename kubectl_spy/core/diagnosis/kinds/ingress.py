"""Ingress: which Service each host and path leads to, and whether traffic gets there.

https://kubernetes.io/docs/concepts/services-networking/ingress/
"""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.finding import Child, Diagnosis, Finding, Verdict
from kubectl_spy.core.diagnosis.kinds.deletion import terminating
from kubectl_spy.core.diagnosis.kinds.ingress_class import class_finding, class_name
from kubectl_spy.core.diagnosis.kinds.ingress_routes import Backend, Route, routes
from kubectl_spy.core.diagnosis.services import load_balancer
from kubectl_spy.core.diagnosis.services.readiness import worst
from kubectl_spy.core.diagnosis.services.seen_service import strings
from kubectl_spy.core.diagnosis.wording import listed, one_line
from kubectl_spy.core.fields import mappings, text
from kubectl_spy.core.remedy import kubectl


def diagnose(entry: Entry, seen: Inventory) -> Diagnosis:
    """Return where it leads, and what is missing on the way."""
    found = routes(entry, seen)
    children = tuple(_children(entry, found, seen))
    leaving = terminating(entry, seen, _summary(entry, found), children)
    if leaving is not None:
        return leaving
    findings = (
        class_finding(entry, seen),
        *(each.finding for each in found),
        *_no_routes(found),
        *_certificates(entry),
        _address(entry, seen),
    )
    judged = [
        each.verdict
        for each in findings
        # Secrets are never read, so that one would never be known.
        if each.verdict is not Verdict.UNKNOWN or each.about.startswith("backend/")
    ]
    return Diagnosis(
        phase=_phase(entry, found),
        verdict=worst(judged),
        summary=_summary(entry, found),
        findings=findings,
        children=children,
    )


def _no_routes(found: list[Route]) -> Iterator[Finding]:
    if not found:
        what = "it has neither a path nor a default backend: it leads nowhere"
        yield Finding("backend/none", Verdict.FAILING, what)


def _certificates(entry: Entry) -> Iterator[Finding]:
    """Yield which Secrets its certificates come from: whether they are there is not
    looked at, as Secrets are not read."""
    for each in mappings(entry.document, "spec", "tls"):
        hosts = strings(each, "hosts")
        whose = f"TLS for {load_balancer.written(list(hosts))}" if hosts else "TLS"
        secret = text(each, "secretName")
        if not secret:
            what = f"{whose} with the controller's own certificate"
            yield Finding(f"tls/{'/'.join(hosts)}", Verdict.OK, what)
            continue
        yield Finding(
            f"tls/{secret}",
            Verdict.UNKNOWN,
            one_line(f"{whose} from Secret {secret}, which is not read here"),
            kubectl("get secret {}", secret, namespace=entry.namespace),
        )


def _address(entry: Entry, seen: Inventory) -> Finding:
    if found := load_balancer.addresses(entry):
        return Finding("address", Verdict.OK, load_balancer.written(found))
    verdict, told = load_balancer.progress(
        seen.events(entry.uid), lambda event: event.warning
    )
    what = told or "its controller has reported none"
    return Finding(
        "address",
        verdict,
        f"no address yet: {what}",
        kubectl("describe ingress {}", entry.name, namespace=entry.namespace),
    )


def _phase(entry: Entry, found: list[Route]) -> str:
    if not found:
        return "NoBackend"
    if not any(each.finding.verdict is not Verdict.FAILING for each in found):
        return "NoBackend"
    return "Serving" if load_balancer.addresses(entry) else "Pending"


def _summary(entry: Entry, found: list[Route]) -> str:
    parts = [name] if (name := class_name(entry)) else []
    backends: dict[Backend, Verdict] = {
        each.backend: each.finding.verdict for each in found
    }
    if backends:
        fine = sum(each is Verdict.OK for each in backends.values())
        s = "" if len(backends) == 1 else "s"
        parts.append(f"{fine} of {len(backends)} backend{s} ready")
    if addresses := load_balancer.addresses(entry):
        parts.append(load_balancer.written(addresses))
    return one_line(", ".join(parts))


def _children(entry: Entry, found: list[Route], seen: Inventory) -> Iterator[Child]:
    """Yield the Services that it leads to, and what it owns."""
    roles: dict[str, list[str]] = {}
    for each in found:
        if each.service is not None:
            roles.setdefault(each.service.uid, []).append(each.where)
    for uid, where in roles.items():
        shown = [*where[:3], *([f"{len(where) - 3} more"] if len(where) > 3 else [])]
        yield Child(uid, one_line(f"for {listed(shown)}"))
    for owned in seen.owned(entry.uid):
        if owned.uid not in roles:
            yield Child(owned.uid)

"""Ingresses: where each host and path leads, and what is missing on the way."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.render.findings import text as text_of
from tests.builders import (
    Object,
    backend,
    endpoint,
    endpoint_slice,
    obj,
    reported,
    service,
)
from tests.core.diagnosis.serving import FAILING, OK, UNKNOWN, WAITING, answer
from tests.tracing import diagnosis

ADDRESS = {"loadBalancer": {"ingress": [{"ip": "203.0.113.7"}]}}
READY = (backend(), service(), endpoint_slice(endpoint()))


def ingress(
    *paths: Object, status: Object | None = None, **spec: Any
) -> dict[str, Any]:
    """Return an Ingress of a class with a rule for shop.example.com."""
    annotations = spec.pop("annotations", {})
    whole = {
        "ingressClassName": "nginx",
        "rules": [{"host": "shop.example.com", "http": {"paths": list(paths)}}],
        **spec,
    }
    return obj(
        "Ingress",
        "front",
        metadata={"annotations": annotations},
        spec={key: value for key, value in whole.items() if value is not None},
        status=ADDRESS if status is None else status,
    )


def path(
    to: str = "web", port: Any = 80, at: str = "/", kind: str = "Prefix"
) -> Object:
    key = "number" if isinstance(port, int) else "name"
    backend = {"service": {"name": to, "port": {key: port}}}
    return {"path": at, "pathType": kind, "backend": backend}


def ingress_class(name: str = "nginx", **annotations: str) -> Object:
    return obj(
        "IngressClass",
        name,
        None,
        metadata={"annotations": annotations},
        spec={"controller": "k8s.io/ingress-nginx"},
    )


def test_a_backend_with_ready_endpoints_is_ok() -> None:
    of = diagnosis(
        ingress(path(), path(port="http", at="/x", kind="Exact")),
        ingress_class(),
        *READY,
    )
    assert [f"{each.verdict.value}: {text_of(each)}" for each in of.findings] == [
        "ok: class nginx of controller k8s.io/ingress-nginx",
        "ok: shop.example.com/ leads to web:80: 1 ready endpoint",
        "ok: shop.example.com/x (Exact) leads to web:http: 1 ready endpoint",
        "ok: 203.0.113.7",
    ]
    assert (of.phase, of.verdict) == ("Serving", OK)
    assert of.summary == "nginx, 2 of 2 backends ready, 203.0.113.7"
    assert [(each.uid, each.role) for each in of.children or ()] == [
        ("uid-shop-web", "for shop.example.com/ and shop.example.com/x (Exact)")
    ]


@pytest.mark.parametrize(
    ("to", "port", "what"),
    [
        ("gone", 80, "gone:80: there is no Service gone"),
        ("web", 8080, "web:8080: the Service has no port 8080, only http 80/TCP"),
        ("web", "grpc", "web:grpc: the Service has no port grpc, only http 80/TCP"),
    ],
)
def test_a_backend_that_is_not_there_is_failing(to: str, port: Any, what: str) -> None:
    of = diagnosis(ingress(path(to, port)), ingress_class(), *READY)
    assert answer(of, "backend/shop.example.com/") == (
        f"failing: shop.example.com/ leads to {what}"
    )
    assert (of.phase, of.verdict) == ("NoBackend", FAILING)


@pytest.mark.parametrize(
    ("pods", "verdict"), [((backend(ready=False),), WAITING), ((), FAILING)]
)
def test_backends_fail_with_services(pods: tuple[Object, ...], verdict: Any) -> None:
    of = diagnosis(ingress(path()), ingress_class(), service(), endpoint_slice(), *pods)
    assert answer(of, "backend/shop.example.com/") == (
        f"{verdict.value}: shop.example.com/ leads to web:80: no ready endpoint"
    )
    assert of.verdict is verdict


def test_resource_backends_are_reported() -> None:
    external = service("db", type="ExternalName", externalName="db.example.com")
    bucket = {"resource": {"kind": "StorageBucket", "name": "static"}}
    of = diagnosis(
        ingress(
            path("db"), {"path": "/static", "backend": bucket}, defaultBackend=bucket
        ),
        ingress_class(),
        external,
    )
    assert answer(of, "backend/shop.example.com/").endswith(
        "an alias of db.example.com"
    )
    assert answer(of, "backend/shop.example.com/static") == (
        "unknown: shop.example.com/static leads to StorageBucket/static: no Service: "
        "only its controller knows what it does"
    )
    assert answer(of, "backend/everything else").startswith("unknown: everything else")


def test_owned_objects_stand_under_an_ingress() -> None:
    front = ingress(path())
    owner = {"uid": front["metadata"]["uid"], "kind": "Ingress", "name": "front"}
    solver = service("solver")
    solver["metadata"]["ownerReferences"] = [owner]
    of = diagnosis(front, ingress_class(), solver, *READY)
    assert [each.uid for each in of.children or ()] == [
        "uid-shop-web",
        "uid-shop-solver",
    ]


def test_one_path_twice_is_one_finding() -> None:
    of = diagnosis(ingress(path(), path("other")), ingress_class(), *READY)
    assert [each.about for each in of.findings].count("backend/shop.example.com/") == 1


def test_an_ingress_that_leads_nowhere_says_so() -> None:
    of = diagnosis(ingress(rules=None), ingress_class())
    assert answer(of, "backend/none").startswith("failing: it has neither a path")
    assert of.phase == "NoBackend"


def test_without_the_right_to_list_services_backends_are_unknown() -> None:
    of = diagnosis(
        ingress(path()), ingress_class(), unseen={"Service": "they are forbidden"}
    )
    assert answer(of, "backend/shop.example.com/") == (
        "unknown: shop.example.com/ leads to web:80: unknown: they are forbidden"
    )
    assert of.verdict is UNKNOWN


def test_secrets_of_certificates_are_named_and_not_read() -> None:
    tls = [{"hosts": ["a.example", "b.example"], "secretName": "cert"}, {"hosts": []}]
    of = diagnosis(ingress(path(), tls=tls), ingress_class(), *READY)
    assert answer(of, "tls/cert") == (
        "unknown: TLS for a.example and b.example from Secret cert, which is not read "
        "here"
    )
    assert answer(of, "tls/") == "ok: TLS with the controller's own certificate"
    assert of.verdict is OK


def classed(*classes: Object, unseen: dict[str, str] | None = None, **spec: Any) -> str:
    of = diagnosis(ingress(path(), **spec), *classes, *READY, unseen=unseen)
    return answer(of, "class")


def test_a_class_that_does_not_exist_has_no_controller() -> None:
    assert classed(ingress_class("haproxy")) == (
        "failing: IngressClass nginx does not exist: there is haproxy"
    )
    assert classed() == (
        "failing: IngressClass nginx does not exist: there is none at all"
    )
    assert classed(unseen={"IngressClass": "forbidden"}) == (
        "unknown: class nginx; whether it exists is unknown: forbidden"
    )


def test_the_old_annotation_names_a_class_too() -> None:
    old = {"kubernetes.io/ingress.class": "nginx"}
    named = "class nginx (by the old annotation kubernetes.io/ingress.class)"
    assert classed(ingress_class(), ingressClassName=None, annotations=old) == (
        f"ok: {named} of controller k8s.io/ingress-nginx"
    )
    assert classed(ingressClassName=None, annotations=old) == (
        f"unknown: {named}, of which there is no IngressClass"
    )


def test_an_ingress_without_a_class_gets_the_default() -> None:
    bare: dict[str, Any] = {"ingressClassName": None, "status": {}}
    only = "only a controller that takes every Ingress serves it"
    assert classed(ingress_class(), **bare) == (
        f"unknown: it names no class, and there is no default: {only}"
    )
    default = {"ingressclass.kubernetes.io/is-default-class": "true"}
    assert classed(ingress_class(**default), **bare) == (
        f"unknown: it names no class, and is older than the default, nginx: {only}"
    )
    assert classed(ingressClassName=None) == (
        "ok: it names no class; some controller has taken it"
    )
    assert classed(unseen={"IngressClass": "forbidden"}, **bare).endswith(
        "whether there is a default is unknown: forbidden"
    )


def test_an_address_is_waited_for() -> None:
    waiting = ingress(path(), status={"loadBalancer": {}})
    of = diagnosis(waiting, ingress_class(), *READY)
    assert answer(of, "address") == (
        "waiting: no address yet: its controller has reported none"
    )
    assert (of.phase, of.verdict) == ("Pending", WAITING)
    failed = reported("FailedBuildModel", "no subnet is tagged", about=waiting)
    of = diagnosis(waiting, ingress_class(), *READY, failed)
    assert answer(of, "address") == (
        "failing: no address yet: FailedBuildModel: no subnet is tagged"
    )
    waiting["metadata"]["deletionTimestamp"] = "2026-11-20T15:00:00Z"
    assert diagnosis(waiting).phase == "Terminating"


def test_a_port_of_a_service_may_lead_nowhere_while_another_does() -> None:
    ports = [
        {"name": each, "port": n, "protocol": "TCP"} for n, each in enumerate("ab")
    ]
    slices = endpoint_slice(
        endpoint(), ports=[{"name": "a", "port": 8080}], manager="me"
    )
    both = ingress(path(port="a", at="/a"), path(port="b", at="/b"))
    of = diagnosis(both, service(ports=ports), backend(), slices, ingress_class())
    assert answer(of, "backend/shop.example.com/a").endswith("web:a: 1 ready endpoint")
    assert answer(of, "backend/shop.example.com/b") == (
        "failing: shop.example.com/b leads to web:b: no ready endpoint"
    )

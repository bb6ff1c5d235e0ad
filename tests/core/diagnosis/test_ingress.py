"""Ingresses: where each host and path leads, and what is missing on the way."""

from __future__ import annotations

from typing import Any

from tests.builders import (
    Object,
    backend,
    endpoint,
    endpoint_slice,
    obj,
    reported,
    service,
)
from tests.core.diagnosis.cases import Row, Rules, check, rows, unseen
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


NGINX = ingress_class()
DEFAULT = {"ingressclass.kubernetes.io/is-default-class": "true"}
BUCKET = {"resource": {"kind": "StorageBucket", "name": "static"}}
TLS = [{"hosts": ["a.example", "b.example"], "secretName": "cert"}, {"hosts": []}]
OLD = {"kubernetes.io/ingress.class": "nginx"}
OF_OLD = ingress(path(), ingressClassName=None, annotations=OLD)
BARE = ingress(path(), ingressClassName=None, status={})
UNADDRESSED = ingress(path(), status={"loadBalancer": {}})
LEAVING = ingress(path(), status={"loadBalancer": {}})
LEAVING["metadata"]["deletionTimestamp"] = "2026-11-20T15:00:00Z"
TWO = [{"name": each, "port": n, "protocol": "TCP"} for n, each in enumerate("ab")]
BY_HAND = endpoint_slice(endpoint(), ports=[{"name": "a", "port": 8080}], manager="me")
BACKENDS: Rules = {
    "backends with ready endpoints are fine": (
        ingress(path(), path(port="http", at="/x", kind="Exact")),
        *(NGINX, *READY),
        "Serving ok",
        "= nginx, 2 of 2 backends ready, 203.0.113.7",
        "> for shop.example.com/ and shop.example.com/x (Exact)",
        "class: IngressClassKnown controller=k8s.io/ingress-nginx name=nginx",
        "backend/shop.example.com/ ~ RouteServes backend=web:80 endpoints=1",
        "backend/shop.example.com/x (Exact) ~ RouteServes backend=web:http endpoints=1",
        "address: IngressAddress addresses=[203.0.113.7]",
        "no others",
    ),
    "a Service may not be there": (
        *(ingress(path("gone")), NGINX, *READY),
        "NoBackend failing",
        "backend/shop.example.com/: BackendMissing backend=gone:80 "
        "kind=Service name=gone route=shop.example.com/",
    ),
    "a Service may not have the number of a port": (
        *(ingress(path("web", 8080)), NGINX, *READY),
        "NoBackend failing",
        "backend/shop.example.com/: BackendPortMissing backend=web:8080 "
        "port=8080 route=shop.example.com/ there=[http 80/TCP]",
    ),
    "a Service may not have the name of a port": (
        *(ingress(path("web", "grpc")), NGINX, *READY),
        "NoBackend failing",
        "backend/shop.example.com/: BackendPortMissing backend=web:grpc "
        "port=grpc route=shop.example.com/ there=[http 80/TCP]",
    ),
    "a backend waits with its Service": (
        *(ingress(path()), NGINX, service(), endpoint_slice(), backend(ready=False)),
        "Serving waiting",
        "backend/shop.example.com/ ~ waiting BackendWithoutEndpoints backend=web:80",
    ),
    "a backend fails with its Service": (
        *(ingress(path()), NGINX, service(), endpoint_slice()),
        "NoBackend failing",
        "backend/shop.example.com/ ~ BackendWithoutEndpoints backend=web:80",
    ),
    "resources and aliases are reported": (
        ingress(
            path("db"), {"path": "/static", "backend": BUCKET}, defaultBackend=BUCKET
        ),
        *(NGINX, service("db", type="ExternalName", externalName="db.example.com")),
        "backend/shop.example.com/: RouteIsAlias backend=db:80 "
        "route=shop.example.com/ target=db.example.com",
        "backend/shop.example.com/static: RouteToResource "
        "backend=StorageBucket/static route=shop.example.com/static",
        "backend/everything else ~ RouteToResource backend=StorageBucket/static",
    ),
    "one path twice is one finding": (
        *(ingress(path(), path("other")), NGINX, *READY),
        "class: IngressClassKnown controller=k8s.io/ingress-nginx name=nginx",
        "backend/shop.example.com/ ~ RouteServes backend=web:80 endpoints=1",
        "address: IngressAddress addresses=[203.0.113.7]",
        "no others",
    ),
    "an Ingress that leads nowhere says so": (
        *(ingress(rules=None), NGINX),
        "NoBackend failing",
        "backend/none: IngressLeadsNowhere",
    ),
    "without the right to list Services backends are unknown": (
        *(ingress(path()), NGINX, unseen(Service="they are forbidden")),
        "Serving unknown",
        "backend/shop.example.com/: RouteUnseen backend=web:80 "
        "route=shop.example.com/ why=(ListRefused message=they are forbidden)",
    ),
    "a port of a Service may lead nowhere while another does": (
        ingress(path(port="a", at="/a"), path(port="b", at="/b")),
        *(service(ports=TWO), backend(), BY_HAND, NGINX),
        "backend/shop.example.com/a ~ RouteServes backend=web:a endpoints=1",
        "backend/shop.example.com/b ~ BackendWithoutEndpoints backend=web:b",
    ),
    "Secrets of certificates are named and not read": (
        *(ingress(path(), tls=TLS), NGINX, *READY),
        "Serving ok",
        "tls/cert: TLSFromSecret hosts=[a.example, b.example] secret=cert",
        "tls/: TLSByController",
    ),
    "a class that does not exist has no controller": (
        *(ingress(path()), ingress_class("haproxy"), *READY),
        "class: IngressClassMissing kind=IngressClass name=nginx there=[haproxy]",
    ),
    "there may be no class at all": (
        ingress(path()),
        *READY,
        "class: IngressClassMissing kind=IngressClass name=nginx",
    ),
    "whether a class exists may be unknown": (
        *(ingress(path()), *READY, unseen(IngressClass="forbidden")),
        "class: IngressClassUnseen name=nginx why=(ListRefused message=forbidden)",
    ),
    "the old annotation names a class too": (
        OF_OLD,
        NGINX,
        *READY,
        "class: IngressClassKnown controller=k8s.io/ingress-nginx legacy name=nginx",
    ),
    "the old annotation may name a class of which there is none": (
        *(OF_OLD, *READY),
        "class: IngressClassOfAnnotation legacy name=nginx",
    ),
    "an Ingress without a class may get no default": (
        BARE,
        NGINX,
        *READY,
        "class: IngressWithoutClass",
    ),
    "an Ingress without a class may be older than the default": (
        *(BARE, ingress_class(**DEFAULT), *READY),
        "class: IngressWithoutClass default=[nginx]",
    ),
    "an Ingress without a class may be taken": (
        *(ingress(path(), ingressClassName=None), *READY),
        "class: IngressTaken",
    ),
    "whether there is a default may be unknown": (
        *(BARE, *READY, unseen(IngressClass="forbidden")),
        "class: IngressDefaultUnseen why=(ListRefused message=forbidden)",
    ),
    "an address is waited for": (
        *(UNADDRESSED, NGINX, *READY),
        "Pending waiting",
        "address: IngressPending",
    ),
    "a controller may say why there is no address": (
        *(UNADDRESSED, NGINX, *READY),
        reported("FailedBuildModel", "no subnet is tagged", about=UNADDRESSED),
        "address: failing IngressPending message=no subnet is tagged "
        "reason=FailedBuildModel",
    ),
    "an Ingress may be deleted": (LEAVING, "Terminating waiting"),
}


@rows(BACKENDS)
def test_an_ingress_says_where_it_leads(row: Row) -> None:
    check(row)


def test_owned_objects_stand_under_an_ingress() -> None:
    front = ingress(path())
    owner = {"uid": front["metadata"]["uid"], "kind": "Ingress", "name": "front"}
    solver = service("solver")
    solver["metadata"]["ownerReferences"] = [owner]
    below = diagnosis(front, ingress_class(), solver, *READY).children or ()
    assert [each.uid for each in below] == ["uid-shop-web", "uid-shop-solver"]

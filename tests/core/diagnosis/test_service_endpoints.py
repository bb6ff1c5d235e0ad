"""A Service's EndpointSlices, and the ports that lead to its Pods: question 3."""

from __future__ import annotations

from typing import Any

import pytest

from tests.builders import (
    APP,
    Object,
    backend,
    endpoint,
    endpoint_slice,
    reported,
    served,
)
from tests.builders import service as a_service
from tests.core.diagnosis.cases import Row, Rules, check, rows, unseen

service = a_service()
LEFT = {"deletionTimestamp": "2026-11-20T15:00:00Z"}
SICK = backend("b", ready=False)
UNREADY = endpoint("b", "10.0.0.4", ready=False)
SILENT = endpoint() | {"conditions": {}}
LAST = endpoint(ready=False, serving=True, terminating=True)
UNNAMED = endpoint_slice(endpoint(address="fd00::3"), manager="staff")
del UNNAMED["endpoints"][0]["targetRef"]["uid"]
BARE = endpoint_slice(endpoint(), manager="")
del BARE["endpoints"][0]["targetRef"]
STRANGER = backend("b")
STRANGER["status"]["podIP"] = "10.0.0.4"
SELECTS_NOTHING = a_service(selector=None)
DUAL = a_service(ipFamilies=["IPv4", "IPv6"])
NO_IPV6 = endpoint_slice(name="web-6", family="IPv6")
IPV6 = endpoint_slice(endpoint(address="fd00::3"), name="web-6", family="IPv6")
BOTH = backend()
BOTH["status"]["podIPs"].append({"ip": "fd00::3"})
TROUBLE = reported("FailedToUpdateEndpointSlices", "quota exceeded", about=service)
ENDPOINTS: Rules = {
    "a ready endpoint gets traffic": (
        *served(),
        "endpoints ~ EndpointsServe … endpoints=1 places=10.0.0.3:8080 ready=1",
        "> ready endpoint 10.0.0.3:8080",
    ),
    "the first addresses are written out": (
        *(service, *map(backend, "abcde")),
        endpoint_slice(*(endpoint(each, f"10.0.0.{each}") for each in "abcde")),
        "endpoints: EndpointsServe parts=[(EndpointsReady endpoints=5 "
        "places=10.0.0.a:8080, 10.0.0.b:8080, 10.0.0.c:8080 and 2 more "
        "ready=5)]",
    ),
    "an unready endpoint gets no traffic": (
        *(service, backend(), SICK, endpoint_slice(endpoint(), UNREADY)),
        "Serving waiting",
        "endpoints ~ EndpointsServe … endpoints=2 places=10.0.0.3:8080 ready=1",
        "> endpoint 10.0.0.4:8080, not ready; ready endpoint 10.0.0.3:8080",
    ),
    "a terminating Pod gets traffic if none is ready": (
        *(service, backend(metadata=LEFT), endpoint_slice(LAST)),
        "endpoints ~ NoReadyEndpoints … (TerminatingServe places=10.0.0.3:8080)",
        "> endpoint 10.0.0.3:8080, terminating",
    ),
    "conditions that are left out mean ready": (
        *(service, backend(), endpoint_slice(SILENT)),
        "endpoints ~ EndpointsServe … endpoints=1 places=10.0.0.3:8080 ready=1",
    ),
    "an endpoint may name its Pod without a uid": (
        *(service, backend(), UNNAMED),
        "endpoints ~ EndpointsServe … endpoints=1 places=[fd00::3]:8080 ready=1",
        "> ready endpoint [fd00::3]:8080",
    ),
    "a ready Pod that is not listed is named": (
        *served(STRANGER),
        "endpoints ~ EndpointsIncomplete … (PodsUnlisted pods=[b])",
    ),
    "a listed Pod that it does not select is named": (
        *(service, backend(), endpoint_slice(endpoint(), endpoint("old", "10.0.0.9"))),
        "endpoints ~ EndpointsReady endpoints=2 places=10.0.0.3:8080 and "
        "10.0.0.9:8080 ready=2",
        "endpoints ~ ForeignEndpoints pods=[old] slice=web-x7k2p",
    ),
    "the writer of another slice is named": (
        *(service, backend()),
        endpoint_slice(endpoint(), endpoint("old"), manager="staff"),
        "Serving ok",
        "endpoints ~ EndpointsReady endpoints=2 places=10.0.0.3:8080 and "
        "10.0.0.3:8080 ready=2",
        "endpoints ~ ForeignEndpoints manager=staff pods=[old] slice=web-x7k2p",
    ),
    "slices of another Service or namespace are none of its": (
        *(service, backend(), endpoint_slice(endpoint(), of="other")),
        endpoint_slice(endpoint(), namespace="other", name="y"),
        "endpoints: EndpointSliceAwaited",
    ),
    "the controller that writes slices may report why it does not": (
        *(service, backend(), TROUBLE),
        "endpoints: failing EndpointSliceAwaited trouble=(ReportedBy "
        "message=quota exceeded reason=FailedToUpdateEndpointSlices)",
    ),
    "the controller may report why it does not list a Pod": (
        *(service, backend(), endpoint_slice(), TROUBLE),
        "endpoints: failing NoReadyEndpoints parts=[(EndpointsEmpty), "
        "(PodsUnlisted pods=[web-1]), (ReportedBy message=quota exceeded "
        "reason=FailedToUpdateEndpointSlices)]",
    ),
    "without the right to list slices only that is unknown": (
        *(service, backend(), unseen(EndpointSlice="they are forbidden")),
        "Unknown unknown",
        "endpoints: EndpointsUnseen why=(ListRefused message=they are forbidden)",
    ),
    "without a selector the slices say all": (
        *(SELECTS_NOTHING, BARE),
        "Serving ok",
        "= ClusterIP 10.96.0.9, 1 of 1 endpoints ready",
    ),
    "a slice without an address leads nowhere": (
        *(SELECTS_NOTHING, endpoint_slice(manager="")),
        "endpoints: failing NoReadyEndpoints parts=[(EndpointsEmpty lost)]",
    ),
    "a family of two that leads nowhere is named": (
        *(DUAL, backend(), endpoint_slice(endpoint()), NO_IPV6),
        "Serving failing",
        "endpoints ~ failing EndpointsIncomplete … (FamilyUnready family=IPv6 lacking)",
    ),
    "a family may come to its Pods": (
        *(DUAL, BOTH, endpoint_slice(endpoint()), NO_IPV6),
        "Serving waiting",
        "endpoints ~ EndpointsIncomplete … (FamilyUnready family=IPv6)",
    ),
    "endpoints of two families are fine": (
        *(DUAL, BOTH, endpoint_slice(endpoint()), IPV6),
        "Serving ok",
        "endpoints: EndpointsServe parts=[(EndpointsReady endpoints=2 "
        "places=10.0.0.3:8080 and [fd00::3]:8080 ready=2)]",
    ),
    "addresses of IPv6 get no traffic": (
        *(SELECTS_NOTHING, endpoint_slice(endpoint(), family="IPv6", manager="staff")),
        "NoEndpoints failing",
        "endpoints ~ failing NoReadyEndpoints … (FamilyWithoutAddress families=[IPv6])",
    ),
    "addresses of names get no traffic": (
        *(SELECTS_NOTHING, endpoint_slice(endpoint(), family="FQDN", manager="staff")),
        "NoEndpoints failing",
        "endpoints ~ failing NoReadyEndpoints … (FamilyWithoutAddress families=[FQDN])",
    ),
}


@rows(ENDPOINTS)
def test_endpoints_say_where_traffic_goes(row: Row) -> None:
    check(row)


def slice_port(name: str, protocol: str = "TCP", port: int = 8080) -> Object:
    return {"name": name, "port": port, "protocol": protocol}


def port(target: Any = 8080, name: str = "http", number: int = 80) -> Object:
    return {"name": name, "port": number, "protocol": "TCP", "targetPort": target}


def by_hand(*ports: Object) -> Object:
    return endpoint_slice(endpoint(), ports=list(ports), manager="staff")


@pytest.mark.parametrize(
    ("name", "its", "there", "remedy"),
    [
        ("http", slice_port("web"), "web 8080/TCP", "TCP port named http"),
        ("http", slice_port(""), "8080/TCP", "TCP port named http"),
        ("", slice_port("http"), "http 8080/TCP", "TCP port without a name"),
        ("http", slice_port("http", "UDP"), "http 8080/UDP", "TCP port named http"),
        ("http", slice_port("http", port=0), "http 0/TCP", "TCP port named http"),
    ],
)
def test_a_port_leads_to_those_of_its_name_and_protocol(
    name: str, its: Object, there: str, remedy: str
) -> None:
    web, listed = a_service(selector=None, ports=[port(name=name)]), by_hand(its)
    its_port = f"{name} 80/TCP".strip()
    about, edit = "port/80/TCP", "kubectl edit endpointslice web-x7k2p -n shop"
    remedy = f"{about} -> it takes a {remedy}: {edit}"
    check(
        (
            web,
            listed,
            "NoEndpoints failing",
            remedy,
            f"{about}: PortUnlisted port={its_port} slice=web-x7k2p there=[{there}]",
        )
    )
    unused = check((listed, web, "Unused waiting"))
    assert unused.summary.endswith("no port of Service web leads here")


REFUSED = 'Get "http://10.0.0.3:9090/": dial tcp 10.0.0.3:9090: connect: connection '
STARTED, LATER = "2026-11-20T15:00:10Z", "2026-11-20T15:01:00Z"


def refused(
    last: str = LATER,
    answer: str = f"{REFUSED}refused",
    probe: str = "Readiness",
    **more: Any,
) -> Object:
    message = f"{probe} probe failed: {answer}"
    return reported("Unhealthy", message, about=PROBED, field=APP, first=last, **more)


TWO = [port(8080, "a"), port(8080, "b", 81)]
NINETY = a_service(ports=[port(9090)])
PROBED = backend(ready=False)
UNDECLARED = backend(ready=False, ports=[])
UDP = backend(ports=[{"name": "http", "containerPort": 8080, "protocol": "UDP"}])
ANSWERS = refused(answer="HTTP probe failed with statuscode: 503", count=10)
MESHED = backend(ports=[])
MESHED["spec"]["initContainers"] = [
    {"name": "setup", "ports": [{"name": "no", "containerPort": 1}]},
    {
        "name": "mesh",
        "restartPolicy": "Always",
        "ports": [{"name": "in", "containerPort": 15001}],
    },
]
PORTS: Rules = {
    "each port has endpoints of its own": (
        a_service(selector=None, ports=TWO),
        by_hand(slice_port("a")),
        "Serving failing",
        "no port/80",
        "port/81/TCP: PortUnlisted port=b 81/TCP slice=web-x7k2p there=[a 8080/TCP]",
    ),
    "a slice is used if one port leads there": (
        by_hand(slice_port("a")),
        a_service(selector=None, ports=TWO),
        "Ready ok",
    ),
    "a headless Service has no ports that lead anywhere": (
        a_service(selector=None, ports=TWO, clusterIP="None"),
        by_hand(slice_port("a")),
        "no port/",
    ),
    "the controller corrects the ports of its own slices": (
        *(service, backend(), endpoint_slice(endpoint(), ports=[slice_port("old")])),
        "port/80/TCP ~ waiting PortUnlisted … slice=web-x7k2p there=[old 8080/TCP]",
        "port/80/TCP -> nothing",
    ),
    "a wrong target port is one that refuses the probes of its Pods": (
        *(NINETY, PROBED, refused()),
        "port/80/TCP ~ TargetPortRefuses … target=9090 there=[http 8080/TCP]",
        "port/80/TCP -> correct targetPort: kubectl edit service web -n shop",
    ),
    "a port that refuses may be one of a Pod that declares none": (
        *(NINETY, UNDECLARED, refused()),
        "port/80/TCP: TargetPortRefuses port=http 80/TCP protocol=TCP target=9090",
    ),
    "a port may refuse connections while its Pod starts": (
        *(NINETY, PROBED, refused(STARTED)),
        "port/80/TCP ~ TargetPortUndeclared … target=9090 there=[http 8080/TCP]",
    ),
    "a port of a ready Pod refuses nothing": (
        *(NINETY, backend(), refused()),
        "port/80/TCP ~ TargetPortUndeclared … target=9090 there=[http 8080/TCP]",
    ),
    "a port that answers later refuses nothing any more": (
        *(NINETY, PROBED, refused("2026-11-20T15:00:02Z"), ANSWERS),
        "port/80/TCP ~ TargetPortUndeclared … target=9090 there=[http 8080/TCP]",
    ),
    "a port that answers another probe refuses nothing": (
        *(NINETY, PROBED, refused("2026-11-20T15:00:02Z", probe="Liveness"), ANSWERS),
        "port/80/TCP ~ TargetPortUndeclared … target=9090 there=[http 8080/TCP]",
    ),
    "what a port refused before this run does not count": (
        *(NINETY, PROBED, refused("2026-11-20T14:59:00Z"), ANSWERS),
        "port/80/TCP ~ TargetPortUndeclared … target=9090 there=[http 8080/TCP]",
    ),
    "a port that leads to one of the Pods goes without saying": (
        *served(ports=[port(8080)]),
        "no port/",
    ),
    "a port may lead to one by its name": (*served(ports=[port("http")]), "no port/"),
    "a number may be written as a text": (*served(ports=[port("8080")]), "no port/"),
    # As the controller lists a Pod that lacks the port: with an address, without it.
    "a named port that no container has leads nowhere": (
        *(a_service(ports=[port("web")]), backend()),
        endpoint_slice(endpoint(), ports=[]),
        "NoEndpoints failing",
        "port/80/TCP ~ TargetPortUnknown … target=web there=[http 8080/TCP]",
        "endpoints ~ failing NoReadyEndpoints … (PortsLeadNowhere)",
    ),
    "a missing named port names the first Pod": (
        *served(backend("b", ports=[]), ports=[port("http")]),
        "port/80/TCP: TargetPortUnknown pod=b port=http 80/TCP target=http",
    ),
    "the protocol belongs to a named port": (
        *(a_service(ports=[port("http")]), UDP),
        "port/80/TCP ~ PortProtocolDiffers container=app … protocol=UDP target=http",
    ),
    "a number need not be declared": (
        *served(ports=[port(9090)]),
        "port/80/TCP ~ TargetPortUndeclared … target=9090 there=[http 8080/TCP]",
    ),
    "a number need not be declared where none is": (
        *(a_service(ports=[port(9)]), backend(ports=[])),
        "no port/",
    ),
    "a sidecar may have the port": (
        *(a_service(ports=[port("in")]), MESHED),
        "no port/",
    ),
    "an init container cannot have the port": (
        *(a_service(ports=[port("no")]), MESHED),
        "port/80/TCP ~ TargetPortUnknown … target=no there=[in 15001/TCP]",
    ),
}


@rows(PORTS)
def test_ports_say_where_they_lead(row: Row) -> None:
    check(row)


GOING = endpoint("c", "10.0.0.5", ready=False, terminating=True)
SLICES: Rules = {
    "a slice shows all it lists": (
        endpoint_slice(endpoint(), UNREADY, GOING),
        "Ready ok",
        "= IPv4, http 8080/TCP; ready: 10.0.0.3; not ready: 10.0.0.4;"
        " terminating: 10.0.0.5",
    ),
    "a slice without a ready endpoint is not ready": (
        endpoint_slice(endpoint(ready=False)),
        "NotReady waiting",
    ),
    "a slice may be empty": (endpoint_slice(ports=[]), "Empty ok", "= IPv4"),
    "a slice names the first of many": (
        endpoint_slice(*(endpoint(address=f"10.0.0.{n}") for n in range(9))),
        "= IPv4, http 8080/TCP; ready: 10.0.0.0, 10.0.0.1, 10.0.0.2, "
        "10.0.0.3, 10.0.0.4, 10.0.0.5 and 3 more",
    ),
}


@rows(SLICES)
def test_slices_say_what_they_list(row: Row) -> None:
    check(row)

"""A Service's EndpointSlices, and the ports that lead to its Pods: question 3."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.diagnosis.finding import Diagnosis
from tests.builders import (
    APP,
    backend,
    endpoint,
    endpoint_slice,
    reported,
    service,
)
from tests.core.diagnosis.serving import FAILING, OK, WAITING, answer, served
from tests.tracing import diagnosis


def ports_of(of: Diagnosis) -> list[str]:
    about = [each.about for each in of.findings if each.about.startswith("port/")]
    return [answer(of, each) for each in about]


def test_a_ready_endpoint_gets_traffic() -> None:
    of = served()
    assert answer(of, "endpoints") == "ok: 1 of 1 endpoints ready: 10.0.0.3:8080"
    roles = [(each.uid, each.role) for each in of.children or ()]
    assert roles == [
        ("uid-shop-web-1", "ready endpoint 10.0.0.3:8080"),
        ("uid-shop-web-x7k2p", ""),
    ]


def test_the_first_addresses_are_written_out() -> None:
    names = "abcde"
    listed = [endpoint(each, f"10.0.0.{n}") for n, each in enumerate(names)]
    of = diagnosis(service(), *map(backend, names), endpoint_slice(*listed))
    assert answer(of, "endpoints") == (
        "ok: 5 of 5 endpoints ready: 10.0.0.0:8080, 10.0.0.1:8080, 10.0.0.2:8080 and "
        "2 more"
    )


def test_an_unready_endpoint_gets_no_traffic() -> None:
    sick = endpoint("b", "10.0.0.4", ready=False)
    listed = endpoint_slice(endpoint(), sick)
    of = diagnosis(service(), backend(), backend("b", ready=False), listed)
    assert answer(of, "endpoints") == "ok: 1 of 2 endpoints ready: 10.0.0.3:8080"
    assert (of.children or ())[0].role == "endpoint 10.0.0.4:8080, not ready"
    assert (of.phase, of.verdict) == ("Serving", WAITING)


def test_a_terminating_pod_gets_traffic_if_none_is_ready() -> None:
    going = backend(metadata={"deletionTimestamp": "2026-11-20T15:00:00Z"})
    last = endpoint(ready=False, serving=True, terminating=True)
    of = diagnosis(service(), going, endpoint_slice(last))
    assert answer(of, "endpoints") == (
        "waiting: 0 of 0 endpoints ready; traffic goes to 10.0.0.3:8080, terminating"
    )
    assert (of.children or ())[0].role == "endpoint 10.0.0.3:8080, terminating"


def test_conditions_that_are_left_out_mean_ready() -> None:
    silent = endpoint()
    silent["conditions"] = {}
    of = diagnosis(service(), backend(), endpoint_slice(silent))
    assert answer(of, "endpoints").startswith("ok: 1 of 1 endpoints ready")


def test_an_endpoint_may_name_its_pod_without_a_uid() -> None:
    listed = endpoint_slice(endpoint(address="fd00::3"), manager="staff")
    del listed["endpoints"][0]["targetRef"]["uid"]
    of = diagnosis(service(), backend(), listed)
    assert answer(of, "endpoints") == "ok: 1 of 1 endpoints ready: [fd00::3]:8080"
    assert (of.children or ())[0].role == "ready endpoint [fd00::3]:8080"


def test_a_ready_pod_that_is_not_listed_is_named() -> None:
    stranger = backend("b")
    stranger["status"]["podIP"] = "10.0.0.4"
    assert answer(served(stranger), "endpoints") == (
        "waiting: 1 of 1 endpoints ready: 10.0.0.3:8080; ready, but not listed yet: b"
    )


def test_a_listed_pod_that_it_does_not_select_is_named() -> None:
    listed = endpoint_slice(endpoint(), endpoint("old", "10.0.0.9"))
    of = diagnosis(service(), backend(), listed)
    assert answer(of, "endpoints").endswith(
        "; web-x7k2p still lists old, which it does not select"
    )
    by_hand = endpoint_slice(endpoint(), endpoint("old"), manager="staff")
    of = diagnosis(service(), backend(), by_hand)
    assert answer(of, "endpoints").endswith(
        "web-x7k2p (written by staff) lists old, which it does not select"
    )
    assert of.verdict is OK


def test_slices_of_another_service_or_namespace_are_none_of_its() -> None:
    of = diagnosis(
        service(),
        backend(),
        endpoint_slice(endpoint(), of="other"),
        endpoint_slice(endpoint(), namespace="other", name="y"),
    )
    assert answer(of, "endpoints") == "waiting: no EndpointSlice yet"


def slice_port(name: str, protocol: str = "TCP", port: int = 8080) -> dict[str, Any]:
    return {"name": name, "port": port, "protocol": protocol}


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
    name: str, its: dict[str, Any], there: str, remedy: str
) -> None:
    port = {"name": name, "port": 80, "protocol": "TCP"}
    by_hand = endpoint_slice(endpoint(), ports=[its], manager="")
    web = service(selector=None, ports=[port])
    of = diagnosis(web, by_hand)
    assert (of.phase, of.verdict) == ("NoEndpoints", FAILING)
    assert ports_of(of) == [
        f"failing: port {name} 80/TCP leads nowhere: EndpointSlice web-x7k2p has "
        f"{there}".replace("port  ", "port ")
    ]
    assert [each.remedy for each in of.findings if each.about == "port/80/TCP"] == [
        f"it takes a {remedy}: kubectl edit endpointslice web-x7k2p -n shop"
    ]
    listed = diagnosis(by_hand, web)
    assert (listed.phase, listed.verdict) == ("Unused", WAITING)
    assert listed.summary.endswith("no port of Service web leads here")


def test_each_port_has_endpoints_of_its_own() -> None:
    ports = [{"name": each, "port": 80, "protocol": "TCP"} for each in ("a", "b")]
    ports[1]["port"] = 81
    by_hand = endpoint_slice(endpoint(), ports=[slice_port("a")], manager="staff")
    web = service(selector=None, ports=ports)
    of = diagnosis(web, by_hand)
    assert (of.phase, of.verdict) == ("Serving", FAILING)
    assert ports_of(of) == [
        "failing: port b 81/TCP leads nowhere: EndpointSlice web-x7k2p has a 8080/TCP"
    ]
    assert diagnosis(by_hand, web).phase == "Ready"
    headless = service(selector=None, ports=ports, clusterIP="None")
    assert ports_of(diagnosis(headless, by_hand)) == []


def test_the_controller_corrects_the_ports_of_its_own_slices() -> None:
    managed = endpoint_slice(endpoint(), ports=[slice_port("old")])
    of = diagnosis(service(), backend(), managed)
    assert ports_of(of) == [
        "waiting: port http 80/TCP leads nowhere: EndpointSlice web-x7k2p has old "
        "8080/TCP"
    ]
    assert [each.remedy for each in of.findings if each.about == "port/80/TCP"] == [""]


@pytest.mark.parametrize("family", ["IPv6", "FQDN"])
def test_addresses_of_other_families_get_no_traffic(family: str) -> None:
    by_hand = endpoint_slice(endpoint(), family=family, manager="staff")
    of = diagnosis(service(selector=None), by_hand)
    assert (of.phase, of.verdict) == ("NoEndpoints", FAILING)
    assert answer(of, "endpoints").endswith(
        f"; the Service has no address of family {family}"
    )


REFUSED = 'Get "http://10.0.0.3:9090/": dial tcp 10.0.0.3:9090: connect: connection '
NINETY = [{"name": "http", "port": 80, "protocol": "TCP", "targetPort": 9090}]
WRONG = (
    "failing: port http 80/TCP leads to 9090/TCP, which no container declares (they "
    "declare http 8080/TCP), and which refuses connections"
)


def refused(
    sick: dict[str, Any],
    last: str = "2026-11-20T15:01:00Z",
    answer: str = f"{REFUSED}refused",
    probe: str = "Readiness",
) -> dict[str, Any]:
    message = f"{probe} probe failed: {answer}"
    return reported("Unhealthy", message, about=sick, field=APP, first=last)


def test_a_wrong_target_port_is_one_that_refuses_the_probes_of_its_pods() -> None:
    web, sick = service(ports=NINETY), backend(ready=False)
    of = diagnosis(web, sick, refused(sick))
    assert ports_of(of) == [WRONG]
    assert [each.remedy for each in of.findings if each.about == "port/80/TCP"] == [
        "correct targetPort: kubectl edit service web -n shop"
    ]
    silent = backend(ready=False, ports=[])
    assert ports_of(diagnosis(web, silent, refused(silent))) == [
        WRONG.replace("http 8080/TCP", "none")
    ]


def test_a_port_may_refuse_connections_while_its_pod_starts() -> None:
    web, sick = service(ports=NINETY), backend(ready=False)
    starting = diagnosis(web, sick, refused(sick, "2026-11-20T15:00:10Z"))
    for of in (starting, diagnosis(web, backend(), refused(backend()))):
        assert ports_of(of)[0].endswith("it works if one listens there")


def test_a_port_that_answers_later_refuses_nothing_any_more() -> None:
    web, sick = service(ports=NINETY), backend(ready=False)
    code = "HTTP probe failed with statuscode: 503"
    later = refused(sick, answer=code) | {"count": 10}
    for first in (
        refused(sick, "2026-11-20T15:00:02Z"),
        refused(sick, "2026-11-20T15:00:02Z", probe="Liveness"),
        refused(sick, "2026-11-20T14:59:00Z"),  # before this run
    ):
        assert "refuses" not in " ".join(ports_of(diagnosis(web, sick, first, later)))


def test_the_controller_that_writes_slices_may_report_why_it_does_not() -> None:
    of_web = service()
    trouble = reported("FailedToUpdateEndpointSlices", "quota exceeded", about=of_web)
    of = diagnosis(of_web, backend(), trouble)
    assert answer(of, "endpoints") == (
        "failing: no EndpointSlice yet; FailedToUpdateEndpointSlices: quota exceeded"
    )
    of = diagnosis(of_web, backend(), endpoint_slice(), trouble)
    assert answer(of, "endpoints").startswith(
        "failing: its EndpointSlice lists no address; ready, but not listed yet: web-1"
    )


def test_without_the_right_to_list_slices_only_that_is_unknown() -> None:
    of = diagnosis(service(), backend(), unseen={"EndpointSlice": "they are forbidden"})
    assert answer(of, "endpoints") == (
        "unknown: endpoints are unknown: they are forbidden"
    )
    assert of.phase == "Unknown"


def test_without_a_selector_the_slices_say_all() -> None:
    listed = endpoint_slice(endpoint(), manager="")
    del listed["endpoints"][0]["targetRef"]
    of = diagnosis(service(selector=None), listed)
    assert (of.phase, of.verdict) == ("Serving", OK)
    assert of.summary == "ClusterIP 10.96.0.9, 1 of 1 endpoints ready"
    of = diagnosis(service(selector=None), endpoint_slice(manager=""))
    assert answer(of, "endpoints") == (
        "failing: its EndpointSlice lists no address: traffic goes nowhere"
    )


def test_a_family_of_two_that_leads_nowhere_is_named() -> None:
    dual = service(ipFamilies=["IPv4", "IPv6"])
    empty = endpoint_slice(name="web-6", family="IPv6")
    of = diagnosis(dual, backend(), endpoint_slice(endpoint()), empty)
    assert answer(of, "endpoints").endswith(
        "; no IPv6 endpoint is ready: its Pods have no IPv6 address"
    )
    assert of.verdict is FAILING
    both = backend()
    both["status"]["podIPs"].append({"ip": "fd00::3"})
    of = diagnosis(dual, both, endpoint_slice(endpoint()), empty)
    assert answer(of, "endpoints").endswith("; no IPv6 endpoint is ready")
    assert of.verdict is WAITING
    full = endpoint_slice(endpoint(address="fd00::3"), name="web-6", family="IPv6")
    of = diagnosis(dual, both, endpoint_slice(endpoint()), full)
    assert answer(of, "endpoints").endswith("10.0.0.3:8080 and [fd00::3]:8080")
    assert of.verdict is OK


def port(target: Any, **more: Any) -> dict[str, Any]:
    return {"name": "http", "port": 80, "protocol": "TCP", "targetPort": target, **more}


@pytest.mark.parametrize("target", [8080, "http", "8080"])
def test_a_port_that_leads_to_one_of_the_pods_goes_without_saying(target: Any) -> None:
    assert ports_of(served(ports=[port(target)])) == []


def test_a_named_port_that_no_container_has_leads_nowhere() -> None:
    # As the controller lists a Pod that lacks the port: with an address, without it.
    listed = endpoint_slice(endpoint(), ports=[])
    of = diagnosis(service(ports=[port("web")]), backend(), listed)
    assert ports_of(of) == [
        "failing: port http 80/TCP leads to web, a port that no container has: they "
        "have http 8080/TCP"
    ]
    assert answer(of, "endpoints") == (
        "failing: 1 of 1 endpoints ready: 10.0.0.3; no port of the Service leads there"
    )
    assert (of.phase, of.verdict) == ("NoEndpoints", FAILING)


def test_a_missing_named_port_names_the_first_pod() -> None:
    of = served(backend("b", ports=[]), ports=[port("http")])
    assert ports_of(of) == [
        "failing: port http 80/TCP leads to http, a port that none of b has: they "
        "declare no port"
    ]


def test_the_protocol_belongs_to_a_named_port() -> None:
    udp = [{"name": "http", "containerPort": 8080, "protocol": "UDP"}]
    of = diagnosis(service(ports=[port("http")]), backend(ports=udp))
    assert ports_of(of) == [
        "failing: port http 80/TCP leads to http, which container app has as UDP"
    ]


def test_a_number_need_not_be_declared() -> None:
    of = served(ports=[port(9090)])
    assert ports_of(of) == [
        "ok: port http 80/TCP leads to 9090/TCP, which no container declares (they "
        "declare http 8080/TCP): it works if one listens there"
    ]
    assert ports_of(diagnosis(service(ports=[port(9)]), backend(ports=[]))) == []


def test_a_sidecar_may_have_the_port() -> None:
    meshed = backend(ports=[])
    meshed["spec"]["initContainers"] = [
        {"name": "setup", "ports": [{"name": "no", "containerPort": 1}]},
        {
            "name": "mesh",
            "restartPolicy": "Always",
            "ports": [{"name": "in", "containerPort": 15001}],
        },
    ]
    assert ports_of(diagnosis(service(ports=[port("in")]), meshed)) == []
    (line,) = ports_of(diagnosis(service(ports=[port("no")]), meshed))
    assert line.endswith("they have in 15001/TCP")


def test_a_slice_shows_all_it_lists() -> None:
    of = diagnosis(
        endpoint_slice(
            endpoint(),
            endpoint("b", "10.0.0.4", ready=False),
            endpoint("c", "10.0.0.5", ready=False, terminating=True),
        )
    )
    assert (of.phase, of.verdict) == ("Ready", OK)
    assert of.summary == (
        "IPv4, http 8080/TCP; ready: 10.0.0.3; not ready: 10.0.0.4; terminating: "
        "10.0.0.5"
    )
    of = diagnosis(endpoint_slice(endpoint(ready=False)))
    assert (of.phase, of.verdict) == ("NotReady", WAITING)
    of = diagnosis(endpoint_slice(ports=[]))
    assert (of.phase, of.verdict, of.summary) == ("Empty", OK, "IPv4")
    many = [endpoint(address=f"10.0.0.{n}") for n in range(9)]
    assert diagnosis(endpoint_slice(*many)).summary.endswith("10.0.0.5 and 3 more")

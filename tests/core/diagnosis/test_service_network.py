"""A Service's name, address and proxies: questions 4 to 6."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.render.findings import text as text_of
from tests.builders import (
    Object,
    backend,
    endpoint,
    endpoint_slice,
    node,
    reported,
    service,
)
from tests.core.diagnosis.serving import FAILING, OK, WAITING, answer, proxy, served
from tests.tracing import diagnosis

NAME = "web.shop.svc.cluster.local"


def dns(*endpoints: Object) -> tuple[Object, Object]:
    labels = {"k8s-app": "kube-dns"}
    listed = endpoint_slice(*endpoints, of="kube-dns", namespace="kube-system")
    return service("kube-dns", "kube-system", labels=labels), listed


# The name


def test_the_name_to_ask_for_resolves_while_the_dns_has_endpoints() -> None:
    of = served(*dns(endpoint("coredns-1"), endpoint("coredns-2")))
    assert answer(of, "dns") == f"ok: {NAME} by default; kube-dns has 2 ready endpoints"


def test_without_ready_endpoints_of_the_dns_no_name_resolves() -> None:
    of = served(*dns(endpoint(ready=False)))
    assert answer(of, "dns") == (
        f"failing: {NAME} by default; kube-dns in kube-system has no ready endpoint"
    )
    assert of.verdict is FAILING


def test_a_dns_that_is_elsewhere_is_not_failing() -> None:
    assert answer(served(service("kube-dns", "kube-system")), "dns") == (
        f"unknown: {NAME} by default; no Service in kube-system has k8s-app=kube-dns; "
        "the cluster's DNS may be elsewhere"
    )


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("Service", "the cluster's DNS is"),
        ("EndpointSlice", "endpoints of kube-dns are"),
    ],
)
def test_without_rights_in_kube_system_the_dns_is_unknown(kind: str, why: str) -> None:
    others = dns()[:1] if kind == "EndpointSlice" else ()
    of = diagnosis(service(), *others, unseen={kind: "no right to list"})
    text = f"unknown: {NAME} by default; {why} unknown: no right to list"
    assert answer(of, "dns") == text


def test_an_external_name_is_only_an_alias() -> None:
    of = diagnosis(
        service(
            type="ExternalName",
            externalName="db.example.com",
            clusterIP=None,
            clusterIPs=None,
        ),
        backend(),
        *dns(endpoint()),
    )
    assert [each.about for each in of.findings] == ["dns"]
    assert answer(of, "dns") == (
        f"ok: {NAME} (by default) is an alias of db.example.com; kube-dns has 1 ready "
        "endpoint"
    )
    assert (of.phase, of.verdict, of.summary, of.children) == (
        "External",
        OK,
        "alias of db.example.com",
        (),
    )


@pytest.mark.parametrize("target", ["192.0.2.7", "2001:db8::7"])
def test_an_external_name_that_is_an_address_does_not_resolve(target: str) -> None:
    of = diagnosis(service(type="ExternalName", externalName=target))
    assert answer(of, "dns").startswith(f"failing: externalName {target} is an address")
    assert of.verdict is FAILING


# The address


def test_a_headless_service_needs_neither_address_nor_proxy() -> None:
    of = served(clusterIP="None", clusterIPs=["None"])
    assert answer(of, "address") == (
        "ok: headless: its name leads to the addresses of the Pods themselves"
    )
    assert "proxy" not in {each.about for each in of.findings}
    assert of.summary == "headless, 1 of 1 Pods ready"


def test_cluster_ips_and_ports_are_listed() -> None:
    of = served(
        clusterIPs=["10.96.0.9", "fd00::9"],
        ports=[{"name": "dns", "port": 53, "protocol": "UDP"}, {"port": 80}],
        externalIPs=["198.51.100.4"],
        sessionAffinity="ClientIP",
    )
    assert answer(of, "address") == (
        "ok: 10.96.0.9 and fd00::9 ports dns 53/UDP and 80/TCP; externalIPs "
        "198.51.100.4; each client stays with one Pod"
    )
    of = served(clusterIP="", clusterIPs=[])
    assert answer(of, "address") == "waiting: no cluster IP is allocated yet"


PORT = {"port": 80, "nodePort": 30080, "targetPort": 8080}


def test_node_ports_are_listed() -> None:
    of = served(type="NodePort", ports=[PORT])
    assert answer(of, "address") == "ok: 10.96.0.9 port 80/TCP; node port 30080"


def balanced(*events: tuple[str, str, str], **spec: Any) -> tuple[str, str]:
    """Return the phase of a LoadBalancer, and what is said of its address."""
    of_web = service(type="LoadBalancer", ports=[PORT], **spec)
    untimed: Any = dict.fromkeys(("firstTimestamp", "lastTimestamp", "count"))
    told = [
        reported(
            reason,
            message,
            about=of_web,
            kind=kind,
            eventTime=f"2026-11-20T15:00:0{at}Z",
            **untimed,
        )
        for at, (kind, reason, message) in enumerate(events)
    ]
    unnamed = endpoint_slice(endpoint(), ports=[{"port": 8080}])
    of = diagnosis(of_web, backend(), unnamed, *told)
    start = "10.96.0.9 port 80/TCP; node port 30080; "
    return of.phase, answer(of, "address").replace(start, "")


@pytest.mark.parametrize(
    ("ingress", "written"),
    [
        ([{"ip": "203.0.113.7", "ipMode": "VIP"}], "203.0.113.7"),
        (
            [{"hostname": "a.elb.example.com"}, {"ip": "203.0.113.7"}],
            "a.elb.example.com and 203.0.113.7",
        ),
    ],
)
def test_a_load_balancer_is_named(ingress: list[Object], written: str) -> None:
    status = {"loadBalancer": {"ingress": ingress}}
    assert balanced(status=status) == ("Serving", f"ok: load balancer {written}")


def test_a_load_balancer_that_nobody_provisions_is_waited_for() -> None:
    assert balanced() == (
        "Pending",
        "waiting: no load balancer yet: no controller has provisioned one",
    )
    assert balanced(loadBalancerClass="example.com/internal")[1] == (
        "waiting: no load balancer yet: no controller of class example.com/internal has"
    )


def test_a_load_balancer_that_fails_says_why() -> None:
    trying = ("Normal", "EnsuringLoadBalancer", "Ensuring load balancer")
    failed = (
        "Warning",
        "SyncLoadBalancerFailed",
        "Error syncing load balancer: failed to ensure load balancer: quota exceeded",
    )
    assert balanced(trying) == (
        "Pending",
        "waiting: no load balancer yet: EnsuringLoadBalancer: Ensuring load balancer",
    )
    for told in (
        (trying, failed),
        (failed, trying),
    ):  # that it tries again mends nothing
        assert balanced(*told) == (
            "Pending",
            "failing: no load balancer yet: SyncLoadBalancerFailed: Error syncing load "
            "balancer: failed to ensure load balancer: quota exceeded",
        )


def test_reports_about_endpoints_are_not_about_the_load_balancer() -> None:
    assert (
        "no controller has"
        in balanced(("Warning", "FailedToUpdateEndpointSlices", "conflict"))[1]
    )


def test_a_port_that_the_load_balancer_refuses_is_named() -> None:
    ports = [{"port": 80, "protocol": "TCP", "error": "MixedProtocolNotSupported"}]
    status = {"loadBalancer": {"ingress": [{"ip": "203.0.113.7", "ports": ports}]}}
    assert balanced(status=status)[1] == (
        "failing: load balancer port 80: MixedProtocolNotSupported"
    )


def test_local_traffic_policies_name_the_nodes_that_answer() -> None:
    of = served(
        type="NodePort",
        ports=[PORT],
        externalTrafficPolicy="Local",
        internalTrafficPolicy="Local",
    )
    assert answer(of, "address").endswith(
        "; externalTrafficPolicy Local: from outside node-1 answers; "
        "internalTrafficPolicy Local: only node-1 gets through"
    )
    none = service(type="NodePort", ports=[PORT], externalTrafficPolicy="Local")
    assert answer(diagnosis(none), "address").endswith("from outside no node answers")


# The proxies


@pytest.mark.parametrize(
    ("name", "labels", "what"),
    [
        ("kube-proxy-x7k2p", {}, "kube-proxy"),
        ("static-1", {"component": "kube-proxy"}, "kube-proxy"),
        ("odd", {"k8s-app": "kube-proxy"}, "kube-proxy"),
        ("cilium-x7k2p", {"k8s-app": "cilium"}, "cilium"),
        ("anetd-x7k2p", {"k8s-app": "cilium"}, "anetd"),
        ("kube-router-x7k2p", {}, "kube-router"),
        ("antrea-agent-x7k2p", {"component": "antrea-agent"}, "antrea-agent"),
    ],
)
def test_proxies_on_all_nodes_are_ok(
    name: str, labels: dict[str, str], what: str
) -> None:
    of = served(
        node(), node("down", ready="False"), proxy(name, "node-1", True, **labels)
    )
    assert answer(of, "proxy") == f"ok: {what} runs on 1 of 1 Ready nodes"


def test_nodes_without_a_proxy_and_with_one_that_is_not_ready_are_named() -> None:
    of = served(
        node(),
        node("node-2"),
        node("node-3"),
        node("win", labels={"kubernetes.io/os": "windows"}),
        proxy("kube-proxy-a", "node-1"),
        proxy("kube-proxy-b", "node-2", ready=False),
    )
    assert answer(of, "proxy") == (
        "failing: kube-proxy runs on 1 of 3 Ready nodes; none on node-3; not ready on "
        "node-2: running, not ready: its readiness probe (GET :8080/) has not passed"
    )


def test_one_of_two_proxies_on_a_node_is_enough() -> None:
    old = proxy("kube-proxy-a", "node-1")
    new = proxy("kube-proxy-b", "node-1", ready=False)
    assert answer(served(node(), old, new), "proxy").startswith("ok")


def test_a_cluster_without_proxies_may_have_them_built_in() -> None:
    of = served(node(), proxy("cilium-operator-7d9c-x7k2p", "node-1"))
    assert answer(of, "proxy") == (
        "unknown: no kube-proxy among the Pods of kube-system; k3s and others build it "
        "in, and the API does not show it"
    )
    assert of.verdict is OK


def test_without_rights_only_the_line_about_proxies_is_unknown() -> None:
    listed = endpoint_slice(endpoint())
    of = diagnosis(
        service(),
        backend(),
        listed,
        proxy("kube-proxy-a", "node-1"),
        unseen={"Node": "nodes are forbidden"},
    )
    assert answer(of, "proxy") == (
        "unknown: kube-proxy runs; whether on every node is unknown: nodes are "
        "forbidden"
    )
    assert of.verdict is OK
    of = diagnosis(service(), listed, unseen={"Pod": "pods are forbidden"})
    assert answer(of, "proxy") == (
        "unknown: the nodes' proxies are unknown: pods are forbidden"
    )


def test_a_service_may_be_left_to_another_proxy() -> None:
    label = "service.kubernetes.io/service-proxy-name"
    of = diagnosis(service(labels={label: "mesh"}))
    assert (
        answer(of, "proxy") == f"unknown: kube-proxy leaves it to mesh (label {label})"
    )


def test_the_worst_of_all_is_the_services_verdict() -> None:
    of = served(type="LoadBalancer")
    assert (of.phase, of.verdict) == ("Pending", WAITING)
    leaving = service()
    leaving["metadata"]["deletionTimestamp"] = "2026-11-20T15:00:00Z"
    leaving["metadata"]["finalizers"] = ["service.kubernetes.io/load-balancer-cleanup"]
    of = diagnosis(leaving)
    assert of.phase == "Terminating"
    assert "load-balancer-cleanup" in text_of(of.findings[0])

"""A Service's name, address and proxies: questions 4 to 6."""

from __future__ import annotations

from typing import Any

import pytest

from tests.builders import (
    Object,
    backend,
    endpoint,
    endpoint_slice,
    node,
    proxy,
    reported,
    served,
)
from tests.builders import service as a_service
from tests.core.diagnosis.cases import Row, Rules, check, rows, unseen
from tests.tracing import diagnosis

service = a_service()
NAME = "web.shop.svc.cluster.local"


def dns(*endpoints: Object) -> tuple[Object, Object]:
    labels = {"k8s-app": "kube-dns"}
    listed = endpoint_slice(*endpoints, of="kube-dns", namespace="kube-system")
    return a_service("kube-dns", "kube-system", labels=labels), listed


ALIAS = a_service(
    type="ExternalName", externalName="db.example.com", clusterIP=None, clusterIPs=None
)
NAMES: Rules = {
    "the name to ask for resolves while the DNS has endpoints": (
        *served(*dns(endpoint("coredns-1"), endpoint("coredns-2"))),
        "dns ~ ServiceName … (DNSReady endpoints=2 server=kube-dns)",
    ),
    "without ready endpoints of the DNS no name resolves": (
        *served(*dns(endpoint(ready=False))),
        "Serving failing",
        "dns ~ ServiceNameUnresolved … (DNSDown server=kube-dns)",
    ),
    "a DNS that is elsewhere is not failing": (
        *served(a_service("kube-dns", "kube-system")),
        "dns: unknown ServiceName name=web.shop.svc.cluster.local state=(DNSElsewhere)",
    ),
    "without rights to list Services the DNS is unknown": (
        *(service, unseen(Service="no right to list")),
        "dns ~ unknown … (DNSUnseen why=(ListRefused message=no right to list))",
    ),
    "without rights to list slices the DNS is unknown": (
        *(service, dns()[0], unseen(EndpointSlice="no right to list")),
        "dns ~ unknown … (DNSEndpointsUnseen server=kube-dns",
    ),
    "an external name is only an alias": (
        *(ALIAS, backend(), *dns(endpoint())),
        "External ok",
        "= alias of db.example.com",
        "dns ~ (DNSReady endpoints=1 server=kube-dns) target=db.example.com",
        "no others",
    ),
    "an external name that is an address does not resolve": (
        a_service(type="ExternalName", externalName="192.0.2.7"),
        "External failing",
        "dns: ExternalNameIsAddress target=192.0.2.7",
    ),
    "an external name that is an address of IPv6 does not resolve": (
        a_service(type="ExternalName", externalName="2001:db8::7"),
        "External failing",
        "dns: ExternalNameIsAddress target=2001:db8::7",
    ),
}


@rows(NAMES)
def test_names_resolve_while_the_dns_answers(row: Row) -> None:
    check(row)


def test_an_alias_has_nothing_below() -> None:
    assert diagnosis(ALIAS, backend(), *dns(endpoint())).children == ()


PORT = {"port": 80, "nodePort": 30080, "targetPort": 8080}
NODE_PORT: dict[str, Any] = {"type": "NodePort", "ports": [PORT]}
DNS_PORT = {"name": "dns", "port": 53, "protocol": "UDP"}
LOCAL = {"externalTrafficPolicy": "Local", "internalTrafficPolicy": "Local"}
LEAVING = a_service()
LEAVING["metadata"] |= {
    "deletionTimestamp": "2026-11-20T15:00:00Z",
    "finalizers": ["service.kubernetes.io/load-balancer-cleanup"],
}


def balanced(*events: str, address: Any = None, **spec: Any) -> tuple[Object, ...]:
    """Return a LoadBalancer, its Pod, and Events, each as `TYPE REASON MESSAGE`."""
    if address:
        spec["status"] = {"loadBalancer": {"ingress": address}}
    its = a_service(type="LoadBalancer", ports=[PORT], **spec)
    untimed: Any = dict.fromkeys(("firstTimestamp", "lastTimestamp", "count"))
    told = [
        reported(
            *each.split(" ", 2)[1:],
            about=its,
            kind=each.split(" ", 1)[0],
            eventTime=f"2026-11-20T15:00:0{at}Z",
            **untimed,
        )
        for at, each in enumerate(events)
    ]
    unnamed = endpoint_slice(endpoint(), ports=[{"port": 8080}])
    return (its, backend(), unnamed, *told)


TRIES = "Normal EnsuringLoadBalancer Ensuring load balancer"
FAILS = "Warning SyncLoadBalancerFailed quota exceeded"
REFUSED = [{"port": 80, "protocol": "TCP", "error": "MixedProtocolNotSupported"}]
ADDRESSES: Rules = {
    "a headless Service needs neither address nor proxy": (
        *served(clusterIP="None", clusterIPs=["None"]),
        "address: Headless",
        "no proxy",
        "= headless, 1 of 1 Pods ready",
    ),
    "cluster IPs and ports are listed": (
        *served(
            clusterIPs=["10.96.0.9", "fd00::9"],
            ports=[DNS_PORT, {"port": 80}],
            externalIPs=["198.51.100.4"],
            sessionAffinity="ClientIP",
        ),
        "address: ServiceAddress parts=[(ClusterAddress ips=[10.96.0.9, "
        "fd00::9] ports=[dns 53/UDP, 80/TCP]), (ExternalIPs "
        "ips=[198.51.100.4]), (SessionAffinity)]",
    ),
    "a cluster IP is awaited": (
        *served(clusterIP="", clusterIPs=[]),
        "address: ClusterIPAwaited",
    ),
    "node ports are listed": (
        *served(**NODE_PORT),
        "address ~ ServiceAddress … (NodePorts ports=[30080])]",
    ),
    "a load balancer is named": (
        *balanced(address=[{"ip": "203.0.113.7", "ipMode": "VIP"}]),
        "Serving ok",
        "address ~ ServiceAddress … (LoadBalancerAddress addresses=[203.0.113.7])",
    ),
    "all addresses of a load balancer are named": (
        *balanced(address=[{"hostname": "a.elb.example.com"}, {"ip": "203.0.113.7"}]),
        "address ~ (LoadBalancerAddress addresses=[a.elb.example.com, 203.0.113.7])",
    ),
    "a load balancer that nobody provisions is waited for": (
        *balanced(),
        "Pending waiting",
        "address ~ ServiceAddressPending … (LoadBalancerPending)",
    ),
    "the class of a load balancer is named": (
        *balanced(loadBalancerClass="example.com/internal"),
        "address ~ (LoadBalancerPending name=example.com/internal)",
    ),
    "a load balancer that is made says so": (
        *balanced(TRIES),
        "Pending waiting",
        "address: ServiceAddressPending parts=[(ClusterAddress "
        "ips=[10.96.0.9] ports=[80/TCP]), (NodePorts ports=[30080]), "
        "(LoadBalancerPending message=Ensuring load balancer "
        "reason=EnsuringLoadBalancer)]",
    ),
    "a load balancer that fails says why": (
        *balanced(TRIES, FAILS),
        "Pending failing",
        "address: failing ServiceAddressPending parts=[(ClusterAddress "
        "ips=[10.96.0.9] ports=[80/TCP]), (NodePorts ports=[30080]), "
        "(LoadBalancerPending message=quota exceeded "
        "reason=SyncLoadBalancerFailed)]",
    ),
    "that it tries again mends nothing": (
        *balanced(FAILS, TRIES),
        "Pending failing",
        "address: failing ServiceAddressPending parts=[(ClusterAddress "
        "ips=[10.96.0.9] ports=[80/TCP]), (NodePorts ports=[30080]), "
        "(LoadBalancerPending message=quota exceeded "
        "reason=SyncLoadBalancerFailed)]",
    ),
    "reports about endpoints are not about the load balancer": (
        *balanced("Warning FailedToUpdateEndpointSlices conflict"),
        "address ~ ServiceAddressPending … (LoadBalancerPending)",
    ),
    "a port that the load balancer refuses is named": (
        *balanced(address=[{"ip": "203.0.113.7", "ports": REFUSED}]),
        "address ~ (LoadBalancerPortFailed message=MixedProtocolNotSupported port=80)",
    ),
    "local traffic policies name the nodes that answer": (
        *served(**NODE_PORT, **LOCAL),
        "address: ServiceAddress parts=[(ClusterAddress ips=[10.96.0.9] "
        "ports=[80/TCP]), (NodePorts ports=[30080]), (ExternalTrafficLocal "
        "nodes=[node-1]), (InternalTrafficLocal nodes=[node-1])]",
    ),
    "a local traffic policy may leave no node": (
        a_service(**NODE_PORT, externalTrafficPolicy="Local"),
        "address ~ ServiceAddress … (ExternalTrafficLocal)",
    ),
    "the worst of all is the Service's verdict": (
        *served(type="LoadBalancer"),
        "Pending waiting",
    ),
    "a finalizer holds a Service": (
        LEAVING,
        "Terminating waiting",
        "finalizer/service.kubernetes.io/load-balancer-cleanup: "
        "FinalizerHolds finalizer=service.kubernetes.io/load-balancer-cleanup",
    ),
}


@rows(ADDRESSES)
def test_addresses_are_listed_or_awaited(row: Row) -> None:
    check(row)


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
    nodes = (node(), node("down", ready="False"))
    its = proxy(name, "node-1", True, **labels)
    check((*served(*nodes, its), f"proxy: ProxyRuns fine=1 nodes=1 proxy={what}"))


LABEL = "service.kubernetes.io/service-proxy-name"
PROXIES: Rules = {
    "nodes without a proxy and with one that is not ready are named": (
        *served(node(), node("node-2"), node("node-3")),
        node("win", labels={"kubernetes.io/os": "windows"}),
        proxy("kube-proxy-a", "node-1"),
        proxy("kube-proxy-b", "node-2", ready=False),
        "proxy: ProxyLacking fine=1 kept=[node-2] nodes=3 proxy=kube-proxy "
        "why=(ContainerNotReady probe=readiness question=GET :8080/) "
        "without=[node-3]",
    ),
    "one of two proxies on a node is enough": (
        *served(node(), proxy("kube-proxy-a", "node-1")),
        proxy("kube-proxy-b", "node-1", ready=False),
        "proxy: ProxyRuns fine=1 nodes=1 proxy=kube-proxy",
    ),
    "a cluster without proxies may have them built in": (
        *served(node(), proxy("cilium-operator-7d9c-x7k2p", "node-1")),
        "Serving ok",
        "proxy: NoProxyPods",
    ),
    "without rights to list nodes only their number is unknown": (
        *served(proxy("kube-proxy-a", "node-1")),
        unseen(Node="nodes are forbidden"),
        "Serving ok",
        "proxy: ProxyNodesUnseen proxy=kube-proxy why=(ListRefused "
        "message=nodes are forbidden)",
    ),
    "without rights to list Pods the proxies are unknown": (
        *(service, endpoint_slice(endpoint()), unseen(Pod="pods are forbidden")),
        "proxy: ProxiesUnseen why=(ListRefused message=pods are forbidden)",
    ),
    "a Service may be left to another proxy": (
        a_service(labels={LABEL: "mesh"}),
        "proxy: ProxyElsewhere "
        "label=service.kubernetes.io/service-proxy-name proxy=mesh",
    ),
}


@rows(PROXIES)
def test_proxies_that_are_missing_are_named(row: Row) -> None:
    check(row)

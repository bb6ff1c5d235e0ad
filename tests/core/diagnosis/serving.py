"""Services, and what stands behind them, as the controllers write them."""

from __future__ import annotations

from typing import Any

from kubectl_spy.core.diagnosis.finding import Diagnosis, Verdict
from tests.tracing import diagnosis, found

OK, WAITING = Verdict.OK, Verdict.WAITING
FAILING, UNKNOWN = Verdict.FAILING, Verdict.UNKNOWN
Object = dict[str, Any]


def metadata(name: str, namespace: str | None = "shop", **more: Any) -> Object:
    where = {} if namespace is None else {"namespace": namespace}
    uid = f"uid-{namespace}-{name}"
    return {"name": name, "uid": uid, "resourceVersion": "1", **where, **more}


def service(name: str = "web", namespace: str = "shop", **spec: Any) -> Object:
    """Return a Service with a cluster IP, a port and a selector, unless told not."""
    labels = spec.pop("labels", {})
    status = spec.pop("status", {"loadBalancer": {}})
    whole = {
        "type": "ClusterIP",
        "clusterIP": "10.96.0.9",
        "clusterIPs": ["10.96.0.9"],
        "selector": {"app": "web"},
        "ports": [{"name": "http", "port": 80, "protocol": "TCP", "targetPort": 8080}],
        "ipFamilies": ["IPv4"],
        **spec,
    }
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata(name, namespace, labels=labels),
        "spec": {key: value for key, value in whole.items() if value is not None},
        "status": status,
    }


def pod(
    name: str = "web-1",
    *,
    namespace: str = "shop",
    ready: bool = True,
    labels: dict[str, str] | None = None,
    node: str = "node-1",
    ports: list[Object] | None = None,
    container: Object | None = None,
    conditions: list[Object] | None = None,
    **more: Any,
) -> Object:
    """Return a Pod of one container, with an address."""
    its = [{"type": "Ready", "status": "True" if ready else "False"}]
    running = {"running": {"startedAt": "2026-11-20T15:00:00Z"}}
    status = container or {"state": running, "ready": ready, "started": True}
    declared = [{"name": "http", "containerPort": 8080, "protocol": "TCP"}]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata(
            name, namespace, labels={"app": "web"} if labels is None else labels
        )
        | more.pop("meta", {}),
        "spec": {
            "nodeName": node,
            "containers": [
                {
                    "name": "app",
                    "ports": declared if ports is None else ports,
                    "readinessProbe": {"httpGet": {"port": 8080}},
                }
            ],
            **more,
        },
        "status": {
            "phase": "Running",
            "podIP": "10.0.0.3",
            "podIPs": [{"ip": "10.0.0.3"}],
            "conditions": its if conditions is None else conditions,
            "containerStatuses": [{"name": "app", **status}],
        },
    }


def endpoint(
    name: str = "web-1",
    address: str = "10.0.0.3",
    *,
    ready: bool = True,
    serving: bool | None = None,
    terminating: bool = False,
    node: str = "node-1",
    namespace: str = "shop",
) -> Object:
    conditions = {
        "ready": ready,
        "serving": ready if serving is None else serving,
        "terminating": terminating,
    }
    target = {"kind": "Pod", "namespace": namespace, "name": name}
    target["uid"] = f"uid-{namespace}-{name}"
    return {
        "addresses": [address],
        "conditions": conditions,
        "targetRef": target,
        "nodeName": node,
    }


def endpoint_slice(
    *endpoints: Object,
    name: str = "web-x7k2p",
    of: str = "web",
    namespace: str = "shop",
    family: str = "IPv4",
    ports: list[Object] | None = None,
    manager: str = "endpointslice-controller.k8s.io",
) -> Object:
    """Return an EndpointSlice of the Service *of*."""
    labels = {
        "kubernetes.io/service-name": of,
        "endpointslice.kubernetes.io/managed-by": manager,
    }
    usual = [{"name": "http", "port": 8080, "protocol": "TCP"}]
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": metadata(name, namespace, labels=labels),
        "addressType": family,
        "endpoints": list(endpoints) or None,
        "ports": usual if ports is None else ports,
    }


def node(name: str = "node-1", ready: str = "True", **labels: str) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": metadata(name, None, labels=labels),
        "status": {"conditions": [{"type": "Ready", "status": ready}]},
    }


def proxy(name: str, on: str, ready: bool = True, **labels: str) -> Object:
    return pod(name, namespace="kube-system", node=on, ready=ready, labels=labels)


def event(about: Object, reason: str, message: str, **more: Any) -> Object:
    """Return a Warning about an object, unless told otherwise."""
    uid = about["metadata"]["uid"]
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": metadata(f"{uid}.{reason}"),
        "involvedObject": {
            "kind": about["kind"],
            "name": about["metadata"]["name"],
            "uid": uid,
            **more.pop("involved", {}),
        },
        "type": "Warning",
        "reason": reason,
        "message": message,
        **more,
    }


def served(*more: Object, **spec: Any) -> Diagnosis:
    """Return the diagnosis of a Service with a ready Pod that is listed."""
    its = service(**spec)
    ports = [
        {
            "name": each.get("name", ""),
            "port": 8080,
            "protocol": each.get("protocol", "TCP"),
        }
        for each in its["spec"]["ports"]
    ]
    listed = endpoint_slice(endpoint(), ports=ports)
    return diagnosis(its, pod(), listed, *more)


def answer(of: Diagnosis, about: str) -> str:
    """Return the verdict of a finding and its text, in a line."""
    verdict, text = found(of, about)
    return f"{verdict.value}: {text}"

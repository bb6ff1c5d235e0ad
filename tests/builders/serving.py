"""Services, and what stands behind and before them, as the controllers write them."""

from __future__ import annotations

from typing import Any

from tests.builders.objects import Object, conditions, obj


def uid_of(name: str, namespace: str = "shop") -> str:
    """Return the uid of an object of this module."""
    return f"uid-{namespace}-{name}"


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
    return obj(
        "Service",
        name,
        namespace,
        uid=uid_of(name, namespace),
        metadata={"labels": labels},
        spec={key: value for key, value in whole.items() if value is not None},
        status=status,
    )


def backend(
    name: str = "web-1",
    *,
    namespace: str = "shop",
    ready: bool = True,
    labels: dict[str, str] | None = None,
    node: str = "node-1",
    ports: list[Object] | None = None,
    container: Object | None = None,
    conditions: list[Object] | None = None,
    metadata: Object | None = None,
    **spec: Any,
) -> Object:
    """Return a Pod of one container, with an address."""
    its = [{"type": "Ready", "status": "True" if ready else "False"}]
    running = {"running": {"startedAt": "2026-11-20T15:00:00Z"}}
    status = container or {"state": running, "ready": ready, "started": True}
    declared = [{"name": "http", "containerPort": 8080, "protocol": "TCP"}]
    app = {
        "name": "app",
        "ports": declared if ports is None else ports,
        "readinessProbe": {"httpGet": {"port": 8080}},
    }
    selected = {"labels": {"app": "web"} if labels is None else labels}
    return obj(
        "Pod",
        name,
        namespace,
        uid=uid_of(name, namespace),
        metadata=selected | (metadata or {}),
        spec={"nodeName": node, "containers": [app], **spec},
        status={
            "phase": "Running",
            "podIP": "10.0.0.3",
            "podIPs": [{"ip": "10.0.0.3"}],
            "conditions": its if conditions is None else conditions,
            "containerStatuses": [{"name": "app", **status}],
        },
    )


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
    target["uid"] = uid_of(name, namespace)
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
    slices = obj(
        "EndpointSlice",
        name,
        namespace,
        uid=uid_of(name, namespace),
        metadata={"labels": labels},
        addressType=family,
        ports=usual if ports is None else ports,
    )
    return slices | {"endpoints": list(endpoints) or None}


def proxy(name: str, on: str, ready: bool = True, **labels: str) -> Object:
    """Return a Pod of kube-system on a node."""
    return backend(name, namespace="kube-system", node=on, ready=ready, labels=labels)


def served(*more: Object, **spec: Any) -> tuple[Object, ...]:
    """Return a Service with a ready Pod that is listed, and what else there is."""
    its = service(**spec)
    ports = [
        {
            "name": each.get("name", ""),
            "port": 8080,
            "protocol": each.get("protocol", "TCP"),
        }
        for each in its["spec"]["ports"]
    ]
    return (its, backend(), endpoint_slice(endpoint(), ports=ports), *more)


def budget(
    name: str = "web",
    /,
    *,
    allowed: int = 0,
    expected: int = 0,
    healthy: int = 0,
    desired: int = 0,
    **spec: Any,
) -> Object:
    """Return a PodDisruptionBudget of the Pods of a Service."""
    reason = "True SufficientPods" if allowed else "False InsufficientPods"
    return obj(
        "PodDisruptionBudget",
        name,
        uid=uid_of(name),
        metadata={"generation": 1},
        spec={"selector": {"matchLabels": {"app": "web"}}, **spec},
        status={
            "observedGeneration": 1,
            "disruptionsAllowed": allowed,
            "expectedPods": expected,
            "currentHealthy": healthy,
            "desiredHealthy": desired,
            "conditions": conditions(DisruptionAllowed=reason),
        },
    )

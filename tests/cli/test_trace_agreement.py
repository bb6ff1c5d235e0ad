"""A Pod has the same verdict in its own trace and in that of whatever has it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import pytest

from kubectl_spy.core.times import rfc3339
from tests.builders import (
    OF_KUBELET,
    a_claim,
    a_pod,
    budget,
    container,
    endpoint,
    endpoint_slice,
    manifest,
    node,
    over,
    ready_since,
    reported,
    service,
    workload,
)
from tests.cli.command import Spy
from tests.extras.serve.api_server.server import ApiServer

Serve = Callable[..., ApiServer]


def waiting_for_a_claim() -> list[dict[str, Any]]:
    """Return a Pod, its claim that gets no volume, and what selects the Pod."""
    scheduled = {
        "status": "False",
        "reason": "Unschedulable",
        "message": "0/1 nodes are available: pod has unbound immediate "
        "PersistentVolumeClaims. not found",
    }
    claims = {"persistentVolumeClaim": {"claimName": "data"}}
    pod = a_pod(
        container(),
        phase="Pending",
        conditions={"PodScheduled": scheduled},
        metadata={"labels": {"app": "web"}},
        spec={"nodeName": "", "volumes": [{"name": "data", **claims}]},
    )
    no_class = 'storageclass.storage.k8s.io "fast" not found'
    claim = a_claim()
    failed = reported("ProvisioningFailed", no_class, about=claim)
    return [pod, claim, failed, service(), budget(minAvailable=1)]


@pytest.mark.parametrize("target", ["svc/web", "pdb/web"])
def test_every_root_shows_that_a_pod_without_claim_fails(
    spy: Spy, serve: Serve, target: str
) -> None:
    server = serve(namespace="shop")
    for each in waiting_for_a_claim():
        server.put(each)
    own, others = (
        spy.run("trace", each, "-n", "shop", "--once").out.splitlines()
        for each in ("pod/web-0", target)
    )
    line = "pod/web-0  Pending  0/1 ready"
    why = "PersistentVolumeClaim data is Pending: StorageClass fast does not exist"
    assert own[0].startswith(f"✗ {line}")
    assert any(f"✗ {line}" in each for each in others), others
    for lines in (own, others):
        assert any(f"✗ {why}" in each for each in lines), lines


OFF = (0, -900, 900)
"""By how many seconds the clocks of nodes are off."""
RUNS = {60: "waiting", 700: "ok", 86_400: "ok"}
"""Verdicts by how long a container runs that has to run for 600 s."""
RESTARTS = (1, 12)
ROOTS = ("pods", "rs/web-1", "deploy/web", "svc/web", "ingress/web", "pdb/web", "nodes")


def at(ago: float, off: float = 0) -> str:
    """Return a time as the API server and kubelets write it: of whole seconds."""
    return rfc3339(time.time() - ago + off)[:19] + "Z"


def restarted(on: str, off: float, ago: float, restarts: int) -> dict[str, Any]:
    """Return the Pod of a node, whose container was started again seconds *ago*."""
    began = at(ago, off)
    last = over(1, startedAt=at(ago + 301, off), finishedAt=at(ago + 1, off))
    state = {"running": {"startedAt": began}}
    app = container(state=state, last=last, ready=True, restarts=restarts)
    owner = {"uid": "web-1", "kind": "ReplicaSet", "name": "web-1", "controller": True}
    host = {"uid": f"uid-{on}", "kind": "Node", "name": on}
    written = {"manager": "kubelet", "time": at(ago - 1), **OF_KUBELET}
    metadata = {
        "name": f"web-{on}",
        "uid": f"uid-shop-web-{on}",
        "labels": {"app": "web"},
        "ownerReferences": [owner, host],
        "managedFields": [written],
    }
    ready = ready_since(began)
    return a_pod(app, conditions=ready, metadata=metadata, spec={"nodeName": on})


def beating(on: str, off: float) -> Iterator[dict[str, Any]]:
    """Yield what shows the clock of a node: its heartbeat, its Lease, another Pod."""
    its = node(on)
    its["status"]["conditions"][0]["lastHeartbeatTime"] = at(280, off)
    yield its
    spec = {"holderIdentity": on, "renewTime": at(0, off)}
    yield manifest("Lease", on, "kube-node-lease", spec=spec)
    proxy = restarted(on, off, 2, 0)
    proxy["metadata"] = {"name": f"proxy-{on}", "namespace": "kube-system"}
    yield proxy


def above(pods: list[str]) -> Iterator[dict[str, Any]]:
    """Yield what has the Pods, and is as it should be."""
    many = len(pods)
    counts: dict[str, Any] = {
        "replicas": many,
        "readyReplicas": many,
        "availableReplicas": many,
    }
    spec = {"replicas": many, "selector": {"matchLabels": {"app": "web"}}}
    yield workload("Deployment", spec=spec, updatedReplicas=many, **counts)
    sets = workload("ReplicaSet", "web-1", owner="web", spec=spec, **counts)
    sets["metadata"]["ownerReferences"][0]["kind"] = "Deployment"
    yield sets
    backend = {"service": {"name": "web", "port": {"number": 80}}}
    yield workload("Ingress", spec={"defaultBackend": backend})
    yield service()
    yield endpoint_slice(*map(endpoint, pods))
    yield budget(minAvailable=1)


def verdicts(line: str) -> dict[str, str]:
    """Return the verdicts of the Pods in a picture."""
    found, pending = {}, list(json.loads(line)["objects"])
    while pending:
        each = pending.pop()
        pending += each.get("children", ())
        if each["kind"] == "Pod":
            found[each["name"]] = each["verdict"]
    return found


def test_every_root_judges_a_restarted_pod_alike(spy: Spy, serve: Serve) -> None:
    """Some watch heartbeats, Leases and other Pods of its node, and some do not."""
    server = serve(namespace="shop")
    expected = {}
    for number, (off, ago, restarts) in enumerate(product(OFF, RUNS, RESTARTS)):
        on = f"node-{number}"
        expected[f"web-{on}"] = RUNS[ago]
        for each in (*beating(on, off), restarted(on, off, ago, restarts)):
            server.put(each)
    for each in above(list(expected)):
        server.put(each)
    for root in ROOTS:
        file = str(spy.home / f"{root.replace('/', '-')}.spy")
        words = ("trace", root, "-n", "shop", "--once", "-o", "json")
        live = spy.run(*words, "--record", file)
        assert live.code == 0, live.err
        assert verdicts(live.out) == expected, root
        assert spy.run("trace", "--from", file, "--once", "-o", "json").out == live.out

"""A Pod has the same verdict in its own trace and in that of whatever has it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kubectl_spy.demo.server import ApiServer
from tests.cli.command import Spy
from tests.core.diagnosis.pods import a_pod, container, event
from tests.core.diagnosis.serving import service
from tests.core.diagnosis.test_persistent_volume_claim import a_claim
from tests.core.diagnosis.test_pod_disruption_budget import budget

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
    failed = event("ProvisioningFailed", no_class, about="claim-uid")
    failed["involvedObject"] |= {"kind": "PersistentVolumeClaim", "name": "data"}
    return [pod, a_claim(), failed, service(), budget(minAvailable=1)]


@pytest.mark.parametrize("target", ["svc/web", "pdb/web"])
def test_a_pod_that_waits_for_a_claim_fails_wherever_it_is_shown(
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

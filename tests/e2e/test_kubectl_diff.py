"""`kubectl diff` with our patches: KUBECTL_EXTERNAL_DIFF."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from tests import processes
from tests.e2e.cluster import Cluster, kubectl
from tests.e2e.objects import Record, workload

PROGRAM = "kubectl-spy diff"


def diff(
    cluster: Cluster, *objects: Record, program: str = PROGRAM, **environ: str
) -> subprocess.CompletedProcess[Any]:
    """Run `kubectl diff` of *objects* with *program*."""
    spy = cluster.spy()
    return processes.run(
        [str(kubectl()), f"--kubeconfig={cluster.kubeconfig}", "diff", "-f", "-"],
        input=json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}),
        env={**spy.environ, "KUBECTL_EXTERNAL_DIFF": program, **environ},
        capture_output=True,
        text=True,
    )


def secret(namespace: str, password: str) -> Record:
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "login", "namespace": namespace},
        "stringData": {"password": password, "user": "app"},
    }


def test_it_prints_our_patches_folded_and_masked(
    cluster: Cluster, namespace: str
) -> None:
    before = workload("Deployment", "web", namespace, replicas=0, image="web:1.0")
    cluster.apply(before, secret(namespace, "hunter2"))
    same = diff(cluster, before, secret(namespace, "hunter2"))
    assert (same.returncode, same.stdout, same.stderr) == (0, "", "")

    after = workload("Deployment", "web", namespace, replicas=2, image="web:2.0")
    fresh = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "fresh", "namespace": namespace},
        "data": {"key": "value"},
    }
    changed = diff(cluster, after, secret(namespace, "swordfish"), fresh)
    assert changed.returncode == 1, changed.stderr
    lines = changed.stdout.splitlines()
    where = f"-n {namespace}"
    first = lines.index(
        f"~ deployment.apps/web {where}  replicas 0 → 2 · image web:1.0 → web:2.0"
    )
    assert any("/spec/replicas" in line and "0 → 2" in line for line in lines[first:])
    assert "more: " in changed.stdout and "/metadata/generation" not in changed.stdout
    assert f"+ configmap/fresh {where}" in lines
    assert "/data/password" in changed.stdout
    for hidden in ("hunter2", "swordfish", "aHVudGVyMg==", "c3dvcmRmaXNo"):
        assert hidden not in changed.stdout + changed.stderr

    full = diff(cluster, after, program=f"{PROGRAM} --full")
    assert "/metadata/generation" in full.stdout and " more: " not in full.stdout


def test_what_fails_is_no_difference(
    cluster: Cluster, namespace: str, tmp_path: Path
) -> None:
    before = workload("Deployment", "web", namespace, replicas=0)
    cluster.apply(before)
    after = workload("Deployment", "web", namespace, replicas=1)
    broken = diff(cluster, after, program=f"{PROGRAM} -o wide")
    assert broken.returncode > 1
    assert "-o wide" in broken.stderr and "Traceback" not in broken.stderr


def test_kubectl_itself_cannot_be_the_program(cluster: Cluster, namespace: str) -> None:
    """It would get the directories before the word `spy`: so docs say kubectl-spy."""
    cluster.apply(workload("Deployment", "web", namespace, replicas=0))
    after = workload("Deployment", "web", namespace, replicas=1)
    refused = diff(cluster, after, program="kubectl spy diff")
    assert not refused.stdout and "unknown command" in refused.stderr

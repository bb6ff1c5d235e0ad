"""What is printed while controllers work is what the server has in the end."""

from __future__ import annotations

from typing import Any

import jsonpatch

from kubectl_spy.core.changes.projection import without_noise
from kubectl_spy.core.jsontext import canonical
from tests.e2e.cluster import IN_TIME, Cluster, Record, of, watching
from tests.e2e.objects import job, service, workload


def folded(records: list[Record]) -> dict[str, Any]:
    """Return the last document of each uid, by applying every patch in order."""
    documents: dict[str, Any] = {}
    for record in records:
        uid = record.get("uid")
        if record["type"] == "ADDED":
            documents[record["uid"]] = record["object"]
        elif "patch" in record:
            assert uid in documents
            before = documents[record["uid"]]
            documents[record["uid"]] = jsonpatch.apply_patch(before, record["patch"])
        elif record["type"] == "DELETED":
            documents.pop(record["uid"])
    return documents


def test_the_patches_of_a_rollout_lead_to_what_the_server_has(
    cluster: Cluster, namespace: str
) -> None:
    types = "deploy,rs,pods,svc,endpointslices,sts,jobs"
    with watching(cluster.spy(), "changes", types, "-n", namespace) as watch:
        cluster.apply(
            workload("Deployment", "web", namespace, replicas=2),
            workload("StatefulSet", "db", namespace, replicas=1, serviceName="web"),
            service("web", namespace),
            job("once", namespace),
        )
        wait = ("-n", namespace, IN_TIME)
        cluster.kubectl("rollout", "status", "deploy/web", *wait)
        cluster.kubectl("rollout", "status", "sts/db", *wait)
        cluster.kubectl("wait", "--for=condition=complete", "job/once", *wait)
        cluster.kubectl("set", "image", "deploy/web", "main=x/y:2", "-n", namespace)
        cluster.kubectl("rollout", "status", "deploy/web", *wait)
        gone = "--for=jsonpath={.status.terminatingReplicas}=0"
        cluster.kubectl("wait", gone, "deploy/web", *wait)
        marked = {"note": "last"}
        for target in ("deploy/web", "svc/web", "sts/db", "job/once"):
            words = [f"{key}={value}" for key, value in marked.items()]
            cluster.kubectl("annotate", target, *words, "-n", namespace)
        kinds = {"Deployment", "Service", "StatefulSet", "Job"}
        records = watch.wait_for(
            lambda seen: kinds <= {r["kind"] for r in seen if "/note" in str(r)}
        )

    assert [record["seq"] for record in records] == list(range(1, len(records) + 1))
    assert not [record for record in records if record["type"] == "GAP"]
    documents = folded(records)
    for kind, target in (
        ("Deployment", "deploy/web"),
        ("Service", "svc/web"),
        ("StatefulSet", "sts/db"),
        ("Job", "job/once"),
    ):
        final = without_noise(cluster.get(target, "-n", namespace))
        ours = documents[final["metadata"]["uid"]]
        assert canonical(ours) == canonical(final), kind
    managers = {m for r in of(records, "Deployment") for m in r.get("managers", ())}
    assert {"kube-controller-manager", "kubectl-client-side-apply"} <= managers


def test_status_shows_observed_generation_before_replicas(
    cluster: Cluster, namespace: str
) -> None:
    with watching(cluster.spy(), "status", "deploy/web", "-n", namespace) as watch:
        cluster.apply(workload("Deployment", "web", namespace, replicas=1))
        records = watch.wait_for(
            lambda seen: any("/availableReplicas" in str(r.get("patch")) for r in seen)
        )
    assert {r["kind"] for r in records} == {"Deployment"}
    paths = [step["path"] for r in records for step in r.get("patch", ())]
    assert all(path.startswith("/status") for path in paths)
    first = paths.index("/status/observedGeneration")
    assert first < paths.index("/status/availableReplicas")


def test_an_object_deleted_and_created_again_is_another_one(
    cluster: Cluster, namespace: str
) -> None:
    spy = cluster.spy()
    with watching(spy, "changes", "pod/once", "-n", namespace) as watch:
        watch.running.wait_for_talk("is not there yet")
        for _ in range(2):
            cluster.kubectl("run", "once", "--image=x/y:1", "-n", namespace)
            cluster.kubectl(
                "delete", "pod/once", "-n", namespace, "--grace-period=0", "--force"
            )
        records = watch.wait_for(
            lambda seen: sum(r["type"] == "DELETED" for r in seen) == 2
        )
    ends = [(r["type"], r["uid"]) for r in records if r["type"] != "MODIFIED"]
    one, two = ends[0][1], ends[2][1]
    assert one != two
    assert ends == [("ADDED", one), ("DELETED", one), ("ADDED", two), ("DELETED", two)]


def test_an_object_that_stops_matching_has_left_and_its_return_is_a_gap(
    cluster: Cluster, namespace: str
) -> None:
    cluster.kubectl("create", "configmap", "web", "-n", namespace)
    cluster.kubectl("label", "configmap", "web", "app=web", "-n", namespace)
    words = ("changes", "cm", "-l", "app=web", "-n", namespace)
    with watching(cluster.spy(), *words) as watch:
        watch.wait_for(lambda seen: len(seen) == 1)
        cluster.kubectl("label", "cm", "web", "app=x", "--overwrite", "-n", namespace)
        watch.wait_for(lambda seen: len(seen) == 2)
        cluster.kubectl("label", "cm", "web", "app=web", "--overwrite", "-n", namespace)
        records = watch.wait_for(lambda seen: len(seen) == 3)
    assert [r["type"] for r in records] == ["ADDED", "LEFT", "GAP"]
    assert len({r["uid"] for r in records}) == 1


def test_nodes_and_leases_beat(cluster: Cluster) -> None:
    words = ("changes", "leases", "-n", "kube-node-lease", "--watch-only")
    with watching(cluster.spy(), *words) as watch:
        (record, *_) = watch.wait_for(bool)
    assert record["type"] == "MODIFIED"
    assert "/spec/renewTime" in [step["path"] for step in record["patch"]]
    node = cluster.get("nodes")["items"][0]["metadata"]["name"]
    with watching(cluster.spy(), "changes", f"node/{node}", "--watch-only") as watch:
        cluster.kubectl("label", "node", node, "e2e=seen", "--overwrite")
        cluster.kubectl("label", "node", node, "e2e-")
        records = watch.wait_for(lambda seen: len(seen) >= 1)
    assert "/metadata/labels/e2e" in str(records)

"""What an API server remembers, compared with its audit log."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from typing import Any

import jsonpatch
import pytest

from kubectl_spy.core.times import seconds
from tests.e2e import audited
from tests.e2e.cluster import Cluster, Record
from tests.e2e.conftest import absent
from tests.e2e.controlplane import ControlPlane, missing_binaries
from tests.e2e.objects import config_map, widget, widget_definition, workload
from tests.processes import wait_until

BUSY = "busy"
RING_SECONDS = 76.0
"""How long the writes of a burst are kept, and a second.

https://github.com/kubernetes/kubernetes/blob/v1.36.2/staging/src/k8s.io/apiserver/pkg/storage/cacher/watch_cache.go
"""
WHOLE = re.compile("complete since [0-9:]+: ")
TYPES = "deployments,replicasets,configmaps,secrets,controllerrevisions.apps,pods"
PLURALS = {
    "Deployment": "deployments",
    "ReplicaSet": "replicasets",
    "ConfigMap": "configmaps",
    "Secret": "secrets",
    "ControllerRevision": "controllerrevisions",
    "Pod": "pods",
}


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A control plane of its own, with an audit log."""
    if missing := missing_binaries():
        absent(*missing)
    root = tmp_path_factory.mktemp("audited")
    with ControlPlane(root, nodes=1, apiserver=audited.flags(root)) as running:
        running.request("POST", "/api/v1/namespaces", _named(BUSY))
        for number in range(60):
            _write_busy(running, number)
        yield Cluster(running.kubeconfig, tmp_path_factory.mktemp("homes"), running)


@pytest.fixture
def shop(own: Cluster, request: pytest.FixtureRequest) -> str:
    name: str = request.node.name.removeprefix("test_").replace("_", "-")[:50]
    own.kubectl("create", "namespace", name)
    return name


def remembered(own: Cluster, *words: str) -> tuple[list[Record], str]:
    """Return the records of *words* `--since 1h`, and what it said.

    What else tells of the past is judged in test_earlier.py.
    """
    ended = own.shown(*words, "--since", "1h", "-o", "json")
    records = map(json.loads, ended.out.splitlines())
    return [each for each in records if each["type"] != "PAST"], ended.err


def judge(own: Cluster, namespace: str, records: list[Record]) -> int:
    """Compare *records* with the audit log. Return how many writes were compared."""
    known: dict[tuple[str, str], Record] = {}
    gone: dict[tuple[str, str], list[Record]] = {}
    held: dict[str, Any] = {}
    documents: dict[tuple[str, str], Any] = {}
    for record in records:
        key = record["uid"], record["resourceVersion"]
        if record["type"] == "DELETED":
            plural = PLURALS[record["kind"]]
            gone.setdefault((plural, record["name"]), []).append(record)
            continue
        assert record["type"] in ("ADDED", "MODIFIED"), record
        if record["type"] == "ADDED":
            held[record["uid"]] = record["object"]
        else:
            held[record["uid"]] = jsonpatch.apply_patch(
                held[record["uid"]], record["patch"]
            )
        known[key], documents[key] = record, held[record["uid"]]
    writes = audited.written(own.control_plane.root, namespace)
    writes = [each for each in writes if each.resource in PLURALS.values()]
    # A Pod is asked to end, and deleted once it has.
    last = {each.name: each for each in writes if each.document is None}
    for write in writes:
        if write.document is None:
            if write.resource == "pods" and last[write.name] is not write:
                continue
            _judge_time(gone[write.resource, write.name].pop(0), write)
            continue
        record = known[write.uid, write.version]
        _judge_time(record, write)
        if write.document and write.resource != "secrets":
            assert documents[write.uid, write.version] == write.document
    return len(writes)


def _judge_time(record: Record, write: audited.Written) -> None:
    told = seconds(record["time"])
    if record.get("timeIsBound"):
        assert told >= write.time - 1, (record, write)
    else:
        assert abs(told - write.time) <= 2, (record, write)


def test_what_people_do_to_a_deployment(own: Cluster, shop: str) -> None:
    in_shop = "-n", shop
    own.apply(workload("Deployment", "web", shop, replicas=1))
    own.kubectl("rollout", "status", "deploy/web", *in_shop)
    own.kubectl("scale", "deploy/web", "--replicas=3", *in_shop)
    own.kubectl("set", "image", "deploy/web", "*=example.com/web:2", *in_shop)
    own.kubectl("set", "env", "deploy/web", "A=1", *in_shop)
    own.kubectl("rollout", "pause", "deploy/web", *in_shop)
    own.kubectl("set", "env", "deploy/web", "A-", "B=2", *in_shop)
    own.kubectl("rollout", "resume", "deploy/web", *in_shop)
    own.kubectl("label", "deploy/web", "team=a", *in_shop)
    own.kubectl("label", "deploy/web", "team-", *in_shop)
    own.kubectl("annotate", "deploy/web", "note=x", *in_shop)
    own.kubectl("rollout", "undo", "deploy/web", *in_shop)
    own.kubectl("rollout", "status", "deploy/web", *in_shop)
    own.kubectl("delete", "deploy/web", "--wait=true", *in_shop)
    own.apply(workload("Deployment", "web", shop, replicas=2))
    own.kubectl("rollout", "status", "deploy/web", *in_shop)
    records, said = remembered(own, "changes", TYPES, *in_shop)
    assert WHOLE.search(said)
    assert not [each for each in records if each.get("firstRemembered")]
    assert judge(own, shop, records) > 60


def test_both_ways_to_apply_and_a_deleted_secret(own: Cluster, shop: str) -> None:
    in_shop = "-n", shop
    own.apply(config_map("conf", shop, a="1"))
    own.apply(config_map("conf", shop, a="2", b="1"))
    own.kubectl(
        "apply",
        "--server-side",
        "--force-conflicts",
        "-f",
        "-",
        stdin=config_map("conf", shop, a="3"),
    )
    own.kubectl(
        "create", "secret", "generic", "pw", "--from-literal=k=hunter2", *in_shop
    )
    own.kubectl("delete", "secret/pw", *in_shop)
    own.kubectl("delete", "configmap/conf", *in_shop)
    own.apply(config_map("conf", shop, c="1"))
    records, _ = remembered(own, "changes", TYPES, *in_shop)
    assert judge(own, shop, records) >= 8
    text = json.dumps(records)
    assert "hunter2" not in text and "aHVudGVyMg" not in text
    assert any(each["kind"] == "Secret" for each in records)


def test_a_deleted_namespace(own: Cluster, shop: str) -> None:
    own.apply(
        config_map("conf", shop, a="1"), workload("Deployment", "web", shop, replicas=1)
    )
    own.kubectl("rollout", "status", "deploy/web", "-n", shop)
    own.kubectl("delete", "namespace", shop)
    records, _ = remembered(own, "changes", TYPES, "-n", shop)
    gone = {(each["kind"], each["name"]) for each in records if _deleted(each)}
    assert {("ConfigMap", "conf"), ("Deployment", "web")} <= gone


def test_an_edit_of_a_definition_empties_the_ring_of_its_type(
    own: Cluster, shop: str
) -> None:
    group = f"{shop[:20]}.example.com"
    own.apply(widget_definition(group))
    own.kubectl("wait", "--for=condition=Established", f"crd/widgets.{group}")
    for size in range(3):
        own.apply(widget("w", shop, group, size=size))
    records, said = remembered(own, "changes", f"widgets.{group}", "-n", shop)
    assert [each["type"] for each in records] == ["ADDED", "MODIFIED", "MODIFIED"]
    definition = widget_definition(group)
    definition["spec"]["names"]["shortNames"] = ["wdg"]
    own.apply(definition)
    words = "changes", f"widgets.{group}", "-n", shop
    wait_until(lambda: not WHOLE.search(remembered(own, *words)[1]))
    own.apply(widget("w", shop, group, size=9))
    records, said = remembered(own, *words)
    assert not WHOLE.search(said)
    # etcd still has the version before.
    assert [each["type"] for each in records] == ["ADDED", "MODIFIED"]
    assert records[0]["initial"] and records[0]["object"]["spec"] == {"size": 2}


def test_a_summary_after_the_fact_names_the_write(own: Cluster, shop: str) -> None:
    own.apply(workload("Deployment", "web", shop, replicas=1))
    own.kubectl("rollout", "status", "deploy/web", "-n", shop)
    second = int(time.time())
    wait_until(lambda: int(time.time()) > second)  # the server tells whole seconds
    own.kubectl(
        "patch",
        "deploy/web",
        "-n",
        shop,
        "--type=json",
        "-p",
        json.dumps(
            [
                {
                    "op": "add",
                    "path": "/spec/template/spec/nodeSelector",
                    "value": {"disk": "none"},
                }
            ]
        ),
    )
    words = "summary", "deploy/web", "-n", shop, "--since", "10m"
    failures: list[Record] = []

    def fails() -> bool:
        (told,) = own.spy().printed(*words)
        failures[:] = told["failures"]
        return bool(failures)

    wait_until(fails)
    text = json.dumps(failures)
    assert "kubectl-patch" in text and "nodeSelector" in text


def test_a_trace_of_now_names_the_field_that_was_written(
    own: Cluster, shop: str
) -> None:
    own.apply(workload("StatefulSet", "db", shop, replicas=1, serviceName="db"))
    own.kubectl("rollout", "status", "sts/db", "-n", shop)
    selector = {"spec": {"template": {"spec": {"nodeSelector": {"disk": "none"}}}}}
    own.kubectl("patch", "sts/db", "-n", shop, "-p", json.dumps(selector))
    own.kubectl("label", "sts/db", "-n", shop, "team=a")

    def says() -> bool:
        told = own.spy().run("trace", "sts/db", "-n", shop, "--once").out
        return "by kubectl-patch: template.spec.nodeSelector.disk none" in told

    wait_until(says)


def test_a_ring_that_was_emptied_by_writes_says_so(own: Cluster) -> None:
    """60 writes, and 60 more than 75 seconds later: the ring has 100 places."""
    plane = own.control_plane
    (first,) = plane.request("GET", _busy_path())[1]["items"]
    written = seconds(first["metadata"]["managedFields"][-1]["time"])
    wait_until(lambda: time.time() > written + RING_SECONDS)
    for number in range(60, 120):
        _write_busy(plane, number)
    records, said = remembered(own, "changes", "configmaps", "-n", BUSY)
    assert "(configmaps)" in said and not WHOLE.search(said)
    busy = [each for each in records if each["name"] == "n"]
    first = busy[0]["object"]["data"]["n"]
    assert busy[0]["firstRemembered"] and busy[0]["initial"]
    assert 0 < int(first) < 60
    values = [int(step["value"]) for each in busy[1:] for step in each["patch"]]
    assert values == list(range(int(first) + 1, 120))


def test_a_restart_of_the_api_server_empties_all_rings(own: Cluster, shop: str) -> None:
    plane = own.control_plane
    own.apply(config_map("conf", shop, a="1"))
    own.apply(config_map("conf", shop, a="2"))
    plane.stop("kube-apiserver")
    plane.start("kube-apiserver")
    plane.wait_ready()
    own.apply(config_map("conf", shop, a="3"))
    records, said = remembered(own, "changes", "configmaps", "-n", shop)
    assert not WHOLE.search(said)
    conf = [each for each in records if each.get("name") == "conf"]
    # etcd still has the version before, so the write since then is whole.
    assert [each["type"] for each in conf] == ["ADDED", "MODIFIED"]
    assert conf[0]["initial"] and conf[0]["object"]["data"] == {"a": "2"}
    assert conf[1]["patch"][-1]["value"] == "3" or '"a":"3"' in json.dumps(conf[1])


def _deleted(record: Record) -> bool:
    return bool(record["type"] == "DELETED")


def _named(name: str) -> Record:
    return {"metadata": {"name": name}}


def _busy_path() -> str:
    return f"/api/v1/namespaces/{BUSY}/configmaps?fieldSelector=metadata.name=n"


def _write_busy(plane: ControlPlane, number: int) -> None:
    path = f"/api/v1/namespaces/{BUSY}/configmaps"
    body = config_map("n", BUSY, n=str(number))
    if number:
        assert plane.request("PATCH", f"{path}/n", {"data": body["data"]})[0] == 200
    else:
        assert plane.request("POST", path, body)[0] == 201

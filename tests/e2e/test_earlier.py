"""What is told of the past that nobody remembers, compared with the audit log."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from copy import deepcopy

import pytest

from tests.cli.command import Ended
from tests.e2e import audited, judging
from tests.e2e.built import find_built
from tests.e2e.chart import REL, Helm
from tests.e2e.cluster import Cluster, Record
from tests.e2e.conftest import absent
from tests.e2e.controlplane import ControlPlane, missing_binaries
from tests.e2e.histories import GROUP, KNOWABLE, SHOP, STICKY, Histories
from tests.e2e.objects import widget_definition

TYPES = (
    "deployments,replicasets,statefulsets,daemonsets,configmaps,secrets,services,"
    f"widgets.{GROUP}"
)


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A control plane whose memory is empty, after all histories."""
    if missing := missing_binaries():
        absent(*missing)
    if (helm := find_built("helm", "helm.sh/helm/v3", "helm")) is None:
        absent("helm", remedy="run scripts/helm")
    root = tmp_path_factory.mktemp("earlier")
    with ControlPlane(root, nodes=1, apiserver=audited.flags(root)) as running:
        cluster = Cluster(running.kubeconfig, tmp_path_factory.mktemp("homes"), running)
        cluster.apply(widget_definition(GROUP))
        cluster.kubectl("wait", "--for=condition=Established", f"crd/widgets.{GROUP}")
        for name in (SHOP, REL):
            cluster.kubectl("create", "namespace", name)
        directory = tmp_path_factory.mktemp("charts")
        Histories(cluster).run(Helm(helm, running.kubeconfig, directory))
        time.sleep(3)
        running.stop("kube-apiserver")
        running.start("kube-apiserver")
        running.wait_ready()
        time.sleep(3)
        yield cluster


def asked(own: Cluster, *words: str) -> Ended:
    ended = own.spy().run(*words, "--since", "1h", "--timeout", "12s")
    assert "hunter2" not in ended.out + ended.err
    return ended


def told(ended: Ended) -> list[Record]:
    lines = map(json.loads, ended.out.splitlines())
    return [each for each in lines if each["type"] == "PAST"]


@pytest.fixture(scope="module")
def lines(own: Cluster) -> list[Record]:
    found = []
    for namespace in (SHOP, REL):
        ended = asked(own, "changes", TYPES, "-n", namespace, "-o", "json")
        found += told(ended)
    import os
    if os.environ.get("DUMP"):
        from pathlib import Path
        Path(os.environ["DUMP"]).write_text("\n".join(map(json.dumps, found)))
        import shutil
        shutil.copy(own.control_plane.root/"audit.log", os.environ["DUMP"]+".audit")
    return found


def test_nothing_that_is_told_is_false(own: Cluster, lines: list[Record]) -> None:
    states = audited.states(own.control_plane.root)
    found = [(judging.false(each, states), each) for each in lines]
    print(len(lines), "told")
    assert not [each for each in found if each[0]]
    assert STICKY not in json.dumps(lines)


def test_what_is_knowable_is_told(own: Cluster, lines: list[Record]) -> None:
    states = audited.states(own.control_plane.root)
    rows = [row for of in KNOWABLE.values() for row in of]
    lacking = judging.missing(rows, deepcopy(lines), states)
    print(len(rows), "knowable")
    assert len(lacking) <= 0.02 * len(rows), lacking

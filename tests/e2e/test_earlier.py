"""What is told of the past that nobody remembers, compared with the audit log."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path

import pytest

from tests.cli.command import Ended, wait_for_lists
from tests.e2e import audited, judging
from tests.e2e.built import find_built
from tests.e2e.chart import REL, Helm
from tests.e2e.cluster import IN_TIME, Cluster, Record
from tests.e2e.conftest import absent
from tests.e2e.controlplane import ControlPlane, missing_binaries
from tests.e2e.histories import GROUP, KNOWABLE, SHOP, STICKY, Histories
from tests.e2e.objects import widget_definition, workload
from tests.processes import wait_until

TYPES = (
    "deployments,replicasets,statefulsets,daemonsets,configmaps,secrets,services,"
    f"widgets.{GROUP}"
)


HOUR = "--since", "1h"
SOURCES = re.compile("replicasets|controllerrevisions|events|secrets")


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
        _wait_until_told(cluster)
        running.stop("kube-apiserver")
        running.start("kube-apiserver")
        running.wait_ready()
        wait_until(lambda: running.request("GET", f"/apis/{GROUP}/v1")[0] == 200)
        yield cluster


def _wait_until_told(own: Cluster) -> None:
    """Wait until all rollouts are over, and the Events about them are written.

    A controller writes its Events one after the other, so the one about the last
    Deployment tells that those about the others are there.
    """
    for name in (SHOP, REL):
        kinds = "deployments,statefulsets,daemonsets", "-n", name, "-o", "name"
        for each in own.kubectl("get", *kinds).split():
            own.kubectl("rollout", "status", each, IN_TIME, "-n", name)
    own.apply(workload("Deployment", "last", "default", replicas=1))
    about = "--field-selector=reason=ScalingReplicaSet,involvedObject.name=last"
    events = "get", "events", about, "-n", "default", "-o", "name"
    wait_until(lambda: own.kubectl(*events))


def asked(own: Cluster, *words: str) -> Ended:
    """Return what a command that ends by itself tells of the last hour."""
    ended = own.spy().run(*words, *HOUR)
    _is_clean(ended.out + ended.err)
    return ended


def shown(own: Cluster, *words: str, since: str = "1h") -> Ended:
    """Return what `changes` tells of the time *since*, before what is new."""
    ended = own.shown("changes", *words, "--since", since)
    _is_clean(ended.out + ended.err)
    return ended


def _is_clean(text: str) -> None:
    assert "hunter2" not in text and "aHVudGVyM" not in text


def told(ended: Ended) -> list[Record]:
    lines = map(json.loads, ended.out.splitlines())
    return [each for each in lines if each["type"] == "PAST"]


@pytest.fixture(scope="module")
def lines(own: Cluster) -> list[Record]:
    return told(shown(own, TYPES, "-A", "-o", "json"))


def test_nothing_that_is_told_is_false(own: Cluster, lines: list[Record]) -> None:
    states = audited.states(own.control_plane.root)
    found = [(judging.false(each, states), each) for each in lines]
    assert not [each for each in found if each[0]]
    assert STICKY not in json.dumps(lines)


def test_what_is_knowable_is_told(own: Cluster, lines: list[Record]) -> None:
    states = audited.states(own.control_plane.root)
    rows = [row for of in KNOWABLE.values() for row in of]
    lacking = judging.missing(rows, deepcopy(lines), states)
    assert len(lacking) <= 0.02 * len(rows), lacking


def test_a_recording_of_it_tells_the_same(
    own: Cluster, lines: list[Record], tmp_path: Path
) -> None:
    file = tmp_path / "it.spy"
    with own.spy().running("record", TYPES, "-A", *HOUR, "-f", str(file)) as running:
        wait_for_lists(file)
        assert running.end().code == 0
    again = own.spy().run("changes", str(file), "-o", "json")
    _is_clean(file.read_text() + again.out)
    assert _unmasked(told(again)) == _unmasked(lines)


def _unmasked(lines: list[Record]) -> list[str]:
    """Return lines without what is of one run: the tags of masked values, and now."""
    kept = [each | {"until": "until" in each} for each in lines]
    kept = [each for each in kept if each["kind"] != "Secret"]
    return sorted(json.dumps(each, sort_keys=True) for each in kept)


@pytest.mark.parametrize(
    ("namespace", "source"),
    [(SHOP, "ReplicaSet pruned-"), (REL, "HelmRelease shop, revision 6")],
)
def test_a_summary_has_them(own: Cluster, namespace: str, source: str) -> None:
    words = "summary", "-n", namespace, "--full"
    told = json.loads(asked(own, *words, "-o", "json").out)
    assert source in json.dumps(told["edits"])
    # What selects Pods did not fail while they are forgotten.
    assert {each["kind"] for each in told["failures"]} <= {"HorizontalPodAutoscaler"}
    ended = asked(own, *words)
    assert source in ended.out and "marked ≈ as told by" in ended.err


def test_blame_tells_the_value_before(own: Cluster) -> None:
    ended = asked(own, "blame", "deploy/applied", "-n", SHOP)
    (line,) = [it for it in ended.out.splitlines() if "minReadySeconds: 7" in it]
    assert "kubectl-patch" in line and "was 1 (≈ last-applied-configuration)" in line


def test_without_since_nothing_of_it_is_asked(own: Cluster) -> None:
    began = time.time()
    words = "deployments,statefulsets,configmaps", "-n", REL
    own.shown("changes", *words)
    paths = audited.asked(own.control_plane.root, began)
    assert paths and not [it for it in paths if SOURCES.search(it)]
    began = time.time()
    shown(own, *words)
    paths = audited.asked(own.control_plane.root, began)
    kinds = {found[0] for it in paths if (found := SOURCES.search(it))}
    assert kinds == {"replicasets", "events", "secrets"}


def test_only_releases_within_the_time_are_read(own: Cluster) -> None:
    made = own.get("secret/sh.helm.release.v1.shop.v5", "-n", REL)
    since = made["metadata"]["creationTimestamp"]
    began = time.time()
    shown(own, "configmaps", "-n", REL, since=since)
    paths = audited.asked(own.control_plane.root, began)
    secrets = [found for it in paths if (found := it.partition("/secrets")[2])]
    assert secrets[0].startswith("?limit=") and "owner%3Dhelm" in secrets[0]
    read = {it.rpartition(".")[2] for it in secrets[1:] if ".shop." in it}
    # The fifth follows one that failed, so the third was there before.
    assert read == {"v3", "v4", "v5", "v6"}
    assert not [it for it in secrets if ".v1.few.v1" in it]


def test_nothing_is_false_of_a_part_of_the_time(own: Cluster) -> None:
    """A write of which the time is not known may have been before it."""
    made = own.get("secret/sh.helm.release.v1.shop.v5", "-n", REL)
    since = made["metadata"]["creationTimestamp"]
    lines = told(shown(own, TYPES, "-A", "-o", "json", since=since))
    states = audited.states(own.control_plane.root)
    assert lines and not [it for it in lines if judging.false(it, states)]


def test_what_is_refused_is_said_in_a_line_and_the_rest_is_told(
    own: Cluster, lines: list[Record]
) -> None:
    """Of Deployments alone, managers and what was applied are left."""
    plane, where = own.control_plane, ("-n", REL)
    kubeconfig = plane.write_kubeconfig(plane.root / "poor", "poor")
    verbs = "--verb=get,list,watch", "--resource=deployments.apps"
    own.kubectl("create", "role", "poor", *verbs, *where)
    bound = "create", "rolebinding", "poor", "--role=poor", "--user=poor"
    own.kubectl(*bound, *where)
    words = "changes", "deployments", *where, *HOUR, "-o", "json"
    ended = own.shown(*words, kubeconfig=kubeconfig)
    notes = [it for it in ended.err.splitlines() if "no right to list them" in it]
    assert len(notes) == 3, ended.err
    whole = [it for it in lines if (it["kind"], it["namespace"]) == ("Deployment", REL)]
    assert 0 < len(told(ended)) < len(whole)

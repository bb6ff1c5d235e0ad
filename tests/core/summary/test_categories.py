"""Which writes can explain which failures."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.causes.categories import category_of
from kubectl_spy.core.diagnosis.finding import fact, finding
from tests.builders import workload
from tests.core.summary.cluster import Cluster, Document, config, deployment, pod

APP = "container/app"
FINDINGS = {
    "IMAGE": finding("ImageNotFound", APP, image="app:2"),
    "ABSENT": finding("ObjectMissing", APP, kind="ConfigMap", name="settings"),
    "KEY": finding("KeyMissing", APP, kind="ConfigMap", name="settings", key="url"),
    "CRASH": finding("CrashLoop", APP, why=fact("ExitedWith", exit=1, reason="Error")),
    "PROBE": finding(
        "ProbeFailed", "probe/app/readiness", probe="readiness", answer="HTTP 503"
    ),
    "QUOTA": finding(
        "CreationRefused",
        "creation",
        what="Pods",
        why=fact("QuotaExceeded", quota="q", amounts=()),
    ),
    "STUCK": finding(
        "Unschedulable",
        "scheduling",
        nodes=3,
        reasons=(fact("NodesRefuse", why="insufficient cpu", nodes=3),),
    ),
    "MEMORY": finding("CrashLoop", APP, why=fact("OutOfMemory", limit="64Mi")),
    "SELECTOR": finding("SelectorMatchesNothing", "selector", selector=("app=web",)),
}
IMAGE, ABSENT, KEY, CRASH, PROBE, QUOTA, STUCK, MEMORY, SELECTOR = FINDINGS


def template(**container: Any) -> Document:
    return deployment(**container)


def annotated() -> Document:
    made = deployment()
    made["metadata"]["annotations"] = {"note": "1"}
    return made


def limited() -> Document:
    return deployment(resources={"requests": {"cpu": "64"}})


def labelled() -> Document:
    made = pod()
    made["metadata"]["labels"] = {"app": "other"}
    return made


BEFORE = {"Deployment": deployment(), "ConfigMap": config(a="1"), "Pod": pod()}


@pytest.mark.parametrize(
    ("after", "own", "explained"),
    [
        (deployment("app:2"), True, {IMAGE, CRASH, PROBE, QUOTA, SELECTOR}),
        (deployment("app:1", 3), True, {QUOTA, STUCK, SELECTOR}),
        (limited(), True, {QUOTA, STUCK, SELECTOR}),
        (annotated(), True, set()),
        (
            template(env=[{"name": "A"}]),
            True,
            {ABSENT, KEY, CRASH, PROBE, QUOTA, SELECTOR},
        ),
        (config(a="2"), False, {ABSENT, KEY, CRASH, PROBE}),
        (labelled(), False, {SELECTOR}),
        (None, False, {ABSENT, KEY, CRASH, PROBE}),
    ],
)
def test_writes_explain_these_failures_and_no_others(
    after: Document | None, own: bool, explained: set[str]
) -> None:
    cluster = Cluster()
    known = BEFORE["ConfigMap" if after is None else after["kind"]]
    cluster.write(known, by="kubectl-create")
    cluster.listed()
    if after is None:
        cluster.delete(known["metadata"]["uid"])
    else:
        cluster.write(after)
    (write,) = cluster.summary().shown
    assert {
        told
        for told, found in FINDINGS.items()
        if category_of(found).meant(write, own=own) is not None
    } - {MEMORY} == explained


def memory(limit: str) -> Document:
    return deployment(resources={"limits": {"memory": limit}})


def quota(pods: str) -> Document:
    return workload("ResourceQuota", "q", spec={"hard": {"pods": pods}})


@pytest.mark.parametrize(
    ("before", "after", "told", "explains"),
    [
        (memory("128Mi"), memory("64Mi"), MEMORY, True),
        (memory("64Mi"), memory("128Mi"), MEMORY, False),
        (memory("64Mi"), memory("128Mi"), QUOTA, True),
        (quota("5"), quota("4"), QUOTA, True),
        (quota("4"), quota("5"), QUOTA, False),
    ],
)
def test_who_raises_a_bound_mends_what_met_it(
    before: Document, after: Document, told: str, explains: bool
) -> None:
    """A rollout for a higher limit makes Pods, and those may meet a quota."""
    cluster = Cluster()
    cluster.write(before, by="kubectl-create")
    cluster.listed()
    cluster.write(after)
    (write,) = cluster.summary().shown
    category = category_of(FINDINGS[told])
    own = before["kind"] == "Deployment"
    assert (category.meant(write, own=own) is not None) is explains

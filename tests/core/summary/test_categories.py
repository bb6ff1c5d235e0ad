"""Which writes can explain which failures."""

from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.causes.needs import category_of
from kubectl_spy.core.diagnosis.finding import Finding, Verdict
from tests.builders import workload
from tests.core.summary.cluster import Cluster, Document, config, deployment, pod

IMAGE = (
    "container/app",
    "cannot pull image app:2: the registry has no such image or tag",
)
ABSENT = "container/app", "ConfigMap settings does not exist"
KEY = "container/app", "ConfigMap settings has no key url"
CRASH = "container/app", "fails again and again: exited with 1 (Error)"
PROBE = "probe/app/readiness", "readiness probe (GET :80/) failed: HTTP 503"
QUOTA = (
    "creation",
    "cannot create Pods: quota q is exceeded: pods requested 1, used 2 of 2",
)
STUCK = "scheduling", "none of 3 nodes fits: insufficient cpu (3)"
MEMORY = (
    "container/app",
    "fails again and again: ran out of memory (OOMKilled), its limit is 64Mi",
)
SELECTOR = "selector", "no Pod has app=web"


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
    after: Document | None, own: bool, explained: set[tuple[str, str]]
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
    every = {IMAGE, ABSENT, KEY, CRASH, PROBE, QUOTA, STUCK, SELECTOR}
    findings = {told: Finding(told[0], Verdict.FAILING, told[1]) for told in every}
    assert {
        told
        for told, finding in findings.items()
        if category_of(finding).meant(write, own=own) is not None
    } == explained


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
    before: Document, after: Document, told: tuple[str, str], explains: bool
) -> None:
    """A rollout for a higher limit makes Pods, and those may meet a quota."""
    cluster = Cluster()
    cluster.write(before, by="kubectl-create")
    cluster.listed()
    cluster.write(after)
    (write,) = cluster.summary().shown
    category = category_of(Finding(told[0], Verdict.FAILING, told[1]))
    own = before["kind"] == "Deployment"
    assert (category.meant(write, own=own) is not None) is explains

"""Whatever an object holds, a trace says something of it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.core.changes.record import Listed
from kubectl_spy.render.findings import text as text_of
from tests.builders import ALL_PODS, bundled, reported, workload
from tests.core.diagnosis.workloads import mangled
from tests.examples import examples
from tests.tracing import diagnosed_in, inventory

KINDS = ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "CronJob")


def last_of(kind: str) -> dict[str, Any]:
    """Return the last recorded object of *kind*."""
    stream = "deploy-rollout" if kind in ("Deployment", "ReplicaSet") else "workloads"
    steps = bundled(stream).steps
    *_, last = (each.object for each in steps if each.object["kind"] == kind)
    metadata = {**last["metadata"], "managedFields": []}
    return {**last, "metadata": metadata}


RECORDED = {kind: last_of(kind) for kind in (*KINDS, "Pod")}


@pytest.mark.parametrize("kind", KINDS)
@examples(60)
@given(st.data())
def test_junk_never_raises(kind: str, data: st.DataObject) -> None:
    target = data.draw(mangled(RECORDED[kind]))
    uid = target["metadata"]["uid"]
    below = {"Deployment": "ReplicaSet", "CronJob": "Job"}.get(kind, "Pod")
    child = data.draw(mangled(RECORDED[below]))
    child["metadata"] = child["metadata"] | {"ownerReferences": [{"uid": uid}]}
    told = reported("FailedCreate", data.draw(st.text(max_size=20)), about=uid)
    seen = inventory(target, child, told)
    diagnosed = diagnosed_in(seen, uid)
    assert diagnosed.phase
    json.dumps([text_of(each) for each in diagnosed.findings])


@pytest.mark.parametrize("kind", [each for each in KINDS if each != "CronJob"])
def test_nothing_at_all_is_no_success_of_anything(kind: str) -> None:
    empty = workload(kind)
    empty |= {"spec": None, "status": None}
    seen = inventory(empty)
    told = diagnosed_in(seen, "web")
    assert told.verdict.value != "ok" and told.phase


@pytest.mark.parametrize("kind", KINDS)
def test_texts_hold_no_time_that_ticks(kind: str) -> None:
    target = RECORDED[kind]
    seen = inventory(target)
    before = diagnosed_in(seen, target["metadata"]["uid"])
    seen.observe(Listed(ALL_PODS, 0, seen.time + 20))
    assert diagnosed_in(seen, target["metadata"]["uid"]) == before

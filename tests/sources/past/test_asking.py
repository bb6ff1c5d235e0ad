"""What is asked for of the past, and what a hostile or poor answer tells."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from kubectl_spy.core.past.merging import merged
from kubectl_spy.core.past.subject import Subject
from kubectl_spy.errors import RequestRefused
from kubectl_spy.sources.past.asking import Asking
from tests.builders import Object
from tests.core.past.leaving import START, at, left, managed, owned, unmasked
from tests.sources.past.released import config_map, never, secret

REVISION = "deployment.kubernetes.io/revision"
SUBJECTS = [
    left(
        kind,
        group=group,
        entries=[
            managed("kubectl-client-side-apply", 1, {"f:data": {"f:b": {}}}),
            managed("edit", 50, {"f:data": {"f:a": {}}, "f:spec": {"f:replicas": {}}}),
        ],
        annotations={
            "meta.helm.sh/release-name": "web",
            "kubectl.kubernetes.io/last-applied-configuration": json.dumps(
                {"spec": {"replicas": 1}, "data": {"a": "0"}}
            ),
            REVISION: "3",
        },
        spec={"replicas": 3},
        data={"a": "9"},
        status={"history": [{"deployedAt": at(9), "revision": "a"}]},
    )
    for group, kind in (
        ("apps", "Deployment"),
        ("apps", "ReplicaSet"),
        ("apps", "StatefulSet"),
        ("", "ConfigMap"),
        ("argoproj.io", "Application"),
    )
]


def kept() -> dict[str, list[Object]]:
    """Return what a server has of them."""
    sets = [
        owned(
            f"web-{number}",
            10.0 * number,
            metadata={"annotations": {REVISION: str(number)}},
            spec={"template": {"spec": {"containers": [{"image": f"web:{number}"}]}}},
        )
        for number in (1, 2, 3)
    ]
    revisions = [
        {**each, "revision": at, "data": {"spec": each["spec"]}}
        for at, each in enumerate(sets, 1)
    ]
    event = {
        "involvedObject": {"uid": "web"},
        "reason": "ScalingReplicaSet",
        "message": "Scaled up replica set web-2 from 1 to 3",
        "count": 1,
        "firstTimestamp": at(25),
        "lastTimestamp": at(25),
    }
    rescaled = {
        **event,
        "reason": "SuccessfulRescale",
        "message": "New size: 3; reason: x",
    }
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    scaler = {"metadata": {"uid": "web"}, "spec": {"scaleTargetRef": target}}
    return {
        "replicasets": sets,
        "controllerrevisions": revisions,
        "events": [event, rescaled],
        "horizontalpodautoscalers": [scaler],
        "secrets": [secret(1, config_map("x")), secret(2, config_map("y"))],
    }


class Server:
    """Answers with what it has, or refuses a type."""

    def __init__(self, has: dict[str, Any], refused: Mapping[str, int] = {}) -> None:
        self._has = has
        self._refused = refused

    def __call__(self, path: str, *words: Any, **more: Any) -> Any:
        what = path.rpartition("/")[2]
        if what in self._refused:
            raise RequestRefused("it is gone", status=self._refused[what])
        if what in self._has:
            return {"items": self._has[what]}
        secrets = self._has["secrets"]
        return next(
            (it for it in secrets if it.get("metadata", {}).get("name") == what), {}
        )


def told(
    server: Server, subjects: Sequence[Subject] = SUBJECTS
) -> tuple[list[Any], list[str]]:
    """Return the lines of a recording, and what is said."""
    said: list[str] = []
    asking = Asking("shop", START, server, unmasked, said.append, never)
    writes = merged(asking.evidence(subjects), START)
    return [json.loads(json.dumps(each.as_json())) for each in writes], said


def test_each_source_tells_something() -> None:
    lines, said = told(Server(kept()))
    assert {each["origin"] for each in lines} == {
        *("ReplicaSet", "ControllerRevision", "Event", "HelmRelease"),
        *("managedFields", "last-applied"),
    }
    assert not said


def test_an_autoscaler_tells_of_whatever_has_replicas() -> None:
    has = kept()
    target = {"apiVersion": "argoproj.io/v1", "kind": "Rollout", "name": "web"}
    has["horizontalpodautoscalers"][0]["spec"]["scaleTargetRef"] = target
    rollout = left("Rollout", group="argoproj.io", spec={"replicas": 3})
    (line,) = told(Server(has), [rollout])[0]
    assert line["source"] == "Event SuccessfulRescale"
    assert not told(Server(has, {"events": 403}), [left("DaemonSet", spec={})])[1]


@pytest.mark.parametrize("status", [403, 404, 410, 500])
@pytest.mark.parametrize("what", list(kept()))
def test_what_is_refused_is_a_line_and_the_rest_is_told(what: str, status: int) -> None:
    lines, said = told(Server(kept(), {what: status}))
    why = "there is no right to list them" if status == 403 else "it is gone"
    assert len(said) == 1 and said[0].startswith("note: ") and said[0].endswith(why)
    assert {"managedFields", "last-applied"} <= {each["origin"] for each in lines}


def test_whatever_a_hostile_server_answers_ends_in_lines() -> None:
    chance = random.Random(43)
    junk = [
        None,
        5,
        -1.5,
        "",
        "x",
        [],
        {},
        [5],
        {"a": 5},
        True,
        at(-9),
        at(1e9),
        "9" * 99,
    ]

    def spoil(value: Any) -> Any:
        if chance.random() < 0.04:
            return chance.choice(junk)
        if isinstance(value, dict):
            return {key: spoil(each) for key, each in value.items()}
        if isinstance(value, list):
            return [spoil(each) for each in value]
        return value

    found = 0
    for _ in range(400):
        has = {name: spoil(each) for name, each in kept().items()}
        if isinstance(has["secrets"], list):
            has["secrets"] = [it for it in has["secrets"] if isinstance(it, dict)]
            has["secrets"] = [
                it for it in has["secrets"] if isinstance(it.get("metadata", {}), dict)
            ]
        else:
            has["secrets"] = []
        found += len(told(Server(has))[0])
    assert found > 1000

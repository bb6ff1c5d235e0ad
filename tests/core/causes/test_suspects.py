"""Which write explains a failure best, by the failure's own words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.core.summary.cluster import Cluster, config, deployment, pod, replica_set

Step = Callable[[Cluster], object]
NO_KEY = (
    "CreateContainerConfigError",
    "couldn't find key url in ConfigMap shop/settings",
)


def reads(key: str = "url", **container: Any) -> dict[str, Any]:
    """Return a container that reads a key of ConfigMap settings."""
    source = {"configMapKeyRef": {"name": "settings", "key": key}}
    return {"env": [{"name": "URL", "valueFrom": source}], **container}


def blamed(steps: list[Step], **container: Any) -> list[tuple[str, bool]]:
    """Return what is blamed, after *steps*, for Pods that lack a key."""
    cluster = Cluster()
    cluster.write(config(url="1", log="1"), deployment(**reads()), by="kubectl-create")
    cluster.write(replica_set(**reads()), by="kube-controller-manager")
    cluster.write(pod(**reads()), by="kubelet")
    cluster.listed()
    for step in steps:
        cluster.now += 5
        step(cluster)
    made = container or reads()
    cluster.write(replica_set("app:2", **made), by="kube-controller-manager")
    cluster.write(pod("app:2", *NO_KEY, **made), by="kubelet")
    cluster.now += 30
    (failure,) = cluster.failures()
    return [(each.write.edit.text() or "created", each.certain) for each in failure.by]


def edit(**data: str) -> Step:
    return lambda cluster: cluster.write(config(**data))


def delete(cluster: Cluster) -> None:
    cluster.delete("settings")


def roll(cluster: Cluster) -> None:
    cluster.write(deployment("app:2", **reads()))


@pytest.mark.parametrize(
    ("steps", "causes"),
    [
        ([edit(log="1"), edit(log="2"), roll], [("url removed", True)]),
        ([edit(url="1", log="2"), roll], []),
        ([edit(url="1", log="1", more="url"), roll], []),
        ([delete, edit(log="1"), roll], [("created without key url", True)]),
    ],
)
def test_only_what_takes_a_key_away_explains_that_it_is_missing(
    steps: list[Step], causes: list[tuple[str, bool]]
) -> None:
    assert blamed(steps) == causes


def test_a_workload_that_newly_names_a_missing_key_is_to_blame() -> None:
    steps: list[Step] = [
        lambda cluster: cluster.write(deployment("app:2", **reads("uri"))),
        lambda cluster: cluster.write(deployment("app:2", **reads())),
        edit(url="1", log="2"),
    ]
    (first,) = blamed(steps)
    assert first == ("env URL valueFrom.configMapKeyRef.key uri → url", True)


@pytest.mark.parametrize("heads", [False, True])
def test_what_was_read_as_metadata_only_proves_nothing_about_its_keys(
    heads: bool,
) -> None:
    """The key may have been there at first, and moved away since."""
    source = {"secretKeyRef": {"name": "pw", "key": "token"}}
    made: dict[str, Any] = {"env": [{"name": "TOKEN", "valueFrom": source}]}
    why = "CreateContainerConfigError", "couldn't find key token in Secret shop/pw"
    cluster = Cluster()
    of = cluster.selections["Secret"]
    cluster.selections["Secret"] = of._replace(heads=heads)
    cluster.write(deployment(**made), by="kubectl-create")
    cluster.listed()
    secret = config("Secret", "pw") | ({} if heads else {"data": {"other": "x"}})
    cluster.write(secret, by="kubectl-create", after=5)
    cluster.write(replica_set(**made), by="kube-controller-manager", after=5)
    cluster.write(pod("app:1", *why, **made), by="kubelet")
    cluster.now += 30
    (failure,) = cluster.failures()
    found = [(each.write.edit.text(), each.certain) for each in failure.by]
    certain = ("created without key token", True)
    assert (certain in found) is not heads
    assert heads or found == [certain]

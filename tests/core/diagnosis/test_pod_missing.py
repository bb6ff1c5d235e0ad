"""What a Pod refers to and is not there, and what is there instead."""

from __future__ import annotations

from typing import Any

import pytest

from tests.builders import a_pod, container, obj, reported, waiting
from tests.tracing import diagnosis, found


def of_kind(kind: str, name: str, **data: str) -> dict[str, Any]:
    return obj(kind, name, uid=f"{kind}/{name}", data=data)


def without_key(*others: dict[str, Any], kind: str = "ConfigMap") -> str:
    """Return what is said of a container that wants the key LOG_LEVEL of `app`."""
    message = f"couldn't find key LOG_LEVEL in {kind} shop/app"
    app = container(state=waiting("CreateContainerConfigError", message))
    pod = a_pod(app, phase="Pending")
    return found(diagnosis(pod, *others), "container/app")[1]


@pytest.mark.parametrize(
    ("keys", "there"),
    [
        (["LOGLEVEL", "PORT"], "; it has LOGLEVEL"),
        (["log.level"], "; it has log.level"),
        (["LOG_LVL", "HOST"], "; it has LOG_LVL"),
        (["HOST", "PORT"], "; it has HOST and PORT"),
        ([], "; it is empty"),
        (list("abcdefg"), "; it has 7 others"),
        (["LOG_LEVEL"], ""),
    ],
)
def test_a_missing_key_shows_the_present_ones(keys: list[str], there: str) -> None:
    data = dict.fromkeys(keys, "value")
    for kind in ("ConfigMap", "Secret"):
        told = without_key(of_kind(kind, "app", **data), kind=kind)
        assert told == f"{kind} app has no key LOG_LEVEL{there}"
        assert "value" not in told


def test_the_keys_of_an_object_that_is_not_known_are_not_guessed() -> None:
    other = of_kind("ConfigMap", "other", LOGLEVEL="1")
    assert without_key(other) == "ConfigMap app has no key LOG_LEVEL"


@pytest.mark.parametrize(
    "volume",
    [
        {"configMap": {"name": "app"}},
        {"projected": {"sources": [{"configMap": {"name": "app"}}]}},
    ],
)
def test_a_volume_that_lacks_a_key_names_the_config_map(volume: dict[str, Any]) -> None:
    """The kubelet does not say which one it is."""
    why = (
        'MountVolume.SetUp failed for volume "cfg" : references non-existent config key'
    )
    volumes = [{"name": "cfg", **volume}, {"name": "o", "configMap": {"name": "o"}}]
    pod = a_pod(
        container(state=waiting("ContainerCreating")),
        phase="Pending",
        conditions={"PodScheduled": "True"},
        spec={"volumes": volumes},
    )
    failed = reported("FailedMount", f"{why}: LOG_LEVEL")
    result = diagnosis(pod, failed, of_kind("ConfigMap", "app", LOGLEVEL="1"))
    assert found(result, "volume/cfg")[1] == (
        "ConfigMap app has no key LOG_LEVEL; it has LOGLEVEL"
    )

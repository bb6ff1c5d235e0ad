"""`diff`: what is only written differently is counted."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from tests.builders import event, pod
from tests.cli.command import Ended, Spy
from tests.recordings import START, record

COUNTED = "2 only written differently: quantities (--full)"
Change = dict[str, Any]


def deployment(name: str = "api", **container: Any) -> dict[str, Any]:
    """Return a Deployment as a server returns it."""
    filled = {"imagePullPolicy": "IfNotPresent", "terminationMessagePolicy": "File"}
    rolling = {"maxSurge": "25%", "maxUnavailable": "25%"}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": "shop", "generation": 3},
        "spec": {
            "replicas": 2,
            "strategy": {"type": "RollingUpdate", "rollingUpdate": rolling},
            "template": {
                "spec": {
                    "dnsPolicy": "ClusterFirst",
                    "containers": [
                        {"name": "app", "image": "api:1", **filled, **container}
                    ],
                }
            },
        },
    }


LIVE = deployment(
    args=["--cpu", "1000m"],
    env=[{"name": "CPU", "value": "1000m"}],
    resources={"requests": {"cpu": "1000m", "memory": "1024Mi"}},
)
MERGED = deployment(
    args=["--cpu", "1000m"],
    env=[{"name": "CPU", "value": "1000m"}],
    resources={"requests": {"cpu": 1, "memory": "1Gi"}},
)


def compared(spy: Spy, before: Change, after: Change, *flags: str) -> Ended:
    """Return what KUBECTL_EXTERNAL_DIFF prints for two versions of an object."""
    directories = []
    for name, document in (("LIVE-1", before), ("MERGED-1", after)):
        (spy.home / name).mkdir(exist_ok=True)
        (spy.home / name / "one").write_text(json.dumps(document))
        directories.append(str(spy.home / name))
    return spy.run(*directories, "diff", *flags)


@pytest.mark.parametrize(
    "flags",
    [
        (),
        (
            "-o",
            "semantic",
        ),
    ],
)
def test_quantities_that_are_only_written_differently_are_one_line(
    spy: Spy, flags: tuple[str, ...]
) -> None:
    ended = compared(spy, LIVE, MERGED, *flags)
    lines = ["~ deployment.apps/api -n shop", f"  … {COUNTED}"]
    assert (ended.code, ended.out.splitlines()) == (1, lines)


def test_full_lists_them_and_patches_hold_them(spy: Spy) -> None:
    for flags in (("--full",), ("--full", "-o", "semantic")):
        ended = compared(spy, LIVE, MERGED, *flags)
        assert ended.code == 1 and "written differently" not in ended.out
        assert '"1000m" → 1' in ended.out and '"1024Mi" → "1Gi"' in ended.out
    ended = compared(spy, LIVE, MERGED, "-o", "jsonpatch")
    assert ended.code == 1
    assert [step["value"] for step in json.loads(ended.out)] == [1, "1Gi"]


def test_other_changes_are_shown_beside_them(spy: Spy) -> None:
    after = copy.deepcopy(MERGED)
    container = after["spec"]["template"]["spec"]["containers"][0]
    container["args"], container["env"][0]["value"] = ["--cpu", "1"], "1"
    after["metadata"]["annotations"] = {"cpu": "1"}
    before = copy.deepcopy(LIVE)
    before["metadata"]["annotations"] = {"cpu": "1000m"}
    ended = compared(spy, before, after)
    head, *operations, note = ended.out.splitlines()
    assert "cpu request" not in head and "env CPU 1000m → 1" in head
    assert len(operations) == 3 and note == f"  … {COUNTED}"


def test_a_recording_compared_by_meaning_counts_them_too(spy: Spy) -> None:
    events = [event("SYNCED", time=START)]
    for number, amount in enumerate(("1000m", "1", "2"), 1):
        resources = {"limits": {"cpu": amount}}
        spec = {"containers": [{"name": "web", "resources": resources}]}
        changed = {**pod(rv=str(number)), "spec": spec}
        events.append(event("MODIFIED", changed, time=START + number))
    record(spy.home / "f", events)
    path = str(spy.home / "f")
    same = spy.run("diff", path, "rv:1", "rv:2", "-o", "semantic", "--exit-code")
    assert same.code == 1
    note = "  … 1 only written differently: quantities (--full)"
    assert same.out.splitlines()[1:] == [note]
    for flags in (("-o", "semantic", "--full"), ()):
        full = spy.run("diff", path, "rv:1", "rv:2", *flags).out
        assert '"1000m" → "1"' in full and note not in full
    other = spy.run("diff", path, "rv:1", "rv:3", "-o", "semantic").out
    assert '"1000m" → "2"' in other and "written differently" not in other


def test_by_meaning_an_element_has_the_name_that_it_had(spy: Spy) -> None:
    """The paths of these differences are those of the earlier version."""
    one, two = {"name": "A", "value": "1"}, {"name": "B", "value": "2"}
    new = {"name": "NEW", "value": "x"}
    before = deployment(env=[one, two])
    after = deployment(env=[new, two, {**one, "value": "9"}])
    ended = compared(spy, before, after, "-o", "semantic")
    assert "env A 1 → 9" in ended.out.splitlines()[0]

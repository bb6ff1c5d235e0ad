from __future__ import annotations

from typing import Any

import pytest

from kubectl_spy.core.changes.managers import (
    last_edit,
    newer,
    owners,
    owners_below,
    stamps,
)
from kubectl_spy.core.changes.projection import without_noise
from kubectl_spy.core.patch.difference import operations_between
from tests.builders import entry, pod, successive_versions


def written_by(*entries: Any) -> dict[str, Any]:
    return pod(managedFields=list(entries))


def test_a_new_entry_and_a_newer_time_name_their_managers() -> None:
    before = written_by(entry("kubelet"), entry("helm"))
    after = written_by(
        entry("kubelet", time="2026-01-01T00:00:01Z"), entry("helm"), entry("kubectl")
    )
    assert newer(stamps(before), stamps(after)) == ["kubelet", "kubectl"]


def test_an_older_time_is_no_write() -> None:
    before = written_by(entry("kubelet", time="2026-01-01T00:00:05Z"))
    after = written_by(entry("kubelet", time="2026-01-01T00:00:01Z"))
    assert newer(stamps(before), stamps(after)) == []


def test_within_one_second_the_owner_of_the_changed_path_is_named() -> None:
    before, after = pod(phase="Pending"), pod(phase="Running")
    after["metadata"]["managedFields"] = [
        entry("helm", {"f:spec": {"f:nodeName": {}}}),
        entry("kubelet", {"f:status": {"f:phase": {}}}),
    ]
    assert list(owners(after, operations_between(before, after))) == ["kubelet"]


def test_elements_of_lists_are_found_by_their_keys() -> None:
    def with_condition(status: str) -> dict[str, Any]:
        obj = pod()
        obj["status"]["conditions"] = [{"type": "A"}, {"type": "Ready", "s": status}]
        conditions: Any = {'k:{"type":"Ready"}': {".": {}, "f:s": {}}}
        obj["metadata"]["managedFields"] = [
            entry("other", {"f:status": {"f:conditions": {'k:{"type":"A"}': {}}}}),
            entry("kubelet", {"f:status": {"f:conditions": conditions}}),
        ]
        return obj

    before, after = with_condition("False"), with_condition("True")
    patch = [s for s in operations_between(before, after) if "status" in s.path]
    assert list(owners(after, patch)) == ["kubelet"]


def test_an_atomic_list_is_owned_whole() -> None:
    after = pod()
    after["metadata"]["finalizers"] = ["b"]
    after["metadata"]["managedFields"] = [
        entry("helm", {"f:metadata": {"f:finalizers": {}}})
    ]
    before = pod(finalizers=["a"])
    patch = [s for s in operations_between(before, after) if "finalizers" in s.path]
    assert list(owners(after, patch)) == ["helm"]


def test_the_entry_of_several_writers_names_nobody() -> None:
    """Of more than ten that wrote, the server keeps the oldest as one entry."""
    before, after = pod(phase="Pending"), pod(phase="Running")
    patch = operations_between(before, after)
    several = entry("ancient-changes", {"f:status": {"f:phase": {}}})
    after["metadata"]["managedFields"] = [several, entry("kubelet", {"f:spec": {}})]
    assert newer(stamps(before), stamps(after)) == ["kubelet"]
    assert not owners(after, patch)
    assert owners_below(after)(("status", "phase")) == ((), None, False)


def test_hostile_managed_fields_name_nobody() -> None:
    hostile: list[Any] = [None, 7, [None, 7, {"manager": 3}], [{"fieldsV1": []}]]
    for fields in hostile:
        obj = pod()
        obj["metadata"]["managedFields"] = fields
        assert list(owners(obj, operations_between(pod(phase="x"), obj))) in ([], [""])


def test_recorded_changes_have_a_likely_writer() -> None:
    """Bindings and deletions write none; what was removed has no owner any more."""
    named = unnamed = 0
    for before, after in successive_versions():
        patch = operations_between(without_noise(before), without_noise(after))
        if not patch:
            continue
        if newer(stamps(before), stamps(after)) or owners(after, patch):
            named += 1
            continue
        unnamed += 1
        paths = {step.path for step in patch}
        assert (
            "/spec/nodeName" in paths
            or any(path.startswith("/metadata/deletion") for path in paths)
            or all(step.op == "remove" for step in patch)
        )
    assert named > 5 * unnamed > 0


TEMPLATE: Any = {"f:spec": {"f:template": {"f:spec": {}}}}
NOTE: Any = {"f:metadata": {"f:annotations": {}}}
SCALE = entry("scaler", {"f:spec": {"f:replicas": {}}}, time="2026-01-01T00:00:30Z")


@pytest.mark.parametrize(
    ("entries", "manager"),
    [
        ([SCALE | {"subresource": "scale"}], "scaler"),
        ([SCALE | {"subresource": "status"}], "creator"),
        ([SCALE | {"manager": "kube-controller-manager"}], "creator"),
        ([entry("noter", NOTE, time="2026-01-01T00:00:40Z"), SCALE], "noter"),
        (
            [
                entry("noter", NOTE, time="2026-01-01T00:00:40Z"),
                entry("setter", TEMPLATE, time="2026-01-01T00:00:20Z"),
                SCALE | {"subresource": "scale"},
            ],
            "setter",
        ),
    ],
)
def test_the_last_edit_is_of_the_template_or_a_client(
    entries: list[Any], manager: str
) -> None:
    obj = written_by(entry("creator", TEMPLATE), *entries)
    obj["metadata"]["creationTimestamp"] = "2026-01-01T00:00:00Z"
    found = last_edit(obj)
    assert found is not None and found[1] == manager

"""Who wrote each field last, by the changes of an object and by its managedFields."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.core.changes.blame import Blame, Leaf, leaves
from kubectl_spy.core.changes.history import History
from kubectl_spy.core.changes.projection import Excerpt
from kubectl_spy.core.changes.record import ChangeRecord
from tests.builders import entry, event, pod, successive_versions
from tests.recordings import first_list
from tests.tracing import feed

WHOLE = Excerpt()
scalars = (
    st.none() | st.booleans() | st.integers(0, 3) | st.sampled_from(["", "a", "b"])
)
keys = st.sampled_from(["a", "b", "c/d", "0", "name"])
documents = st.recursive(
    scalars,
    lambda below: (
        st.lists(below, max_size=3) | st.dictionaries(keys, below, max_size=3)
    ),
    max_leaves=12,
)


def fields(blame: Blame, excerpt: Excerpt = WHOLE) -> dict[str, Leaf]:
    return {leaf.path: leaf for leaf in leaves(blame.annotated(excerpt))}


def values(document: Any, path: str = "") -> Iterator[tuple[str, Any, bool]]:
    """Yield each leaf of *document*, and whether no list leads to it."""
    if isinstance(document, dict) and document:
        for key, value in document.items():
            token = key.replace("~", "~0").replace("/", "~1")
            yield from values(value, f"{path}/{token}")
    elif isinstance(document, list) and document:
        for number, value in enumerate(document):
            for where, found, _ in values(value, f"{path}/{number}"):
                yield where, found, False
    else:
        yield path, document, True


def records(*versions: dict[str, Any]) -> Iterator[ChangeRecord]:
    """Yield the records of one object that has these versions."""
    history = History()
    for each in first_list(versions[0]):
        yield from history.observe(each)
    for number, version in enumerate(versions[1:], 1):
        yield from history.observe(event("MODIFIED", version, time=float(number)))


@given(st.lists(documents, min_size=2, max_size=5))
def test_each_field_has_the_version_that_changed_it_last(found: list[Any]) -> None:
    versions = []
    for number, spec in enumerate(found):
        obj = pod(rv=str(number))
        obj["spec"] = spec
        versions.append(obj)
    check(versions)


def test_recorded_objects_have_the_versions_that_changed_them_last() -> None:
    for before, after in successive_versions():
        check([before, after])


def check(versions: list[dict[str, Any]]) -> None:
    """Follow *versions*; fields that no list leads to are compared by hand."""
    blame, since = Blame(), dict[str, tuple[Any, str]]()
    for record in records(*versions):
        blame.observe(record)
        found = fields(blame)
        known = list(values(record.document))
        assert {path: leaf.value for path, leaf in found.items()} == {
            path: value for path, value, _ in known
        }
        now: dict[str, tuple[Any, str]] = {}
        for path, value, plain in known:
            if not plain:
                continue
            was = since.get(path, (None, "?"))
            same = was[0] == value and type(was[0]) is type(value) and was[1] != "?"
            version = "" if record.initial else record.resource_version
            now[path] = (value, was[1] if same else version)
            if not isinstance(value, dict | list):
                assert found[path].write.version == now[path][1], path
        since = now


def test_the_value_before_is_known_until_the_field_goes() -> None:
    first, second, third = pod(rv="1"), pod(rv="2", phase="Running"), pod(rv="3")
    third["status"] = {}
    blame = Blame()
    seen = []
    for record in records(first, second, third, pod(rv="4", phase="Failed")):
        blame.observe(record)
        leaf = fields(blame).get("/status/phase")
        seen.append(None if leaf is None else leaf.write.before)
    assert seen == [(), ("Pending",), None, ()]


def test_elements_keep_their_writers_when_they_move() -> None:
    def with_conditions(rv: str, *names: str) -> dict[str, Any]:
        obj = pod(rv=rv)
        obj["status"] = {"conditions": [{"type": each} for each in names]}
        return obj

    blame = Blame()
    versions = (
        with_conditions("1", "A"),
        with_conditions("2", "A", "B"),
        with_conditions("3", "B", "A"),
        with_conditions("4", "C", "B", "A"),
    )
    for record in records(*versions):
        blame.observe(record)
    found = fields(blame)
    assert [
        (found[f"/status/conditions/{n}/type"].value, leaf.write.version)
        for n in range(3)
        for leaf in [found[f"/status/conditions/{n}/type"]]
    ] == [("C", "4"), ("B", "2"), ("A", "")]


def test_managed_fields_name_the_owners_of_a_first_version() -> None:
    obj = pod(finalizers=["x/y"], labels={"app": "web"})
    obj["status"]["conditions"] = [{"type": "Ready", "status": "True"}]
    ready: Any = {'k:{"type":"Ready"}': {".": {}, "f:type": {}, "f:status": {}}}
    obj["metadata"]["managedFields"] = [
        entry(
            "helm",
            {
                "f:metadata": {
                    "f:labels": {"f:app": {}},
                    "f:finalizers": {'v:"x/y"': {}},
                },
                "f:spec": {"f:nodeName": {}},
            },
        ),
        entry(
            "kubelet",
            {"f:status": {"f:conditions": ready}},
            time="2026-01-01T00:00:05Z",
        ),
        entry("both", {"f:spec": {"f:nodeName": {}}}, time="2026-01-01T00:00:00Z"),
    ]
    blame, history = Blame(), History(noise=True)
    for each in first_list(obj):
        feed(blame, [each], history)
    named = {path: leaf.write.managers for path, leaf in fields(blame).items()}
    assert named["/metadata/labels/app"] == ("helm",)
    assert named["/metadata/finalizers/0"] == ("helm",)
    assert named["/status/conditions/0/status"] == ("kubelet",)
    assert named["/spec/nodeName"] == ("helm", "both")
    assert named["/status/phase"] == ()
    assert not any(path.startswith("/metadata/managedFields") for path in named)
    assert fields(blame)["/spec/nodeName"].write.likely


@pytest.mark.parametrize(
    ("excerpt", "paths"),
    [
        (Excerpt(only=(("status",),)), ["/status/phase"]),
        (Excerpt(only=(("*", "nodeName"),)), ["/spec/nodeName"]),
        (
            Excerpt(ignore=(("metadata",), ("status",))),
            ["/apiVersion", "/kind", "/spec/nodeName"],
        ),
    ],
)
def test_a_part_of_an_object_is_shown(excerpt: Excerpt, paths: list[str]) -> None:
    blame = Blame()
    for record in records(pod(rv="1"), pod(rv="2", phase="Running")):
        blame.observe(record)
    assert list(fields(blame, excerpt)) == paths

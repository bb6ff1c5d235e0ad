"""A root that stands under another root is drawn there, and every object is drawn."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.core.changes.history import History
from kubectl_spy.core.cluster.scope import Scope
from kubectl_spy.core.trace.picture import Picture
from kubectl_spy.core.trace.trace import Trace
from tests.builders import Object, workload
from tests.examples import examples
from tests.recordings import items_of
from tests.tracing import all_listed, selections_for

NAMES = "abcde"


def owned(name: str, owners: str) -> Object:
    """Return a Widget with the *owners*, which may be itself."""
    its = workload("Widget", name)
    its["metadata"]["uid"] = name
    its["metadata"]["ownerReferences"] = [{"uid": each, "kind": ""} for each in owners]
    return its


def drawn(owners: dict[str, str]) -> Picture:
    """Return the picture of objects that are all asked for, by their owners."""
    objects = [owned(*each) for each in owners.items()]
    kinds = selections_for(objects)
    trace = Trace(Scope((), tuple(kinds.values()), lambda _: True))
    for item in items_of(History(), all_listed(kinds, objects)):
        trace.observe(item)
    return trace.picture()


def test_a_root_under_another_is_drawn_there() -> None:
    (root,) = drawn({"a": "b", "b": "c", "c": ""}).roots
    assert [each.uid for each in root.all()] == ["c", "b", "a"]


def test_of_a_ring_of_owners_the_first_is_the_root() -> None:
    roots = drawn({"a": "b", "b": "a", "c": ""}).roots
    assert [each.uid for each in roots] == ["a", "c"]


@given(st.fixed_dictionaries({each: st.text(NAMES, max_size=2) for each in NAMES}))
@examples(200)
def test_every_object_is_drawn_whoever_owns_whom(owners: dict[str, str]) -> None:
    picture = drawn(owners)
    assert {each.uid for each in picture.all()} == set(NAMES)
    for root in picture.roots:
        others = [each for each in picture.roots if each is not root]
        assert root.uid not in {its.uid for each in others for its in each.all()}

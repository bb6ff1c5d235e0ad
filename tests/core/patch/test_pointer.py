from __future__ import annotations

import jsonpointer
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.core.patch import pointer
from tests.json_documents import json_values, keys


@given(st.lists(st.one_of(keys, st.text()), max_size=5))
def test_parsing_what_was_joined_gives_it_back(tokens: list[str]) -> None:
    text = pointer.join(tuple(tokens))
    assert pointer.parse(text) == tuple(tokens)
    assert jsonpointer.JsonPointer(text).parts == tokens


@pytest.mark.parametrize("text", ["status", "a/b", "/a~b", "/a~", "/~2", "/~~01"])
def test_an_invalid_pointer_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="pointer"):
        pointer.parse(text)


DOCUMENT = {
    "metadata": {"labels": {"a": "1", "b": "2"}, "name": "n"},
    "status": {"conditions": [{"type": "A", "t": 1}, {"type": "B", "t": 2}]},
}


def test_only_ignored_places_are_removed() -> None:
    ignored = (("status", "conditions", "*", "t"), ("metadata", "labels", "a"))
    assert pointer.without(DOCUMENT, ignored) == {
        "metadata": {"labels": {"b": "2"}, "name": "n"},
        "status": {"conditions": [{"type": "A"}, {"type": "B"}]},
    }


def test_only_the_places_named_stay() -> None:
    assert pointer.only(DOCUMENT, (("status", "*", "0"), ("metadata", "name"))) == {
        "metadata": {"name": "n"},
        "status": {"conditions": [{"type": "A", "t": 1}]},
    }


def test_places_that_are_not_there_leave_an_empty_document() -> None:
    assert pointer.only(DOCUMENT, (("spec",),)) == {}


objects = st.recursive(
    st.integers(), lambda inner: st.dictionaries(keys, inner, max_size=4), max_leaves=12
)


@given(objects, st.lists(st.lists(keys, min_size=1, max_size=3), max_size=3))
def test_ignored_values_are_gone(document: object, places: list[list[str]]) -> None:
    """Lists aside: their later elements move up into the places that went."""
    patterns = tuple(map(tuple, places))
    assert pointer.only(pointer.without(document, patterns), patterns) == {}


@given(json_values)
def test_ignoring_nothing_changes_nothing(document: object) -> None:
    assert pointer.without(document, ()) is document

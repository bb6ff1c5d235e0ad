"""Names and field values, by the rules of the API server."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.errors import UsageError
from kubectl_spy.sources.resolution.target import (
    check_name,
    check_namespace,
    escape_field_value,
)


@given(st.text(min_size=1))
def test_an_escaped_value_is_one_term_of_a_field_selector(value: str) -> None:
    escaped = escape_field_value(value)
    assert re.sub(r"\\(.)", r"\1", escaped, flags=re.DOTALL) == value
    assert not set(re.sub(r"\\.", "", escaped)) & set("\\,=")


@pytest.mark.parametrize(
    "name", [".", "..", "a/b", "a%2fb", "a\nb", "a\x1bb", "a\x9bb"]
)
def test_names_that_are_no_path_segment_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match="name"):
        check_name(name)


@pytest.mark.parametrize("name", ["web", "system:node", "a.b", "a,b", "A_b", "..."])
def test_other_names_pass(name: str) -> None:
    check_name(name)


@pytest.mark.parametrize("namespace", ["", "Web", "a.b", "-a", "a-", "a/b", "x" * 64])
def test_impossible_namespaces_are_refused(namespace: str) -> None:
    with pytest.raises(UsageError, match="invalid namespace"):
        check_namespace(namespace)

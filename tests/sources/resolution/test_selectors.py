"""Selectors and names, by the rules of the API server's own parsers."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.errors import UsageError
from kubectl_spy.sources.resolution.selectors import (
    check_field_selector,
    check_label_selector,
    check_name,
    check_namespace,
    escape_field_value,
)


@pytest.mark.parametrize(
    "selector",
    [
        "",
        "app=web",
        "app==web",
        "app!=web",
        "app",
        "!app",
        "! app",
        "app=",
        "app=,tier",
        " app = web , tier in ( db , cache ) ",
        "tier notin (db,cache),!canary",
        "tier in ()",
        "tier in (,a)",
        "in in (in,notin)",
        "example.com/app_1.x=A-b",
        "cpu>4",
        "cpu < -1",
    ],
)
def test_label_selectors_that_a_server_parses_pass(selector: str) -> None:
    check_label_selector(selector)


@pytest.mark.parametrize(
    ("selector", "why"),
    [
        ("app in", "found the end, expected '('"),
        ("app in web", "found 'web', expected '('"),
        ("app in (web", "found the end, expected"),
        ("app in (web=)", "found '=', expected ',' or ')'"),
        ("app web", "found 'web', expected one of in, notin"),
        ("app=web tier=db", "found 'tier', expected ','"),
        ("app=web,", "expected a label key after ','"),
        (",app", "found ',', expected a label key"),
        ("=web", "found '=', expected a label key"),
        ("!", "found the end, expected a label key"),
        ("!app=web", "found '=', expected ','"),
        ("cpu>many", "> needs an integer, not 'many'"),
        ("-app=web", "'-app' is no label key"),
        ("a/b/c=web", "the prefix of 'a/b/c' is no DNS name"),
        ("Example.com/app", "the prefix of 'Example.com/app' is no DNS name"),
        ("app=we b", "found 'b', expected ','"),
        ("app=-web", "'-web' is no label value"),
        (f"app={'x' * 64}", "is no label value"),
        ("app=(web)", "found '(', expected a label value"),
        ("app\x1b=web", "is no label key"),
    ],
)
def test_other_label_selectors_are_refused_with_the_reason(
    selector: str, why: str
) -> None:
    with pytest.raises(UsageError, match=re.escape(why)):
        check_label_selector(selector)


@pytest.mark.parametrize(
    "selector",
    [
        "",
        "metadata.name=web",
        "status.phase!=Running,spec.nodeName==n1",
        "a=1,,b=2",
        r"a=x\,y\=z\\",
        "a=",
    ],
)
def test_field_selectors_that_a_server_parses_pass(selector: str) -> None:
    check_field_selector(selector)


@pytest.mark.parametrize(
    ("selector", "why"),
    [
        ("status.phase", "'status.phase' has no =, == or !="),
        ("=x", "'=x' names no field"),
        ("a=1,b", "'b' has no ="),
        ("a=b=c", "has a second ="),
        (r"a=b\c", "escapes something other"),
        ("a=b\\", "ends in a single"),
    ],
)
def test_other_field_selectors_are_refused_with_the_reason(
    selector: str, why: str
) -> None:
    with pytest.raises(UsageError, match=re.escape(why)):
        check_field_selector(selector)


@given(st.text(min_size=1))
def test_an_escaped_value_is_one_term_of_a_field_selector(value: str) -> None:
    check_field_selector(f"metadata.name={escape_field_value(value)}")


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


@given(st.text(max_size=30))
def test_any_text_is_a_selector_or_a_usage_error(text: str) -> None:
    for check in (check_label_selector, check_field_selector, check_name):
        try:
            check(text)
        except UsageError as error:
            assert "\n" not in error.message

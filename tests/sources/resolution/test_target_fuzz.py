"""Any words are targets or a usage error; those that mean something come through."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.core.patch import pointer
from kubectl_spy.errors import UsageError
from kubectl_spy.sources.resolution.selectors import check_name, check_namespace
from kubectl_spy.sources.resolution.target import TargetSpec, parse_targets
from tests.examples import examples

ANY = st.text(max_size=12) | st.text(alphabet="v1/,.-=!()<>\\ \udcffaA%", max_size=12)
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"

labels = st.from_regex(r"[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?", fullmatch=True)
types = st.from_regex(
    r"(?!v[0-9])[a-z][a-z0-9]{0,10}(\.[a-z][a-z0-9]{0,8}){0,2}", fullmatch=True
)  # v1 Pod is how kubespy's users begin
names = st.text(
    st.characters(exclude_characters="/%", exclude_categories=("C", "Z")), min_size=1
).filter(lambda name: name not in (".", ".."))


@given(st.lists(ANY, max_size=4), st.none() | ANY, st.booleans(), st.none() | ANY, ANY)
@examples(300)
def test_any_words_are_targets_or_a_usage_error(
    words: list[str], namespace: str | None, everywhere: bool, label: Any, field: str
) -> None:
    try:
        specs = parse_targets(
            words,
            namespace=namespace,
            all_namespaces=everywhere,
            label_selector=label,
            field_selector=field,
        )
    except UsageError as error:
        assert str(error)
        return
    assert specs and len(set(specs)) == len(specs)
    for spec in specs:
        assert spec.type
        assert spec.name is None or not set(spec.name) & set("/%\x00\n")


@given(types, names)
def test_a_type_and_a_name_come_through_both_ways(type_: str, name: str) -> None:
    spec = TargetSpec(type_, name)
    assert parse_targets([f"{type_}/{name}"]) == (spec,)
    assert parse_targets([type_, name]) == (spec,)


@given(st.lists(types, min_size=1, max_size=4), st.lists(names, max_size=3))
def test_types_and_names_come_through_in_order(
    several: list[str], called: list[str]
) -> None:
    each_name = called or (None,)
    expected = [TargetSpec(each, name) for each in several for name in each_name]
    assert parse_targets([",".join(several), *called]) == tuple(dict.fromkeys(expected))


@given(st.sampled_from(["v1", "apps/v1", "a.b-c.io/v2beta1"]), labels, names)
def test_kubespys_form_comes_through(version: str, namespace: str, name: str) -> None:
    expected = (TargetSpec("Pod", name, namespace, version),)
    assert parse_targets([version, "Pod", f"{namespace}/{name}"]) == expected
    expected = (TargetSpec("Pod", name, None, version),)
    assert parse_targets([version, "Pod", name]) == expected


@given(ANY)
def test_a_name_that_passes_is_one_segment_of_a_path(name: str) -> None:
    with suppress(UsageError):
        check_name(name)
        assert name.isprintable() and not set(name) & set("/%")
        assert name not in (".", "..")


@given(st.text(alphabet="aZ9-._/ \n", max_size=8) | labels)
def test_a_namespace_that_passes_is_a_label(namespace: str) -> None:
    with suppress(UsageError):
        check_namespace(namespace)
        assert namespace and set(namespace) <= set(f"{LETTERS}-")


LONG = 100_000


@pytest.mark.parametrize("unit", [" ", "a", ",", "(", "=", "!", "\\", "a=", "a ", " ,"])
def test_a_hundred_thousand_signs_take_no_time(unit: str) -> None:
    """As long as a word of a command line may be, give or take."""
    text = unit * (LONG // len(unit))
    started = time.process_time()
    for each in (text, f"a{text}", f"{text}/a"):
        with suppress(UsageError):
            check_name(each)
    with suppress(UsageError, ValueError):
        parse_targets([text, text, text])
    with suppress(ValueError):
        pointer.parse(text)
    assert time.process_time() - started < 3


@given(st.text(max_size=20) | st.text(alphabet="/~01a\udcff", max_size=20))
def test_any_text_is_a_pointer_or_refused(text: str) -> None:
    try:
        tokens = pointer.parse(text)
    except ValueError as error:
        assert "pointer" in str(error)
        return
    assert pointer.join(tokens) == text

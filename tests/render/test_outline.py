from __future__ import annotations

from typing import Any

import yaml
from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.render.outline import outline

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**53), 2**53),
    st.sampled_from(
        [
            "",
            "True",
            "a: b",
            "- x",
            "a b",
            "a #b",
            "a:",
            "Yes",
            "NULL",
            "nan",
            "e1",
            "a\nb",
            "a\nb\n",
            "\n",
            " a\nb",
            "#",
        ]
    ),
    st.text(max_size=8).filter(lambda text: text.isprintable()),
)
keys = st.one_of(
    st.sampled_from(["a", "on", "1", "~", "a/b.c", "x y", "", "-", "true", "é"]),
    st.text(max_size=4).filter(lambda text: text.isprintable()),
)
documents = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(keys, inner, max_size=4)
    ),
    max_leaves=20,
)


@given(documents)
def test_an_outline_is_yaml_of_the_same_value(value: Any) -> None:
    assert yaml.safe_load("\n".join([*outline(value), ""])) == value


@given(st.lists(st.text(), max_size=3), st.text())
def test_nothing_in_it_moves_a_cursor(values: list[str], key: str) -> None:
    for line in outline({key: values, "k": {key: key}}):
        assert line.isprintable() or not any(ord(c) < 32 or ord(c) == 127 for c in line)


def test_elements_stand_behind_their_dashes() -> None:
    value = {"a": [{"b": 1, "c": [{"d": 2}]}, [[3]], "x\ny\n"]}
    assert outline(value) == [
        "a:",
        "- b: 1",
        "  c:",
        "  - d: 2",
        "- - - 3",
        "- |",
        "  x",
        "  y",
    ]


def test_very_deep_values_are_on_one_line() -> None:
    value: Any = 1
    for _ in range(500):
        value = {"d": value}
    lines = outline(value)
    assert len(lines) == 60
    assert lines[-1].count("{") == 440

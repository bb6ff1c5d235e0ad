from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.render.inert import inert

HOSTILE = [
    *map(chr, range(0x20)),
    *map(chr, range(0x7F, 0xA0)),
    *"\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069",
    "\ud800",
    "\udfff",
]


@pytest.mark.parametrize("character", HOSTILE, ids=lambda c: f"U+{ord(c):04X}")
def test_hostile_characters_are_shown_and_do_nothing(character: str) -> None:
    assert inert(f"a{character}b") == f"a\\u{ord(character):04x}b"


@pytest.mark.parametrize("text", ["", "plain", "naïve café", "日本語", "👩\u200d🚀"])
def test_other_text_is_left_alone(text: str) -> None:
    assert inert(text) == text


@given(st.text())
def test_json_stays_the_same_json(text: str) -> None:
    encoded = json.dumps({text: text}, ensure_ascii=False)
    assert json.loads(inert(encoded)) == {text: text}

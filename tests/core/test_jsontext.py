from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.core import jsontext
from kubectl_spy.core.jsontext import UnreadableJSON, canonical, dumps, loads
from tests.json_documents import json_values


@given(json_values)
def test_written_json_reads_back(value: Any) -> None:
    assert canonical(loads(dumps(value))) == canonical(value)
    assert json.loads(dumps(value)) == value


@given(json_values, json_values)
def test_canonical_text_is_equal_just_for_equal_json(one: Any, other: Any) -> None:
    def typed(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: typed(member) for key, member in value.items()}
        if isinstance(value, list):
            return [typed(element) for element in value]
        return type(value).__name__, value

    assert (canonical(one) == canonical(other)) == (typed(one) == typed(other))


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(raw: bytes) -> None:
    try:
        loads(raw)
    except UnreadableJSON:
        return


@pytest.mark.parametrize("raw", [b"NaN", b"Infinity", b"1e400", b"{", b"\xff", b""])
def test_invalid_json_is_refused(raw: bytes) -> None:
    with pytest.raises(UnreadableJSON):
        loads(raw)


def test_a_hundred_thousand_levels_are_refused() -> None:
    with pytest.raises(UnreadableJSON):
        loads(b"[" * 100_000 + b"]" * 100_000)


def test_a_thousand_levels_are_written() -> None:
    document: Any = "leaf"
    for _ in range(1000):
        document = [{"d": document}]
    assert dumps(document) == b'[{"d":' * 1000 + b'"leaf"' + b"}]" * 1000
    assert canonical(document) == dumps(document)


def test_half_a_surrogate_pair_stays_an_escape() -> None:
    value = loads(rb'{"a":"x\ud800y"}')
    assert dumps(value) == rb'{"a":"x\ud800y"}'


@given(json_values)
def test_without_the_fast_library_the_text_is_the_same(value: Any) -> None:
    slow = "".join(jsontext._encode(value)).encode()
    assert json.loads(slow) == value

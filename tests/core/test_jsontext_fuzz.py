"""The fast and the slow way to read and write JSON agree, on whatever comes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tests
from kubectl_spy.core.jsontext import UnreadableJSON, canonical, dumps, loads
from tests import processes
from tests.examples import examples
from tests.json_documents import hostile_json, nested

texts = st.one_of(
    st.binary(max_size=40),
    hostile_json("a").map(lambda document: json.dumps(document).encode()),
    hostile_json("a").map(
        lambda document: json.dumps(document, ensure_ascii=False).encode(
            "utf-8", "surrogatepass"
        )
    ),
    st.text(
        alphabet='[]{}",:0123456789.eE+-\\u dDtrufalsn/\n\t\x00\x7f', max_size=25
    ).map(str.encode),
)

BOUNDS: dict[str, bytes] = {
    "half a character": rb'"\ud800"',
    "both halves": rb'"\ud83d\ude00"',
    "an encoded half": b'"\xed\xa0\x80"',
    "past 64 bits": b"[18446744073709551616,-9223372036854775809]",
    "64 bits": b"[18446744073709551615,-9223372036854775808]",
    "too many digits": b"9" * 5000,
    "many digits": b"9" * 4000,
    "many digits of a fraction": b"0." + b"9" * 5000,
    "past a double": b"[1e309]",
    "nearly nothing": b"1e-400",
    "minus nothing": b"[-0,-0.0]",
    "no number": b"NaN",
    "minus infinity": b"-Infinity",
    "twice the same": b'{"a":1,"a":{"b":2},"b":0,"b":[]}',
    "a mark": b"\xef\xbb\xbf{}",
    "UTF-16": '{"a":1}'.encode("utf-16"),
    "a control character": b'"\x01"',
    "nothing": b"",
    "a blank": b" ",
    "a form feed": b"\x0c1",
    "two": b"1 2",
    "300 levels": nested(300),
    "200,000 levels": nested(200_000),
    "200,000 beginnings": b"[" * 200_000,
    "200,000 objects": b'{"":' * 200_000,
}


def values_of(document: Any) -> Any:
    """Return *document* with integers past 64 bits as the floats they may become."""
    if isinstance(document, dict):
        return {key: values_of(member) for key, member in document.items()}
    if isinstance(document, list):
        return [values_of(element) for element in document]
    if isinstance(document, int) and not -(2**63) <= document < 2**64:
        return "past 64 bits"
    if isinstance(document, float) and abs(document) >= 2**63:
        return "past 64 bits"
    return type(document).__name__, document


needs_orjson = pytest.mark.skipif(
    find_spec("orjson") is None, reason="there is no fast way here"
)
Ask = Callable[[bytes], bytes | None]

# In a process of its own, where orjson cannot be imported, as where it has no wheel.
ALONE = """
import sys

sys.modules["orjson"] = None
from kubectl_spy.core import jsontext
assert jsontext.orjson is None
for line in sys.stdin:
    raw = bytes.fromhex(line)
    try:
        document = jsontext.loads(raw)
    except jsontext.UnreadableJSON:
        print("unreadable")
        continue
    print(jsontext.dumps(document).hex())
"""


@pytest.fixture(scope="module")
def alone() -> Iterator[Ask]:
    """Ask the slow way what some bytes hold, and how it writes that."""
    environ = {**os.environ, "PYTHONPATH": str(Path(tests.__file__).parents[1])}
    with processes.start(
        [sys.executable, "-u", "-c", ALONE],
        env=environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:

        def ask(raw: bytes) -> bytes | None:
            assert process.stdin is not None and process.stdout is not None
            print(raw.hex(), file=process.stdin, flush=True)
            line = process.stdout.readline()
            return None if line == "unreadable\n" else bytes.fromhex(line)

        yield ask
        assert process.stdin is not None
        process.stdin.close()


def agree(raw: bytes, slow: bytes | None) -> None:
    try:
        fast = loads(raw)
    except UnreadableJSON:
        assert slow is None
        return
    assert slow is not None
    assert values_of(loads(slow)) == values_of(fast)


@needs_orjson
@given(texts)
@examples(200)
def test_both_ways_read_the_same(alone: Ask, raw: bytes) -> None:
    agree(raw, alone(raw))


@needs_orjson
@pytest.mark.parametrize("raw", BOUNDS.values(), ids=BOUNDS)
def test_both_ways_have_the_same_bounds(alone: Ask, raw: bytes) -> None:
    agree(raw, alone(raw))


@given(hostile_json("a", "b"))
def test_read_json_can_be_written_and_read(document: Any) -> None:
    first = loads(json.dumps(document).encode())
    again = loads(dumps(first))
    assert canonical(again) == canonical(first)
    assert dumps(again) == dumps(first)

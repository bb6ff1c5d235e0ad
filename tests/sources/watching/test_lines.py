from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.sources.watching.watch_stream import LONGEST, LineSplitter

TEXT = '{"a":"é"}\n\n{"b":2}\nrest'.encode()


@pytest.mark.parametrize("at", range(len(TEXT) + 1))
def test_lines_are_whole_wherever_the_bytes_are_cut(at: int) -> None:
    splitter = LineSplitter()
    lines = splitter.feed(TEXT[:at]) + splitter.feed(TEXT[at:])
    assert lines == TEXT.split(b"\n")[:-1]
    assert splitter.feed(b"\n") == [b"rest"]


@given(st.lists(st.binary(max_size=8)))
def test_chunks_and_their_sum_give_the_same_lines(chunks: list[bytes]) -> None:
    splitter = LineSplitter()
    lines = [line for chunk in chunks for line in splitter.feed(chunk)]
    assert lines == b"".join(chunks).split(b"\n")[:-1]


def test_a_line_that_has_no_end_is_dropped_and_the_next_one_read() -> None:
    splitter = LineSplitter()
    piece = b"x" * (LONGEST // 4)
    for _ in range(40):
        assert splitter.feed(piece) == []
    assert splitter.feed(b"\nnext\n") == [b"", b"next"]

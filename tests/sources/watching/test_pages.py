"""Which pages of a list may be followed by another one."""

from __future__ import annotations

import pytest

from kubectl_spy.errors import ConnectionFailed
from kubectl_spy.sources.watching.answers import PageCheck
from tests.builders import pod


def follow(count: int, *, size: int = 1) -> None:
    """Read *count* pages, each with another object."""
    pages = PageCheck()
    for number in range(count):
        pages.add([pod(f"a-{number}")], size)
        pages.check()


def test_short_pages_may_go_on_as_long_as_each_holds_other_objects() -> None:
    follow(99_999)


@pytest.mark.parametrize(("count", "size"), [(100_000, 1), (100, 100 << 20)])
def test_pages_with_other_objects_have_a_limit(count: int, size: int) -> None:
    with pytest.raises(ConnectionFailed, match="the list does not end"):
        follow(count, size=size)

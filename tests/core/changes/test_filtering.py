"""Filters of `review`, and the density of changes."""

from __future__ import annotations

import pytest

from kubectl_spy.core.changes.density import bars, density, part_of
from kubectl_spy.core.changes.filtering import Filter, parse_filter


@pytest.mark.parametrize(
    ("typed", "matches"),
    [
        ("", True),
        ("web", True),
        ("POD/WEB", True),
        ("pod web", True),
        ("!event", True),
        ("!web", False),
        ("deployment/", False),
        ("-n shop", True),
        ("-n sho", False),
        ("web -n", True),
        ("!", True),
    ],
)
def test_words_choose_objects(typed: str, matches: bool) -> None:
    assert parse_filter(typed).matches("Pod", "shop", "web-0") is matches


def test_a_regular_expression_reaches_to_the_end() -> None:
    chosen = parse_filter("pod ~being deleted|-n shop")
    assert chosen.words == ("pod",) and chosen.namespace is None
    assert chosen.pattern is not None and chosen.pattern.search(b"x -n shop x")
    assert parse_filter("~") == Filter()
    with pytest.raises(ValueError, match="no regular expression"):
        parse_filter("~(")


def test_every_change_is_in_one_bar() -> None:
    times = [0.0, 0.0, 1.5, 9.0, 10.0]
    counts = density(times, 0.0, 10.0, 5)
    assert counts == [3, 0, 0, 0, 2] and len(bars(counts)) == 5
    assert [part_of(each, 0.0, 10.0, 5) for each in times] == [0, 0, 0, 4, 4]
    assert density([3.0, 3.0], 3.0, 3.0, 5)[0] == 2
    assert part_of(3.0, 3.0, 3.0, 5) == 0

"""What was read from a part of a document is kept for that part only."""

from __future__ import annotations

from kubectl_spy.core import identity
from kubectl_spy.core.identity import by_identity
from kubectl_spy.core.objects import JSON


def test_a_part_is_read_once_and_an_equal_one_anew() -> None:
    read: list[JSON] = []

    @by_identity
    def image(container: JSON, prefix: str) -> str:
        read.append(container)
        return prefix + str(container["image"])

    one, other = {"image": "web:1"}, {"image": "web:1"}
    assert image(one, "a/") == image(one, "a/") == "a/web:1"
    assert image(one, "b/") == "b/web:1"
    assert image(other, "a/") == "a/web:1"
    assert [each is one for each in read] == [True, True, False]


def test_what_is_kept_is_bounded() -> None:
    read: list[JSON] = []

    @by_identity
    def note(part: JSON) -> None:
        read.append(part)

    parts: list[JSON] = [{} for _ in range(identity._MOST + 1)]
    for part in (*parts, parts[0]):
        note(part)
    assert len(read) == len(parts) + 1

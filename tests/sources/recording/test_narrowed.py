"""Reading only the lines about one name says the same of it as reading every line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.core.jsontext import canonical
from kubectl_spy.sources.recording.recording import Recording
from tests.examples import part
from tests.recordings import record, record_stream, resealed, story


def read(path: Path, lines: Iterable[bytes], name: str, *, narrowed: bool) -> object:
    """Return what is said of the object *name*, of its stream, and of the recording."""
    path.write_bytes(b"".join(lines))
    recording = Recording(str(path))
    if narrowed:
        recording.narrow_to({name.encode()})
    items = [
        (item.type, item.name, item.uid, item.previous, canonical(item.document))
        for item in recording
        if isinstance(item, ChangeRecord) and item.name in (name, "")
    ]
    damaged = [each.torn for each in recording.damages]
    told = recording.size, recording.lines, recording.last, recording.ended
    return items, bool(damaged), True in damaged, told if not damaged else None


def damaged(lines: list[bytes], name: str) -> Iterator[list[bytes]]:
    """Yield *lines*, and *lines* with damage in each place.

    What an intact line says of another name is not read.
    """
    yield lines
    for at in range(1, len(lines), 1 if part(2) > 1 else 3):
        before, raw, after = lines[:at], lines[at], lines[at + 1 :]
        yield [*before, *after]
        yield [*before, raw, raw, *after]
        yield [*before, raw.replace(b'"', b"'", 1), *after]
        yield [*before, raw[:-9]]
        yield [*before, raw]
        known = b'"type":"ADDED"' not in raw  # under its name
        if known and b'"name":"%b"' % name.encode() in raw:
            yield [*before, resealed(raw, name="elsewhere"), *after]


@pytest.mark.parametrize("name", ["a", "b", "none"])
def test_damage_makes_no_difference(name: str, tmp_path: Path) -> None:
    for lines in damaged(record(tmp_path / "whole.spy", story()), name):
        found = [
            read(tmp_path / "copy.spy", lines, name, narrowed=each)
            for each in (False, True)
        ]
        assert found[0] == found[1]


@pytest.mark.parametrize("name", ["nginx", "none"])
def test_a_recorded_rollout(name: str, tmp_path: Path) -> None:
    record_stream("deploy-rollout", tmp_path / "whole.spy")
    lines = (tmp_path / "whole.spy").read_bytes().splitlines(keepends=True)
    whole, narrowed = (
        read(tmp_path / "copy.spy", lines, name, narrowed=each)
        for each in (False, True)
    )
    assert whole == narrowed


def test_lines_that_were_left_out_before_are_not_missing(tmp_path: Path) -> None:
    """As of a recording in Loki, of which only a part was fetched."""
    record(tmp_path / "whole.spy", story())
    recording = Recording(str(tmp_path / "whole.spy"))
    recording.narrow_to({b"a", b"b"})
    recording.narrow_to({b"a"})
    named = [each.name for each in recording if isinstance(each, ChangeRecord)]
    assert (set(named), recording.damages) == ({"a"}, [])

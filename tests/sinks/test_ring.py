"""Which segments of a recording with `--keep` are deleted, and when."""

from __future__ import annotations

from pathlib import Path

from kubectl_spy.sinks.closed_segments import Packer, Ring
from tests.processes import PATIENCE

END = 1_795_273_445.0  # of the segment, in seconds since the epoch


def test_a_segment_is_deleted_when_it_is_old_by_both_clocks(tmp_path: Path) -> None:
    segment, packer = tmp_path / "web.spy.0001", Packer()
    segment.write_bytes(b"{}")
    packer.add(segment)
    new = Ring(PATIENCE, packer)
    new.add(segment, END, 2, 1)
    assert new.drop(END + 10 * PATIENCE) is None  # the wall clock was set forward
    ring = Ring(PATIENCE, packer)
    ring.add(segment, END, 2, 1, age=PATIENCE + 1)
    assert ring.drop(END + PATIENCE - 1) is None  # an event that is late
    dropped = ring.drop(END + PATIENCE + 1)
    assert dropped is not None and (dropped.size, dropped.changes) == (2, 1)
    assert (ring.size, ring.changes) == (0, 0)
    packer.stop()
    assert list(tmp_path.iterdir()) == []

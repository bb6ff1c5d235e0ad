"""When an object is written as a whole again, and not as one more patch."""

from __future__ import annotations

from typing import NamedTuple

_CHANGES, _MOST_CHANGES = 64, 256
"""The least and the most changes of an object between two snapshots, without a GAP."""
_PATCHES = 4
"""Between these, a snapshot is due if the changes are this many times its size.

One snapshot every 64 changes adds at most 1/64 of the size of all versions in full. One
every 256 changes, for large objects with small changes, adds 1/256. Reading a state
takes 60 µs a change, so 15 ms for 256. For a Pod in a crash loop, of 4 KB with changes
of 1.6 KB, 4 % of a recording are snapshots.
"""


class Chain(NamedTuple):
    """The bytes of an object's last snapshot, and what was written since then."""

    snapshot: int = 0
    patches: int = 0
    changes: int = 0

    def longer(self, size: int) -> Chain:
        """Return the chain with one more patch of *size* bytes."""
        return Chain(self.snapshot, self.patches + size, self.changes + 1)

    @property
    def is_long(self) -> bool:
        """Whether a snapshot is due."""
        enough = self.patches >= _PATCHES * self.snapshot
        return self.changes >= (_CHANGES if enough else _MOST_CHANGES)

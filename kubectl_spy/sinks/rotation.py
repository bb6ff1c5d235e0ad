"""When a recording goes on in a new file."""

from __future__ import annotations

from typing import NamedTuple


class Rotation(NamedTuple):
    """The bytes or the seconds after which a segment is closed; None is never.

    A closed segment is deleted after *keep* seconds.
    """

    size: int | None = None
    age: float | None = None
    keep: float | None = None

"""What is said where changes may have been missed, beside what is shown."""

from __future__ import annotations

from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.render.inert import inert
from kubectl_spy.render.moments import clock, local
from kubectl_spy.render.text import type_name


def missed(gap: ChangeRecord) -> str:
    """Return the line of a GAP of a whole stream, its times local ones."""
    since, until = (
        clock(local(gap.time if time is None else time, None))
        for time in (gap.since, gap.until)
    )
    what = inert(type_name(gap.gvk))
    return f"GAP: changes of {what} objects between {since} and {until} may be missing"

"""The parts of a trace, alike in the tree and in the lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import tzinfo

from kubectl_spy.core.changes.managers import CONTROLLERS
from kubectl_spy.core.changes.record import ChangeRecord, Logged
from kubectl_spy.core.cluster.events import ClusterEvent
from kubectl_spy.core.cluster.inventory import Entry
from kubectl_spy.core.diagnosis.finding import FINE, Finding, Verdict
from kubectl_spy.core.headlines.edits import Edit
from kubectl_spy.core.trace.picture import Node
from kubectl_spy.core.wording import many
from kubectl_spy.render import findings
from kubectl_spy.render.columns import chopped, width
from kubectl_spy.render.inert import ASCII, inert
from kubectl_spy.render.moments import at_latest, day_and_clock, duration
from kubectl_spy.render.palette import Palette

_COLOUR = re.compile("\x1b\\[[0-9;]*m")
_LONGEST = 1_000  # characters of a line that are shown; the others are counted
_AROUND = 17  # columns for that number, and for the mark of a log


def log_lines(log: Logged, room: int, *, dots: str, most: int) -> Iterator[str]:
    """Yield the last lines, at the *most*; the earlier ones cut to *room* columns.

    0 is any room.
    """
    if not log.lines:
        yield "log  nothing was written"
    shown = log.lines[-most:]
    for number, line in enumerate(shown, 1):
        text = inert(_COLOUR.sub("", line.expandtabs(4)))
        last, kept = number == len(shown), text[:_LONGEST]
        if room and not last and width(kept) > room - len("log  "):
            kept = chopped(kept, max(room - _AROUND, 1))[0]
        if len(kept) < len(text):
            kept += f"{dots} {len(text) - len(kept):,} more"
        yield f"log  {kept}{f' {dots} cut here' if last and log.cut else ''}"


_MARKS = {  # in Unicode and in ASCII
    Verdict.OK: ("✓", "ok"),
    Verdict.WARNING: ("!", "!"),
    Verdict.WAITING: ("…", ".."),
    Verdict.FAILING: ("✗", "!!"),
    Verdict.UNKNOWN: ("?", "??"),
    Verdict.UNJUDGED: ("·", "--"),
}


def telling(node: Node, finding: Finding) -> bool:
    """Return whether *finding* says more than the verdict of *node*."""
    if finding.verdict is Verdict.UNKNOWN:
        return node.verdict not in FINE
    return finding.verdict not in FINE


class Parts:
    """Renders parts of a trace, without *unicode* in ASCII.

    Names in *namespace* are printed without it. *full* shows all of a change. Times
    are in *zone*; None is the local one.
    """

    def __init__(
        self,
        palette: Palette,
        *,
        namespace: str | None,
        unicode: bool = True,
        full: bool = False,
        zone: tzinfo | None = None,
    ) -> None:
        self._full = full
        self._zone = zone
        self._namespace = namespace
        self._palette = palette
        self._unicode = unicode
        self.arrow = "→" if unicode else "->"
        self._dot = "·" if unicode else "-"

    def mark_of(self, *alike: Node) -> str:
        """Return the mark of objects; "!" if their Pods run, and may fail again."""
        verdict = alike[0].verdict
        fails = any(times for node in alike for _, times in node.pods)
        if verdict is Verdict.WAITING and fails:
            return self._palette.paint(self._palette.change, "!")
        return self.mark(verdict)

    def finding(self, finding: Finding, now: float | None, others: int = 0) -> str:
        """Return a finding, without its remedy. In a tree, *now* adds mark and age.

        *others* is the number of causes that are as deep.
        """
        text = inert(findings.text(finding))
        if others:
            text += f" (and {many(others, 'other cause')})"
        if now is not None:
            text = f"{self.mark(finding.verdict)} {text}"
            if finding.since is not None and finding.verdict not in FINE:
                if finding.verdict is Verdict.FAILING:
                    text += self.faint(f"  {self._ago(finding.since, now)}")
                else:
                    text += self.faint(f"  {duration(max(now - finding.since, 0))}")
        return text

    def _ago(self, time: float, now: float) -> str:
        """Return a time, with the date if it is not the day of *now*, and its age."""
        day, at = day_and_clock(time, self._zone)
        dated = "" if day == day_and_clock(now, self._zone)[0] else f"{day} "
        return f"{dated}{at[:8]}, {duration(max(now - time, 0))} ago"

    def remedy(self, finding: Finding) -> str:
        """Return the remedy of a finding, or "" if there is none."""
        if not finding.remedy or finding.verdict in FINE:
            return ""
        remedy = self._palette.paint(self._palette.name, inert(finding.remedy))
        return f"{self.faint(self.arrow)} {remedy}"

    def event(
        self, event: ClusterEvent, now: float | None, *, past: bool = False
    ) -> str:
        """Return an Event with its count. *now* is as for a finding.

        A warning is *past*, and not red, if its object is OK now.
        """
        times = f" x{event.times}" if event.times > 1 else ""
        alarming = event.warning and not past
        colour = self._palette.bad if alarming else self._palette.faint
        message = " ".join(event.message.split())
        reason = self._palette.paint(colour, f"{inert(event.reason)}{times}")
        who = f" ({inert(event.component)})" if event.component else ""
        text = f"{reason}{self.faint(who)}: {inert(message)}"
        if now is None:
            return text
        last = event.last if event.seen is None else event.seen
        if last is not None:
            text += self.faint(f"  {self._ago(last, now)}")
        return f"{self.reported(event, past=past)} {text}"

    def reported(self, event: ClusterEvent, *, past: bool = False) -> str:
        """Return the mark of an Event."""
        if event.warning and not past:
            return self._palette.paint(self._palette.bad, "!")
        return self.faint("!" if event.warning else self._dot)

    def log(self, log: Logged, room: int = 0, most: int = 5) -> list[str]:
        """Return the lines of a log, as `log_lines` does."""
        dots = "…" if self._unicode else "..."
        return [*map(self.faint, log_lines(log, room, dots=dots, most=most))]

    @property
    def dot(self) -> str:
        """The mark of news that is neither good nor bad."""
        return self.faint(self._dot)

    def edit(self, edit: Edit, now: float | None) -> str:
        """Return what was changed and who likely did it. *now* adds the age."""
        verb = "created" if edit.created else "changed"
        bound = "" if edit.after is None else "≤" if self._unicode else "<"
        time = at_latest(edit.time) if bound else edit.time
        age = "" if now is None else f" {bound}{self._ago(time, now)}"
        who = f" by {', '.join(map(inert, edit.managers))}" if edit.managers else ""
        people = not (edit.managers and CONTROLLERS.issuperset(edit.managers))
        mark = self.bold("▸ " if self._unicode else "> ") if people else ""
        what = inert(edit.text(full=self._full))
        text = what if self._unicode else what.translate(ASCII)
        paint = self.bold if people else str
        about = ("≈ " if self._unicode else "~ ") if edit.source else ""
        said = f"{mark}{self.faint(f'{about}{verb}{age}')}{paint(who)}"
        said = f"{said}{self.faint(':')} {paint(text)}" if text else said
        return said + self.faint(inert(f" ({edit.source})") if edit.source else "")

    def name(self, node: Node | Entry | ChangeRecord) -> str:
        """Return the type and name of an object, and another namespace."""
        name = self._palette.paint(self._palette.name, inert(node.name))
        text = f"{inert(node.gvk.printed)}/{name}"
        if node.namespace in (self._namespace, None):
            return text
        return text + self.faint(f" (in {inert(node.namespace or '')})")

    def phase(self, phase: str, verdict: Verdict) -> str:
        return self._palette.paint(self._colour(verdict), inert(phase))

    def mark(self, verdict: Verdict) -> str:
        sign = _MARKS[verdict][0 if self._unicode else 1]
        return self._palette.paint(self._colour(verdict), sign)

    def faint(self, text: str) -> str:
        return self._palette.paint(self._palette.faint, text) if text else ""

    def bold(self, text: str) -> str:
        return self._palette.paint(self._palette.name, text) if text else ""

    def _colour(self, verdict: Verdict) -> str:
        palette = self._palette
        return {
            Verdict.OK: palette.good,
            Verdict.WARNING: palette.change,
            Verdict.WAITING: palette.change,
            Verdict.FAILING: palette.bad,
            Verdict.UNKNOWN: palette.notice,
            Verdict.UNJUDGED: palette.faint,
        }[verdict]

"""What mattered in a recording, for people: at most one screen, unless in full."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from kubectl_spy.core.answer.failure import Failure
from kubectl_spy.core.answer.timeline import Warned
from kubectl_spy.core.answer.unwell import Unwell
from kubectl_spy.core.causes.suspects import Suspect
from kubectl_spy.core.causes.writes import Write
from kubectl_spy.core.changes.coverage import Coverage
from kubectl_spy.core.changes.narrowing import by_people
from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.core.cluster.inventory import Entry
from kubectl_spy.core.diagnosis.finding import Diagnosis
from kubectl_spy.core.jsontext import dumps
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.summary.flaps import Flap
from kubectl_spy.core.summary.summary import Summary
from kubectl_spy.core.wording import both_ends, first_few, many
from kubectl_spy.render.columns import wrapped
from kubectl_spy.render.denials import no_failure, not_well
from kubectl_spy.render.findings import text
from kubectl_spy.render.inert import inert
from kubectl_spy.render.moments import at_latest, day_and_clock, duration
from kubectl_spy.render.palette import PLAIN, Palette
from kubectl_spy.render.summary_json import said
from kubectl_spy.render.tracing.parts import Parts, log_lines

_Row = TypeVar("_Row")
_FAILURES = 5  # the most failures of each section, unless in full
_WRITES = 8
_OTHERS = 5
_LINES = 20  # in full, of each kind of what is busiest
_BEFORE = " before "
_VALUE = 40  # the most characters of a value that goes back and forth


class Sections:
    """The lines of a summary, in at most *columns*; 0 is any width."""

    def __init__(
        self, palette: Palette, columns: int, *, full: bool, days: int, spaces: int
    ) -> None:
        self._palette = palette
        self._columns = columns
        self._full = full
        self._dated = days > 1
        self._spaced = spaces > 1

    def state(self, entry: Entry, diagnosis: Diagnosis) -> str:
        """Return the line of a target: its mark, its phase and what is said of it."""
        mark = Parts(self._palette, namespace=None).mark(diagnosis.verdict)
        said = "  ".join(filter(None, (diagnosis.phase, diagnosis.summary)))
        return self._hung(2, f"{self._name(entry)}  {inert(said)}", f"{mark} ")

    def lasting(self, summary: Summary, failures: Sequence[Failure]) -> Iterator[str]:
        """Yield the sections of fights, of what fails at the end, and of warnings."""
        fights = [each for each in summary.flaps.found() if each.is_fight]
        yield from self.flaps("Written against each other", fights)
        found = [each for each in failures if each.until is None]
        yield from self.failures("Fails at the end", found)
        yield from self.unwell(summary.unwell(failures))
        yield from self.warnings(summary.warnings())

    def unwell(self, found: Sequence[Unwell]) -> Iterator[str]:
        """Yield the section of what was well and is no more."""
        yield from self._titled("Not well", found)
        shown = self._first(found, _OTHERS)
        for each in shown:
            what = self._palette.paint(self._palette.change, _unwell(each))
            yield self._line(each.since, f"{self._name(each.of)}  {what}")
            for suspect in each.by[:1]:
                suspected = self._suspect(each.of, suspect, second=False)
                yield self._hung(len(self._when(0.0)) + 4, suspected)
        yield from self._more(len(found) - len(shown), "object")

    def over(self, failures: Sequence[Failure]) -> Iterator[str]:
        """Yield the section of what failed, and no longer does."""
        found = [each for each in failures if each.until is not None]
        yield from self.failures("Failed for a time", found)

    def failures(self, title: str, failures: Sequence[Failure]) -> Iterator[str]:
        """Yield the section of *failures*, each with what likely caused it."""
        yield from self._titled(title, failures)
        colour = self._palette
        shown = self._first(failures, _FAILURES)
        for each in shown:
            until = ""
            if each.until is not None:
                until = f", until {self._when(each.until)}"
            if each.times > 1:
                until += f", {each.times} times"
            what = colour.paint(colour.bad, inert(said(each)))
            what = f"{self._name(each.top)}  {what}{until}"
            yield self._line(each.since, what, bound=_BEFORE * each.bound)
            indent = len(self._when(0.0)) + 4
            for line in self.causes(each):
                yield self._hung(indent, line)
        yield from self._more(len(failures) - len(shown), "failure")

    def causes(self, failure: Failure) -> Iterator[str]:
        """Yield the end of its log, and what likely caused a failure, or why not."""
        faint = self._palette.faint
        if failure.log is not None:
            for line in log_lines(failure.log, 0, dots="…", most=1):
                yield self._palette.paint(faint, line)
        certain = any(each.certain for each in failure.by[:1])
        for place, suspect in enumerate(failure.by[: 1 if certain else 2]):
            yield self._suspect(failure.top, suspect, second=place > 0)
        if failure.why_not is not None and not failure.by:
            why = f"by: cannot be told, {inert(text(failure.why_not))}"
            yield self._palette.paint(faint, why)

    def warnings(self, warnings: Sequence[Warned]) -> Iterator[str]:
        """Yield the section of what is ready, and should be looked at."""
        yield from self._titled("Ready, but", warnings)
        shown = self._first(warnings, _OTHERS)
        for each in shown:
            what = self._palette.paint(self._palette.change, inert(text(each.finding)))
            what = f"{self._name(each.of)}  {what}"
            yield self._line(each.began, what, bound=_BEFORE * each.bound)
            for suspect in each.by[:1]:
                suspected = self._suspect(each.of, suspect, second=False)
                yield self._hung(len(self._when(0.0)) + 4, suspected)
        yield from self._more(len(warnings) - len(shown), "warning")

    def _suspect(self, top: Entry, suspect: Suspect, *, second: bool) -> str:
        write = suspect.write
        how = "or: " if second else "by: " if suspect.certain else "most likely by: "
        what = self._what(write)
        if (write.record.gvk, write.record.name) != (top.gvk, top.name):
            what = f"{self._name(write.record)} {what}"
        lag = (
            f"{duration(suspect.lag)} before" if suspect.lag >= 0.001 else "just before"
        )
        return f"{how}{what}, {lag}{self._by(write)}"

    def writes(self, writes: Sequence[Write], first: Sequence[Write]) -> Iterator[str]:
        """Yield the section of *writes*. Those that are in *first* are always shown."""
        yield from self._titled("Changed", writes)
        shown = list(writes)
        if not self._full and len(writes) > _WRITES:
            meant = {each.number for each in first}
            ranked = sorted(writes, key=lambda it: (it.number not in meant, -it.number))
            shown = ranked[:_WRITES]
        for each in sorted(shown, key=_order):
            alike = f" and {each.alike} more alike" if each.alike else ""
            often = f", {each.times} times" if each.times > 1 else ""
            what = f"{self._what(each)}{often}{self._by(each)}"
            what = f"{self._name(each.record)}{alike}  {what}"
            people, bound = by_people(each.record), "≤" * (each.edit.after is not None)
            yield self._line(each.edit.time, what, people=people, bound=bound)
        yield from self._more(len(writes) - len(shown), "change")

    def flaps(self, title: str, flaps: Sequence[Flap]) -> Iterator[str]:
        """Yield a section of fields that go back and forth."""
        yield from self._titled(title, flaps)
        shown = self._first(flaps, _OTHERS)
        for each in shown:
            yield self._hung(2, f"{self._name(each.record)}  {fought(each)}")
        yield from self._more(len(flaps) - len(shown), "field")

    def busiest(self, counts: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
        """Yield the section of what changed most, or one line of objects."""
        named = {
            title: [inert(f"{name} ({count:,})") for name, count in of.items()]
            for title, of in counts.items()
            if of
        }
        if self._full:
            yield from self._titled("Busiest", list(named))
            for title, names in named.items():
                for name in names[:_LINES]:
                    yield f"  {title:11}{name}"
                more = len(names) - _LINES
                yield from [f"  {title:11}{more:,} more"] if more > 0 else []
        elif objects := named.get("objects"):
            few = range(_OTHERS, 0, -1)
            lines = [f"  {', '.join(first_few(objects, most))}" for most in few]
            fits = (each for each in lines if len(each) <= self._columns)
            yield from self._titled("Busiest", objects)
            yield next(fits, lines[-1] if self._columns else lines[0])

    def gaps(self, gaps: Sequence[ChangeRecord]) -> Iterator[str]:
        """Yield the section of *gaps*, in which changes may have been missed."""
        yield from self._titled("Gaps", gaps)
        shown = self._first(gaps, _OTHERS)
        for each in shown:
            what = each.gvk.printed if each.of_stream else self._name(each)
            since, until = each.since or each.time, each.until or each.time
            yield self._line(since, f"to {self._when(until)}  {inert(what)}")
        yield from self._more(len(gaps) - len(shown), "gap")

    def _titled(self, title: str, rows: Sequence[object]) -> Iterator[str]:
        if rows:
            yield ""
            yield self._palette.paint(self._palette.name, title)

    def _first(self, rows: Sequence[_Row], most: int) -> Sequence[_Row]:
        return rows if self._full else rows[:most]

    def _more(self, count: int, noun: str) -> Iterator[str]:
        if count > 0:
            yield f"  and {many(count, f'more {noun}')}: --full shows them"

    def _what(self, write: Write) -> str:
        words = write.edit.text(full=self._full) or "created"
        words = f"≈ {words}" if write.edit.source else words
        return self._bold(inert(words), write)

    def _by(self, write: Write) -> str:
        names = ", ".join(write.edit.managers)
        who = f" ({write.record.actor})" if write.record.actor else ""
        who += f" ({write.edit.source})" if write.edit.source else ""
        return self._bold(inert(f", by {names}{who}" if names else who), write)

    def _bold(self, text: str, write: Write) -> str:
        """Return *text*, bold if people wrote."""
        bold = self._palette.name if text and by_people(write.record) else ""
        return self._palette.paint(bold, text)

    def _name(self, item: Entry | ChangeRecord) -> str:
        space = f" ({item.namespace})" if self._spaced and item.namespace else ""
        return inert(f"{item.gvk.printed}/{item.name}{space}")

    def _when(self, time: float) -> str:
        day, clock = day_and_clock(time)
        return f"{day[5:]} {clock[:8]}" if self._dated else clock[:8]

    def _line(
        self, time: float, text: str, *, people: bool = False, bound: str = ""
    ) -> str:
        mark = self._palette.paint(self._palette.name, "▸") if people else " "
        moment = self._when(at_latest(time) if bound else time)
        when = f"{bound or ' '}{moment}  "
        return self._hung(len(when) + 1, text, f"{mark}{when}")

    def _hung(self, indent: int, text: str, first: str = "") -> str:
        """Return *text* behind *first*, and its other lines behind an *indent*."""
        room = self._columns - indent
        lines = wrapped(text, room) if room > 20 else [text]
        return (first or " " * indent) + f"\n{' ' * indent}".join(lines)


def _order(write: Write) -> tuple[float, int]:
    """Sort writes as they came. One that nobody saw comes by its latest time."""
    time = write.edit.time if write.edit.source else write.record.time
    return time, write.number


def none_failed(
    summary: Summary, coverage: Coverage, began: float, until: float, *, damaged: bool
) -> str:
    """Return what can be said if *summary* knows of no failure in a time span.

    *damaged* says whether lines are missing.
    """
    none = no_failure(
        coverage,
        *(began, until),
        judged=summary.judged,
        unjudged=summary.unjudged(),
        damaged=damaged,
    )
    return none + not_well(len(summary.unwell(())))


def failure_lines(failure: Failure) -> list[str]:
    """Return a failure in lines: what fails, then what likely caused it."""
    sections = Sections(PLAIN, 0, full=True, days=1, spaces=2)
    what = inert(f"{failure.top.gvk.printed}/{failure.top.name}  {said(failure)}")
    return [what, *sections.causes(failure)]


def unwell_line(unwell: Unwell) -> str:
    """Return what is not well, in a line."""
    return f"{inert(f'{unwell.of.gvk.printed}/{unwell.of.name}')}  {_unwell(unwell)}"


def _unwell(unwell: Unwell) -> str:
    parts = [unwell.diagnosis.phase, unwell.diagnosis.summary]
    if (warned := unwell.warning) is not None:
        parts.append(f"Warning {warned.reason}: {warned.message}")
    return inert("  ".join(filter(None, parts)))


def fought(flap: Flap) -> str:
    """Return which field goes back and forth, how often, and who writes it, a line."""
    values = " ⇄ ".join(both_ends(_json(it), _VALUE) for it in flap.values)
    where = flap.pointer if not flap.label else f"{flap.pointer} ({flap.label})"
    lasted = duration(flap.last - flap.first)
    by = f": {', '.join(flap.managers)}" if flap.managers else ""
    often = f"{flap.returns} times in {lasted}, every {duration(flap.period)}"
    return inert(f"{where}  {values}  {often}{by}")


def _json(value: JSON) -> str:
    return value if isinstance(value, str) else dumps(value).decode("utf-8", "replace")

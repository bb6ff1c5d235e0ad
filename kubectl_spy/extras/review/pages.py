"""The text of a version: its change as `changes` prints it, or its whole object."""

from __future__ import annotations

from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import NamedTuple

from kubectl_spy.core.changes.earlier import earlier_of
from kubectl_spy.core.changes.lines import PastLine
from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.core.cluster.references import event_object
from kubectl_spy.core.fields import text
from kubectl_spy.core.headlines.headlines import Headline, Headlines
from kubectl_spy.core.patch.difference import operations_between
from kubectl_spy.core.remedy import diff_between, show_at
from kubectl_spy.render.columns import hanging
from kubectl_spy.render.denials import Denial, denied, no_events
from kubectl_spy.render.inert import inert
from kubectl_spy.render.moments import clock
from kubectl_spy.render.outline import outline
from kubectl_spy.render.palette import Palette
from kubectl_spy.render.text import TextRenderer, missed
from kubectl_spy.sources.recording.index import Index
from kubectl_spy.sources.recording.versions import history, records_at

_KEPT = 128  # versions that are kept in memory
_AHEAD = 16  # versions that are played with the one that is asked for
_LOST = "What changed is not known: its patch does not apply."


class Version(NamedTuple):
    """One version of an object, and what it means in a few words."""

    record: ChangeRecord
    headline: Headline


class Pages:
    """Renders versions in *index*. *columns* returns how wide they may be."""

    def __init__(
        self, index: Index, palette: Palette, columns: Callable[[], int]
    ) -> None:
        self._index = index
        self._file = index.recording.name
        self._palette = palette
        self._columns = columns
        self._kept: OrderedDict[int, Version | None] = OrderedDict()

    @property
    def no_gaps(self) -> str:
        """What to say if there is no GAP and no damage: also what was not read."""
        return denied(Denial.GAPS, self._index.coverage, *self._index.span)

    @property
    def no_events(self) -> str:
        """What to say if there is no Event of an object."""
        return no_events("such ", self._index.coverage, self._index.span[1])

    def version(self, line: int) -> Version | None:
        """Return the version that *line* shows, or None if it is lost."""
        if line not in self._kept:
            index = self._index
            of = index.lines(index.subject(line))
            ahead = min(bisect_left(of, line) + _AHEAD, len(of) - 1)
            self._play(of[ahead])
            if line not in self._kept:
                self._play(line)
            self._kept.setdefault(line, None)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return self._kept[line]

    def change(self, line: int, *, full: bool) -> list[str]:
        """Return the lines of a change. With *full*, nothing is folded."""
        version = self.version(line)
        if version is None:
            return self.wrapped(_LOST)
        record, headline = version
        if record.initial:
            record = record._replace(initial=False)
        text = self._renderer(full=full).render_record(record, headline)
        if not text:  # nothing but noise changed
            text = self._renderer(full=True).render_record(record, headline)
        lines = text.splitlines()
        if version.record.initial:
            lines.insert(1, self._faint("  already there when it was first listed"))
        subject = self._index.subject(line)
        seen = filter(self._index.is_version, self._index.lines(subject))
        if line == next(seen, None):
            lines += self._earlier(subject, full=full)
        return lines

    def _earlier(self, subject: int, *, full: bool) -> list[str]:
        """Return the lines of what else tells of the past of an object."""
        earlier = self._index.earlier.get(self._index.subjects[subject], ())
        renderer, lines = self._renderer(full=full), list[str]()
        for number, selection in earlier:
            line = self._index.line(number)
            with suppress(ValueError):
                assert isinstance(line, PastLine)
                write = earlier_of(line.members, line.time, selection)
                lines += renderer.render_earlier(write).splitlines()
        return ["", *lines] if lines else []

    def document(self, line: int) -> list[str]:
        """Return the lines of the whole object."""
        version = self.version(line)
        if version is None:
            return self.wrapped(_LOST)
        if version.record.document is None:
            return [*self.change(line, full=False), self._faint("  it is gone")]
        return outline(version.record.document)

    def difference(self, one: int, other: int) -> list[str]:
        """Return how the versions of two lines differ, the earlier one first."""
        versions = [self.version(line) for line in sorted((one, other))]
        lines, documents, keys = [], [], None
        for sign, version in zip(("-", "+"), versions, strict=True):
            if version is None:
                return self.wrapped(_LOST)
            record = version.record
            keys = self._index.recording.keys.of(record.selection)
            gone = "  gone" if record.gone else ""
            what = inert(f"{sign} {clock(record.time)}  {record.label}{gone}")
            lines.append(self._palette.paint(self._palette.name, what))
            documents.append(None if record.gone else record.document)
        patch = operations_between(*documents, keys=keys)
        text = self._renderer(full=True).render_patch(patch)
        return [*lines, *(text.splitlines() or ["  no difference"])]

    def comparison(self, one: int, other: int) -> str:
        """Return the command that compares two versions of one object."""
        seqs = self._seq(one), self._seq(other)
        version = self.version(other)
        subject = self._index.subjects[self._index.subject(other)]
        label = subject.label if version is None else version.record.label
        return diff_between(self._file, label, subject.namespace, seqs)

    def wrapped(self, text: str) -> list[str]:
        """Return the lines of *text*, wrapped."""
        return hanging(text, self._columns()).splitlines()

    def notices(self, line: int) -> list[str]:
        """Return what is missing or damaged at *line*."""
        found = [inert(str(each)) for each in self._index.damages_of(line)]
        if self._index.may_be_gap(line):
            gaps = (each for each in records_at(self._index, line) if each.of_stream)
            found += dict.fromkeys(map(missed, gaps))
        notice = self._palette.notice
        return [
            self._palette.paint(notice, part)
            for each in found
            for part in self.wrapped(each)
        ]

    def not_yet(self, subject: int, line: int) -> list[str]:
        """Return what to say of an object none of whose versions is shown yet.

        *line* is the first that the filters leave.
        """
        what = inert(self._index.subjects[subject].label)
        first = clock(self._index.times[line])
        seen = next(filter(self._index.is_version, self._index.lines(subject)))
        if line == seen:
            said = f"{what} was first seen at {first}: n goes there."
        else:
            said = (
                f"The first change of {what} that the filters leave is at {first}: "
                "n goes there."
            )
        return self.wrapped(said)

    def about(self, subject: int, line: int | None) -> int:
        """Return the object that an Event is about, as *line* says; else *subject*."""
        version = None if line is None else self.version(line)
        if version is None or version.record.gvk.kind != "Event":
            return subject
        about = event_object(version.record.document)
        wanted = tuple(text(about, each) for each in ("kind", "namespace", "name"))
        for number, each in enumerate(self._index.subjects):
            if (each.kind, each.namespace or "", each.name) == wanted:
                return number
        return subject

    def command(self, line: int) -> str:
        """Return the command that shows the object of *line* as it was then."""
        version = self.version(line)
        subject = self._index.subjects[self._index.subject(line)]
        label, gone = subject.label, False
        if version is not None:
            label, gone = version.record.label, version.record.gone
        seq = self._seq(line) - gone
        return show_at(self._file, label, subject.namespace, seq)

    def _seq(self, line: int) -> int:
        return self._index.line(line).seq

    def _play(self, last: int) -> None:
        for line, version in played(self._index, last):
            self._kept[line] = version
            self._kept.move_to_end(line)

    def _renderer(self, *, full: bool) -> TextRenderer:
        return TextRenderer(
            self._palette, zone=None, whole=False, full=full, columns=self._columns
        )

    def _faint(self, text: str) -> str:
        return self._palette.paint(self._palette.faint, text)


def played(index: Index, last: int) -> Iterator[tuple[int, Version]]:
    """Yield the versions of an object since it was whole, up to the line *last*."""
    headlines = Headlines()
    before: float | None = None
    for number, (line, record) in enumerate(history(index, last)):
        headline = headlines.of(record)
        elapsed = None if before is None else record.time - before
        before = record.time
        as_new = number == 0 and line != last and index.type(line) == "RELISTED"
        if not index.is_version(line) or (as_new and not index.is_initial(line)):
            continue
        yield line, Version(record._replace(elapsed=elapsed), headline)

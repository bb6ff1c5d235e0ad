"""Change records for people: their RFC 6902 patches as text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import tzinfo
from functools import lru_cache

from kubectl_spy.core.changes.earlier import PAST, EarlierWrite
from kubectl_spy.core.changes.narrowing import by_people
from kubectl_spy.core.changes.record import ChangeRecord, ChangeType, as_record
from kubectl_spy.core.headlines.edits import earlier_edit
from kubectl_spy.core.headlines.facts import Phrase
from kubectl_spy.core.headlines.headlines import NO_HEADLINE, Headline, summary
from kubectl_spy.core.headlines.noise import signal
from kubectl_spy.core.objects import GroupVersionKind, Selection
from kubectl_spy.core.patch.operation import PatchOperation
from kubectl_spy.core.wording import many
from kubectl_spy.render.columns import hanging
from kubectl_spy.render.inert import ASCII, inert
from kubectl_spy.render.moments import at_latest, clock, day_and_clock, duration
from kubectl_spy.render.operations import OperationLines
from kubectl_spy.render.outline import outline
from kubectl_spy.render.palette import Palette
from kubectl_spy.render.values import clipped, first_lines, inline

_REMEMBERED = 1024  # painted names that are cached
_DOCUMENT = 24  # lines of a new object that was not asked for by name


class TextRenderer:
    """Renders records as lines, with times in *zone*; None is the local one.

    *columns* returns the width of the terminal; None is a pipe with lines of any width.
    With *whole*, objects are shown in full, also those of the first list. Without, a
    first list is one line a type. With *short*, a record is one line. With *full*,
    nothing is folded.
    """

    def __init__(
        self,
        palette: Palette,
        *,
        zone: tzinfo | None,
        whole: bool,
        short: bool = False,
        full: bool = False,
        arrow: str = "→",
        columns: Callable[[], int] | None = None,
    ) -> None:
        self._palette = palette
        self._zone = zone
        self._whole = whole
        self._short = short
        self._full = full
        self._signs = {} if arrow == "→" else ASCII
        self._columns = columns
        self._folded = 0  # versions that were not shown since the last record
        self._operations = OperationLines(palette, arrow=arrow, columns=columns)
        self._named = lru_cache(_REMEMBERED)(self._name)
        self._day = ""
        self._time: float | None = None
        self._time_of_day = ""
        self._types = {
            ChangeType.ADDED: palette.paint(palette.good, "ADDED   "),
            ChangeType.MODIFIED: palette.paint(palette.change, "MODIFIED"),
            ChangeType.DELETED: palette.paint(palette.bad, "DELETED "),
            ChangeType.LEFT: palette.paint(palette.bad, "LEFT    "),
            ChangeType.GAP: palette.paint(palette.notice, "GAP     "),
        }

    def render_record(
        self, record: ChangeRecord, headline: Headline = NO_HEADLINE
    ) -> str:
        """Return the lines of *record*, each with its newline; "" for none.

        *headline* says what the record means.
        """
        if record.initial and not (self._whole or record.first):
            return ""
        reads = record.gvk.kind == "Event" and not (self._full or self._whole)
        if reads and (line := self._event(record)):
            return f"{self._fitted(line)}\n"
        patch, note = record.patch, ""
        if not (self._full or (self._short and headline)):
            patch, note = folded(record, headline)
            if note and not patch and not headline:
                self._folded += 1
                return ""
        if self._short:
            if not headline and (text := brief(patch)):
                headline = Headline((Phrase(text),))
            return f"{self._fitted(self._header(record, headline))}\n"
        header = self._header(record, headline)
        note = f"  {self._faint(f'… {note}')}" if note else ""
        header = self._fitted(header if patch else f"{header}{note}")
        lines = [*self._versions(), header, *self.body(record, patch)]
        if record.type is not ChangeType.ADDED and note and patch:
            lines.append(self._fitted(note))
        return "\n".join(lines) + "\n"

    def render_earlier(self, write: EarlierWrite) -> str:
        """Return the lines of a write that something else tells of: what it changed."""
        edit, palette = earlier_edit(write), self._palette
        times = sorted({write.time, write.until})
        seconds = [self._clock(each).rpartition(".")[0] for each in times]
        at = f"≈{'-'.join(seconds)}".translate(self._signs)
        parts = [
            self._faint(at),
            palette.paint(palette.notice, f"{PAST:8}"),
            self._named(write.gvk, write.name),
        ]
        if write.namespace and write.selection.namespace is None:
            parts.append(f"-n {inert(write.namespace)}")
        people = by_people(as_record(write))
        told = Headline((Phrase(edit.text(full=self._full)),))
        words = self._words(told, people=people)
        mark = palette.paint(palette.name, "▸".translate(self._signs))
        parts.append(f"{mark} {words}" if people else words)
        if write.managers:
            by = "by " + ", ".join(map(inert, write.managers))
            parts.append(palette.paint(palette.name, by) if people else by)
        parts.append(self._faint(inert(f"({write.source})")))
        lines = [self._fitted("  ".join(parts))]
        if not self._short:
            lines += self._operations.lines(write.patch)
        return "\n".join((*self._versions(), *lines)) + "\n"

    def body(
        self, record: ChangeRecord, patch: Sequence[PatchOperation]
    ) -> Sequence[str]:
        """Return the lines below the first: a new object, or *patch*."""
        if record.type is ChangeType.ADDED:
            return self._document(record)
        return self._operations.lines(patch)

    def _fitted(self, header: str) -> str:
        """Return *header* in as many lines as the terminal needs."""
        if self._columns is None:
            return header
        return hanging(header, self._columns())

    def render_rest(self) -> str:
        """Return the lines to print at the end."""
        return "".join(f"{line}\n" for line in self._versions())

    def _versions(self) -> list[str]:
        count, self._folded = self._folded, 0
        if not count:
            return []
        what = many(count, "version")
        return [self._faint(f"… {what} of times and the like not shown (--full)")]

    def _document(self, record: ChangeRecord) -> list[str]:
        if self._whole:
            document = outline(record.document)
        elif self._full:
            lines = first_lines(outline(record.document), _DOCUMENT)
            document = list(map(clipped, lines))
        else:
            summarized = (f"  {inert(line)}" for line in summary(record.document))
            return [
                part for line in summarized for part in self._fitted(line).splitlines()
            ]
        return [f"  {line}" for line in document]

    def _faint(self, text: str) -> str:
        shown = text.translate(self._signs) if self._signs else text
        return self._palette.paint(self._palette.faint, shown)

    def render_patch(self, patch: Sequence[PatchOperation]) -> str:
        """Return the lines of *patch* alone, each with its newline."""
        return "".join(f"{line}\n" for line in self._operations.lines(patch))

    def render_listed(self, selection: Selection, count: int, time: float) -> str:
        """Return the line for the *count* objects of a first list."""
        if self._whole:
            return ""
        where = f" in namespace {selection.namespace}" if selection.namespace else ""
        resource = selection.resource
        if resource.namespaced and not selection.namespace:
            where = " in all namespaces"
        kind = resource.gvk.printed if count == 1 else resource.group_resource
        what = inert(f"{count} {kind}{where}")
        at = self._faint(self._clock(time))
        return f"{at}  {self._faint('LISTED  ')}  {what}\n"

    def _header(self, record: ChangeRecord, headline: Headline) -> str:
        palette = self._palette
        at = self._clock(record.time)
        if record.bound:
            latest = self._clock(at_latest(record.time, 0.001))
            at = f"≤{latest}".translate(self._signs)
        parts = [self._faint(at), self._types[record.type]]
        if record.of_stream:
            since = clock(record.since or record.time, self._zone)
            parts += [
                palette.paint(palette.name, inert(record.selection.resource.plural)),
                f"versions since {since} may have been missed",
            ]
            return "  ".join(parts)
        parts.append(self._named(record.gvk, record.name))
        if record.namespace and record.selection.namespace is None:
            parts.append(f"-n {inert(record.namespace)}")
        if record.elapsed is not None:
            parts.append(self._faint(f"+{duration(record.elapsed)}"))
        people = by_people(record)
        words = [self._words(headline, people=people)] if headline else []
        if record.managers:
            by = "by " + ", ".join(map(inert, record.managers))
            words.append(palette.paint(palette.name, by) if people else by)
        if record.actor is not None:
            words.append(f"({inert(str(record.actor))})")
        if people:
            mark = palette.paint(palette.name, "▸".translate(self._signs))
            words = [f"{mark} {words[0]}" if words else mark, *words[1:]]
        parts += words
        if said := remark(record):
            parts.append(palette.paint(palette.notice, said))
        return "  ".join(parts)

    def _event(self, record: ChangeRecord) -> str:
        """Return what an Event says of which object, when it came; "" for nothing."""
        from kubectl_spy.core.cluster.events import cluster_event  # few runs need it
        from kubectl_spy.render.event_lines import said

        shows = isinstance(record.document, dict) and record.type is not ChangeType.GAP
        event = cluster_event(record.document if shows else {})
        if not event.name:
            return ""
        kind, about, what = said(event, self._palette)
        where = record.namespace if record.selection.namespace is None else None
        place = [f"-n {inert(where)}"] if where else []
        at = self._faint(self._clock(record.time))
        return "  ".join((at, f"{kind} ", about, *place, what))

    def _words(self, headline: Headline, *, people: bool) -> str:
        """Return a headline: what fails is red, and what *people* wrote is bold."""
        palette = self._palette
        usual = palette.name if people else ""
        if not headline.fails:
            words = palette.paint(usual, inert(str(headline)))
        else:
            words = " · ".join(
                palette.paint(palette.bad if each.fails else usual, inert(each.text))
                for each in headline.phrases
            )
        # Without signs, translating takes as long.
        return words.translate(self._signs) if self._signs else words

    def _name(self, gvk: GroupVersionKind, name: str) -> str:
        palette = self._palette
        return palette.paint(palette.name, inert(f"{gvk.printed}/{name}"))

    def _clock(self, time: float) -> str:
        """Return the time, with the date if it differs from that of the last record."""
        if time == self._time:  # records of one batch share it
            return self._time_of_day
        today, self._time_of_day = day_and_clock(time, self._zone)
        turned = self._day and self._day != today
        self._time, self._day = time, today
        return f"{today} {self._time_of_day}" if turned else self._time_of_day


def folded(
    record: ChangeRecord, headline: Headline
) -> tuple[tuple[PatchOperation, ...], str]:
    """Return the operations to show, and what to say of those that are folded.

    *headline* says what the record means.
    """
    patch, others, members = signal(record.patch, record.document, headline.phrases)
    more = [f"{sum(others.values())} more: {_kinds(others)}"] if others else []
    if members:
        what = many(sum(members.values()), "member")
        more.append(f"{what} left out of values: {_kinds(members)}")
    return tuple(patch), "; ".join(more)


def written_differently(counted: dict[str, int]) -> str:
    """Return what to say of operations that change no value, counted by kind; or "".

    >>> written_differently({"quantities": 2})
    '2 only written differently: quantities'
    """
    if not counted:
        return ""
    return f"{sum(counted.values())} only written differently: {_kinds(counted)}"


def missed(gap: ChangeRecord) -> str:
    """Return the line of a GAP of a whole stream, with local times."""
    since, until = (
        clock(gap.time if time is None else time) for time in (gap.since, gap.until)
    )
    what = inert(gap.gvk.printed)
    return f"GAP: changes of {what} objects between {since} and {until} may be missing"


def remark(record: ChangeRecord) -> str:
    """Return what the type of *record* does not say."""
    if record.first:
        return "first remembered version"
    if record.initial:
        return "already there"
    if record.type is ChangeType.LEFT:
        return "deleted, or no longer matching the selector"
    if record.inferred:
        return "found gone; when and how was missed"
    if record.type is ChangeType.GAP:
        return "versions in between were, or may have been, missed"
    if record.listed:
        return "made earlier"
    return ""


def _kinds(counted: dict[str, int]) -> str:
    return ", ".join(sorted(counted))


def brief(patch: Sequence[PatchOperation]) -> str:
    """Return the first operations of *patch*, for a record without a headline."""
    texts = [_operation(step) for step in patch[:2]]
    if others := len(patch) - len(texts):
        texts.append(f"{others} more")
    return " · ".join(texts)


def _operation(step: PatchOperation) -> str:
    old, new = inline(step.old), inline(step.value)
    path = f"{step.label} {step.path}".lstrip()
    if step.op == "remove":
        return f"{path} removed"
    if step.op == "add":
        return f"{path} {new or 'added'}"
    return f"{path} {old} → {new}" if old and new else f"{path} changed"

"""The view of `export -o html`: a recording as one page, for an incident report."""

from __future__ import annotations

import time
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import timezone
from typing import NamedTuple

from kubectl_spy import __version__
from kubectl_spy.cli.run.view import Scene, View, ViewSpec
from kubectl_spy.core.answer.failure import Failure
from kubectl_spy.core.changes.contents import Asked, ObjectRow
from kubectl_spy.core.changes.earlier import EarlierWrite
from kubectl_spy.core.changes.narrowing import Narrowing
from kubectl_spy.core.changes.projection import Excerpt, Projection
from kubectl_spy.core.changes.record import (
    Aside,
    ChangeRecord,
    Item,
    Logged,
    as_record,
)
from kubectl_spy.core.cluster.entry import Entry
from kubectl_spy.core.cluster.events import is_event
from kubectl_spy.core.fields import text
from kubectl_spy.core.headlines.headlines import NO_HEADLINE, Headline, Headlines
from kubectl_spy.core.remedy import kubectl
from kubectl_spy.core.summary.summary import Summary
from kubectl_spy.core.wording import in_brief, many
from kubectl_spy.extras.report.change_html import ChangesHtml
from kubectl_spy.extras.report.recording_html import (
    RecordingPage,
    Row,
    Section,
    Shown,
    Timeline,
    Told,
)
from kubectl_spy.render.contents import made_earlier
from kubectl_spy.render.denials import Denial, denied, lacks, not_well
from kubectl_spy.render.moments import day_and_clock, duration
from kubectl_spy.render.summary import failure_lines, fought, unwell_line
from kubectl_spy.render.values import byte_size
from kubectl_spy.sources.recording.recording import Recording
from kubectl_spy.sources.recording.segments import is_read_once

# What the page of a recording says of the whole: its extent, and what is missing.

MOST_GAPS = 50
"""The most GAPs, and the most damages, that are listed."""


def extent(recording: Recording, began: float, ended: float) -> str:
    """Return from when to when the page is, in UTC, and of which context."""
    first, last = _times(began, ended)
    lasted = duration(max(ended - began, 0.0))
    context = recording.header.get("context")
    where = f", context {context}" if context else ""
    return f"{first} to {last} ({lasted}){where}"


def counts(
    objects: str, changes: int, late: int, failures: str, whole: Iterable[str]
) -> str:
    """Return what a page holds: *objects* and *failures* in words, and what is missing.

    Of *changes*, so many were made earlier: *late*.
    """
    changed = many(changes, "change") if changes else "no changes"
    earlier = [made_earlier(late)] if late else []
    return ", ".join([objects, changed, failures, *whole, *earlier])


class Missing(NamedTuple):
    """A time in which changes may be missing, and a sentence on which."""

    since: float
    until: float
    said: str


def missing(gaps: Iterable[ChangeRecord]) -> list[Missing]:
    """Return what *gaps* mean, as one for all types that lack the same time."""
    kinds: dict[tuple[float, float, str], dict[str, None]] = {}
    for gap in gaps:
        times = gap.since or gap.time, gap.until or gap.time
        label = "" if gap.of_stream else gap.full_label
        kinds.setdefault((*times, label), {})[gap.gvk.printed] = None
    found = []
    for (since, until, label), of in sorted(kinds.items()):
        first, last = _times(since, until)
        when = f"between {first} and {last}" if since < until else f"before {first}"
        what = f"versions of {label}" if label else f"changes of {in_brief([*of], 6)}"
        found.append(Missing(since, until, f"GAP: {what} {when} may be missing"))
    return found


def notices(
    recording: Recording,
    gaps: Sequence[Missing],
    warnings: Iterable[str],
) -> Iterator[tuple[str, str]]:
    """Yield the *warnings*, and what *recording* lacks.

    Each comes with an id for its element. Times are in UTC.
    """
    for number, said in enumerate(warnings, 1):
        yield f"w{number}", f"{said}."
    for number, gap in enumerate(gaps[:MOST_GAPS], 1):
        yield f"g{number}", gap.said
    if len(gaps) > MOST_GAPS:
        yield "gaps", f"{many(len(gaps) - MOST_GAPS, 'more GAP')}."
    damages = recording.damages
    for number, each in enumerate(damages[:MOST_GAPS], 1):
        where = "The last line is torn" if each.torn else f"Line {each.line} is damaged"
        yield f"d{number}", f"{where}: {each.reason}"
    if len(damages) > MOST_GAPS:
        yield "damages", f"{many(len(damages) - MOST_GAPS, 'more damaged line')}."
    if text(recording.header, "redaction", "secrets") == "shown":
        yield "secrets", "The values of Secrets are not masked in this recording."


def _times(began: float, ended: float) -> tuple[str, str]:
    """Return two times, the second one without a date that is the same."""
    (day, first), (until, last) = (
        day_and_clock(each, timezone.utc) for each in (began, ended)
    )
    dated = "" if day == until else f"{until} "
    return f"{day} {first[:8]}Z", f"{dated}{last[:8]}Z"


MOST_CHANGES = 5_000
"""The most changes of a page."""
LARGEST = 16_000_000
"""The most characters of the changes of a page."""
_EVENTS = ("", "Event", None, "")  # the key of the section of all Events
Key = tuple[str, str, str | None, str]


def recording_page(narrowing: Narrowing, words: Sequence[str]) -> ViewSpec:
    """Return the view of `export -o html`.

    *words* are the targets and flags that choose a part of the recording.
    """
    return ViewSpec(
        make=lambda scene: RecordingPageView(narrowing, words, scene),
        silent=True,
        document=True,
    )


class RecordingPageView(View):
    """Prints the page at the end."""

    def __init__(
        self, narrowing: Narrowing, words: Sequence[str], scene: Scene
    ) -> None:
        if scene.recording is None:
            raise TypeError("it shows recordings only")
        self._recording: Recording = scene.recording
        self._file = (
            "FILE" if is_read_once(scene.recording.file) else scene.recording.file
        )
        self._terminal = scene.terminal
        self._ended = 0.0
        self._projection = Projection(Excerpt(), narrowing=narrowing)
        self._headlines = Headlines()
        self._began = max(self._recording.began, scene.since)
        self._html = ChangesHtml(day_and_clock(self._began, timezone.utc)[0])
        self._times = array("d")
        self._summary = Summary(scene.scope, lambda record: True)
        self._coverage = scene.scope.coverage
        self._declared = () if words else scene.recording.declared
        self._sections: dict[Key, list[Shown]] = {}
        self._shown = self._size = self._left_out = 0
        self._left_from = 0.0  # the time of the first change that was left out
        self._asked = [f"Only: {' '.join(words)}"] if words else []

    def take(self, item: Item | Aside, *, shown: bool = True) -> None:
        if isinstance(item, Logged):
            self._summary.log(item)
        elif not isinstance(item, ChangeRecord):
            change = as_record(item) if isinstance(item, EarlierWrite) else None
            self._summary.observe(item, change)
        elif shown:
            # Of what is left out nobody reads a headline.
            headline = NO_HEADLINE if self._is_full else self._headlines.of(item)
            found = self._projection.narrowed(item)
            self._summary.observe(item, found)
            if found is not None:
                self._take(found, headline)
        else:
            self._summary.observe(item, None)
            self._headlines.of(item)
            self._projection.narrowed(item, shown=False)

    def flush(self, now: float) -> str:
        """Note the end of what is shown. Return ""."""
        self._ended = now
        return ""

    def final(self) -> str:
        """Return the page."""
        self._summary.pass_time(self._ended)
        for notice in self._warnings():
            self._terminal.say(f"warning: {notice}")
        return self._page().html()

    @property
    def _is_full(self) -> bool:
        return self._shown >= MOST_CHANGES or self._size >= LARGEST

    def _take(self, record: ChangeRecord, headline: Headline) -> None:
        if record.of_stream or record.initial:
            return
        self._times.append(record.time)
        if self._is_full:
            self._left_from = self._left_from or record.time
            self._left_out += 1
            return
        change = self._html.change(record, headline)
        self._shown += 1
        self._size += len(change.said) + len(change.body)
        shown = Shown(f"c{self._shown}", record.full_label, record.time, change)
        self._sections.setdefault(_key(record), []).append(shown)

    def _page(self) -> RecordingPage:
        rows = self._summary.contents.rows("changes")
        sections = {key: f"o{number}" for number, key in enumerate(self._sections, 1)}
        known = {_key(row) for row in rows}
        failures = [
            each
            for each in self._summary.failures(self._began)
            if known & set(_keys(each))
        ]
        failing = Counter(key for each in failures for key in _keys(each))
        table = [
            Row(row, failing[key], sections.get(key, ""))
            for row in rows
            if (key := _key(row)) != _EVENTS
        ]
        table.sort(key=lambda each: not each.failures)
        order = {each.section: None for each in table if each.section}
        keys = {name: key for key, name in sections.items()}
        order.update(dict.fromkeys(keys))  # the Events come last
        now = " ".join(day_and_clock(time.time(), timezone.utc))[:19]
        recording, gaps = self._recording, missing(self._summary.contents.gaps)
        unwell = self._summary.unwell(failures)
        said, whole = self._missing(len(failures), len(gaps))
        said += not_well(len(unwell))
        return RecordingPage(
            title=_title(recording.file),
            facts=[
                extent(recording, self._began, self._ended),
                counts(
                    Asked(self._declared).counted(rows),
                    len(self._times),
                    self._summary.contents.late,
                    said,
                    whole,
                ),
                *self._asked,
            ],
            notices=list(notices(recording, gaps, self._warnings())),
            timeline=self._timeline(gaps, [each.began for each in failures]),
            fights=[
                Told(
                    [f"{each.record.full_label}  {fought(each)}"],
                    each.first,
                    each.last,
                    sections.get(_key(each.record), ""),
                )
                for each in self._summary.flaps.found()
                if each.is_fight and each.last >= self._began
            ],
            failures=[
                Told(
                    failure_lines(each),
                    each.since,
                    each.until,
                    sections.get(_key(each.top), ""),
                    each.bound,
                )
                for each in failures
            ],
            unwell=[
                Told(
                    [unwell_line(each)],
                    each.since,
                    None,
                    sections.get(_key(each.of), ""),
                )
                for each in unwell
            ],
            causes=kubectl("spy summary {}", self._file),
            rows=table,
            sections=[self._section(keys[name], name) for name in order],
            made=f"Made by kubectl-spy {__version__} at {now}Z from "
            f"{self._file}, which kubectl spy review shows as a whole.",
        )

    def _missing(self, failures: int, gaps: int) -> tuple[str, list[str]]:
        """Return how many failures and gaps there are, and what is not known."""
        span = self._coverage, self._began, self._ended, timezone.utc
        lacking = lacks(*span)
        whole = [many(gaps, "gap"), *lacking] if gaps else [denied(Denial.GAPS, *span)]
        if failures:
            return many(failures, "failure"), whole
        # The first of two sentences names what both do not cover.
        return denied(Denial.FAILURE, *span), whole[: not lacking or gaps > 0]

    def _section(self, key: Key, name: str) -> Section:
        """Return the changes of an object, or of all Events, as section *name*."""
        file, changes = self._file, self._sections[key]
        if key == _EVENTS:
            see = kubectl("spy events {}", file)
            return Section(name, "Kubernetes Events", see, changes)
        label, space = changes[0].label, key[2]
        named = label.removesuffix(f" -n {space}")
        see = kubectl("spy changes {} {}", file, named, namespace=space)
        return Section(name, label, see, changes)

    def _warnings(self) -> Iterator[str]:
        if self._left_out:
            since = " ".join(day_and_clock(self._left_from, timezone.utc))[:19]
            what = many(self._left_out, "change")
            yield (
                f"{what} of {len(self._times):,} from {since}Z on are left out: a "
                f"page has at most {MOST_CHANGES:,} changes and "
                f"{byte_size(LARGEST)}. Choose fewer with --since, --until or a "
                "TARGET"
            )

    def _timeline(self, gaps: Sequence[Missing], failures: Sequence[float]) -> Timeline:
        shown = sorted(
            (each.time, each.id) for of in self._sections.values() for each in of
        )
        return Timeline(
            begin=self._began,
            end=max(self._ended, self._began),
            times=sorted(self._times),
            failures=[max(each, self._began) for each in failures],
            gaps=[
                (gap.since, gap.until, f"g{number}")
                for number, gap in enumerate(gaps[:MOST_GAPS], 1)
            ],
            shown=shown,
        )


def _keys(failure: Failure) -> set[Key]:
    """Return the keys of what fails, and of the top object above it."""
    return {_key(each) for each in (failure.top, failure.of) if each is not None}


def _key(of: ChangeRecord | ObjectRow | Entry) -> Key:
    if is_event(of.gvk):
        return _EVENTS
    return of.gvk.group, of.gvk.kind, of.namespace, of.name


def _title(name: str) -> str:
    return "Recording" if is_read_once(name) else name.rpartition("/")[2]

"""The bookmarks of a recording as a Markdown postmortem."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from contextlib import closing
from math import inf
from pathlib import Path

from kubectl_spy.core.cluster.scope import Scope
from kubectl_spy.core.remedy import kubectl
from kubectl_spy.core.summary.summary import Summary
from kubectl_spy.core.times import rfc3339
from kubectl_spy.core.wording import many
from kubectl_spy.errors import SpyError
from kubectl_spy.extras.review.bookmarks import Bookmarks
from kubectl_spy.extras.review.pages import Pages
from kubectl_spy.extras.review.playing import Playing, declared_first
from kubectl_spy.render.inert import inert
from kubectl_spy.render.moments import day_and_clock, duration, offset
from kubectl_spy.render.palette import PLAIN
from kubectl_spy.render.summary import failure_lines, fought
from kubectl_spy.sinks.terminal import Terminal
from kubectl_spy.sources.recording.index import Index
from kubectl_spy.sources.recording.notes import Note

_COLUMNS = 100
_MOST = 100_000  # the lines of a recording of which the failures are looked for
_SPECIAL = re.compile(r"([\\`*_\[\]<>#|&])")


def postmortem(index: Index, notes: Mapping[int, Note]) -> str:
    """Return the versions with *notes*, by line, as Markdown.

    Changes are as `review` shows them, each with the command that shows it again.
    """
    pages = Pages(index, PLAIN, lambda: _COLUMNS)
    return "".join(f"{line}\n" for line in _lines(index, pages, notes))


def print_postmortem(name: str, terminal: Terminal) -> None:
    """Print the bookmarks of the recording *name*, in Markdown.

    Raises SpyError if it cannot be read, or has none.
    """
    with closing(Index(name)) as index:
        index.grow(inf)
        bookmarks = Bookmarks(index)
        said = bookmarks.read()
        if not bookmarks.lines:
            raise SpyError(
                said or f"{name} has no bookmarks",
                "" if said else "set some with the key a of kubectl spy review",
            )
        text = postmortem(index, bookmarks.notes)
    terminal.write_utf8()
    terminal.write(text)
    if bookmarks.lost:
        terminal.say(f"warning: {said}")


def place_for(path: Path) -> Path:
    """Return a name for a postmortem beside the recording at *path*, not yet taken."""
    number = 1
    while True:
        more = f".{number}" if number > 1 else ""
        place = path.with_name(f"{path.name}.postmortem{more}.md")
        if not place.exists():
            return place
        number += 1


def _lines(index: Index, pages: Pages, notes: Mapping[int, Note]) -> Iterator[str]:
    recording = index.recording
    name = recording.name
    yield f"# {_escaped(name.rpartition('/')[2])}"
    yield ""
    began, ended = recording.began, recording.last
    first, last = (" ".join(day_and_clock(each)) for each in (began, ended))
    yield (
        f"Recorded {first}{offset(began)} to {last} ({duration(ended - began)}). "
        f"{many(len(notes), 'bookmark')}."
    )
    yield from _failed(index)
    for line, note in sorted(notes.items()):
        day, at = day_and_clock(note.time)
        where = f" -n {note.namespace}" if note.namespace else ""
        yield ""
        yield f"## {day} {at} {_escaped(f'{note.kind.lower()}/{note.name}{where}')}"
        yield ""
        if note.text:
            yield _escaped(note.text)
            yield ""
        yield from (f"    {each}" for each in pages.change(line, full=False))
        yield ""
        yield f"{rfc3339(note.time)}, and the same on a command line:"
        yield ""
        yield f"    {_command(index, pages, line)}"


def _failed(index: Index) -> Iterator[str]:
    """Yield fights, what failed and which change likely did it, as `summary` says."""
    if len(index) > _MOST:
        see = kubectl("spy summary {}", index.recording.name)
        yield from ("", "What failed, and which change likely did it, says:", "")
        yield f"    {see}"
        return
    summary = Summary(Scope(others=declared_first(index)), lambda record: True)
    playing = Playing(index)
    for line in range(len(index)):
        for item in playing.items(line):
            summary.take(item)
    fights = [each for each in summary.flaps.found() if each.is_fight]
    if fights:
        yield from ("", "## Fights", "")
    for fight in fights:
        yield f"- {_escaped(f'{fight.record.full_label}  {fought(fight)}')}"
    failures = summary.failures()
    for title, lasting in (("Fails at the end", True), ("Failed for a time", False)):
        found = [each for each in failures if (each.until is None) is lasting]
        if not found:
            continue
        yield from ("", f"## {title}", "")
        for each in found:
            what, *causes = failure_lines(each)
            day, at = day_and_clock(each.began)
            until = "" if each.until is None else f", until {rfc3339(each.until)}"
            when = f"{rfc3339(each.began)} ({day} {at[:8]} local){until}"
            yield f"- {when}: {_escaped(what)}"
            yield from (f"  {_escaped(cause)}" for cause in causes)


def _command(index: Index, pages: Pages, line: int) -> str:
    """Return the command that shows the change in *line* again."""
    of = index.lines(index.subject(line))
    at = bisect_left(of, line)
    before = at and of[at - 1] >= index.run_of(line)
    if index.type(line) == "MODIFIED" and before:
        return pages.comparison(of[at - 1], line)
    return pages.command(line)


def _escaped(text: str) -> str:
    """Return *text* as one line that Markdown shows as it is."""
    return _SPECIAL.sub(r"\\\1", inert(text))

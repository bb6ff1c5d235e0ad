"""The lists of objects and of versions, and the text of a change."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable

from rich.text import Text
from textual.message import Message

from kubectl_spy.core.changes.record import ChangeType
from kubectl_spy.core.wording import many
from kubectl_spy.extras.review.pages import Pages
from kubectl_spy.extras.review.rows import Lines, Rows
from kubectl_spy.extras.review.session import Session
from kubectl_spy.render.inert import inert
from kubectl_spy.render.moments import clock

_SIGNS = {
    "ADDED": ("+", "green"),
    "RELISTED": ("?", "magenta"),
    "DELETED": ("-", "red"),
    "LEFT": ("-", "red"),
    "GAP": ("?", "magenta"),
}
_GONE = ("DELETED", "LEFT")


class ObjectsPane(Rows):
    """The objects, and how many versions of each are shown."""

    def __init__(self, session: Session, chosen: Callable[[int], None]) -> None:
        super().__init__(chosen, id="objects")
        self._session = session

    def refill(self) -> None:
        """Show what the filter leaves."""
        objects = self._session.objects
        chosen = self._session.subject
        cursor = objects.index(chosen) if chosen in objects else -1
        self.show_rows(len(objects), cursor)

    def row(self, number: int) -> Text:
        """Return an object: faint while it is not there."""
        session = self._session
        index = session.index
        subject = session.objects[number]
        lines = index.lines(subject)
        at = bisect_right(lines, session.clock)
        there = at > 0 and index.type(lines[at - 1]) not in _GONE
        named = index.subjects[subject]
        count = f"{session.count_of(subject):,}"
        width = max(8, self.scrollable_content_region.width - len(count) - 1)
        text = Text(inert(named.label), style="" if there else "dim")
        within = Text(style="dim")
        if named.namespace and index.has_several_namespaces:
            within.append(f" -n {inert(named.namespace)}")
        # Of a name and a namespace that are too long, something is left of both.
        within.truncate(max(width - text.cell_len, width // 3), overflow="ellipsis")
        text.truncate(width - within.cell_len, overflow="ellipsis")
        text.append(within)
        text.truncate(width, pad=True)
        return text.append(f" {count}", style="dim")


class VersionsPane(Rows):
    """The versions of the object that is chosen."""

    def __init__(
        self, session: Session, pages: Pages, chosen: Callable[[int], None]
    ) -> None:
        super().__init__(chosen, id="versions")
        self._session = session
        self._pages = pages

    def refill(self) -> None:
        """Show the versions, with the one at the clock chosen."""
        versions = self._session.versions(self._session.subject)
        self.show_rows(len(versions), bisect_right(versions, self._session.clock) - 1)

    def row(self, number: int) -> Text:
        """Return a version in one line."""
        index = self._session.index
        line = self._session.versions(self._session.subject)[number]
        sign, style = _SIGNS.get(index.type(line), ("~", "yellow"))
        text = Text(sign, style=style)
        version = self._pages.version(line)
        moment = index.times[line] if version is None else version.record.time
        text.append(f" {clock(moment)} ", style="dim")
        if version is None:
            return text.append("lost", style="magenta")
        record, headline = version
        words = headline or ", ".join(record.managers)
        words = words or many(len(record.patch), "operation")
        if record.type is ChangeType.ADDED and not headline:
            words = "already there" if record.initial else "added"
        if record.gone:
            words = "deleted" if record.type is ChangeType.DELETED else "left"
        return text.append(inert(words))


class ChangePane(Lines):
    """The text of a version."""

    class Resized(Message):
        """There is another width to wrap the text to."""

    def __init__(self) -> None:
        super().__init__(id="change")

    def on_resize(self) -> None:
        """Say so, once the new width is known."""
        self.post_message(self.Resized())

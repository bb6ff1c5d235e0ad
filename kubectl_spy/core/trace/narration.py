"""The news in a series of pictures: lasting states, failures, warnings and changes."""

from __future__ import annotations

import re
from typing import NamedTuple

from kubectl_spy.core.answer.failure import in_general
from kubectl_spy.core.changes.record import Logged
from kubectl_spy.core.cluster.events import ClusterEvent
from kubectl_spy.core.diagnosis.finding import Finding
from kubectl_spy.core.headlines.edits import Edit
from kubectl_spy.core.trace.failing import kind_of
from kubectl_spy.core.trace.picture import Node, Picture

_LASTS = 1.0
"""Seconds for which the state of a root must last to be reported."""
_REMEMBERED = 1000
"""The most news to remember that is in the picture no more."""
_NUMBERS = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{8,}|\d+")
"""What differs in logs that are alike: uids, hashes, times and other numbers."""


class News(NamedTuple):
    """One piece of news about a node, or about several that fail alike."""

    time: float
    """When it began."""
    node: Node
    others: int = 0
    """How many more nodes fail alike."""
    finding: Finding | None = None
    event: ClusterEvent | None = None
    edit: Edit | None = None
    log: Logged | None = None


class Narration:
    """Reports lasting states of roots, failures, warnings, logs and changes of specs.

    Repetitions are reported at 1, 10, 100 times. All news waits for a second, so that
    it comes in the order in which it began.
    """

    def __init__(self) -> None:
        self._states: dict[str, object] = {}
        """The reported state of each root."""
        self._pending: dict[str, tuple[object, News]] = {}
        """The state of each root that has not lasted long enough yet."""
        self._waiting: list[News] = []
        self._times: dict[object, int] = {}
        """How often each failure began, or how many nodes had it at once, if more.

        The last one to be seen comes last.
        """
        self._counted = 0
        """How many of them are in this picture, at most."""
        self._failing: set[object] = set()
        self._named: dict[object, str] = {}
        """The uid of the node that the first line about each failure named."""

    def observe(self, picture: Picture, time: float) -> list[News]:
        """Take in *picture* at *time*. Return the news in order of beginning."""
        self._counted = 0
        news = self._due(picture.time - _LASTS)  # what lasted until this picture
        for root in picture.roots:
            self._look(root, News(picture.time, root))
        for node in picture.all():
            if edit := picture.seen.get(node.uid):
                self._count((node.uid, edit), 1, News(edit.time, node, edit=edit))
        self._look_for_failures(picture)
        self._look_for_warnings(picture)
        for about in [*self._times][: -max(_REMEMBERED, self._counted)]:
            del self._times[about]
            self._named.pop(about, None)
        return news + self._due(time - _LASTS)

    def rest(self) -> list[News]:
        """Return the news that was not reported yet."""
        return self._due(float("inf"))

    def _look(self, root: Node, item: News) -> None:
        key = (root.phase, root.verdict, root.summary)
        if self._states.get(root.uid) == key:
            self._pending.pop(root.uid, None)
        elif self._pending.get(root.uid, ("", None))[0] != key:
            self._pending[root.uid] = key, item

    def _look_for_failures(self, picture: Picture) -> None:
        alike: dict[object, list[tuple[Node, Finding | None]]] = {}
        for root in picture.roots:
            for node, finding in root.failing():
                if finding is not None or node is not root:
                    about = kind_of(node, finding)
                    alike.setdefault(about, []).append((node, finding))
        for about, found in alike.items():
            uid = self._named.setdefault(about, found[0][0].uid)
            node, finding = next(
                (each for each in found if each[0].uid == uid), found[0]
            )
            again = self._times.get(about, 0) + (about not in self._failing)
            item = News(picture.time, node, len(found) - 1, finding)
            self._count(about, max(again, len(found)), item)
        self._failing = set(alike)

    def _look_for_warnings(self, picture: Picture) -> None:
        for node in picture.all():
            for finding in node.findings:
                if log := picture.logs.get((node.uid, finding.about)):
                    text = "\n".join(log.lines).replace(node.name, "")
                    lines = _NUMBERS.sub("#", text)
                    item = News(log.time, node, log=log)
                    self._count(("log", log.run.container, lines), 1, item)
            for event in node.events:
                if event.warning:
                    item = News(picture.time, node, event=event)
                    message = in_general(event.message, node.name)
                    about = node.gvk.kind, event.reason, message
                    self._count(about, event.times, item)

    def _count(self, about: object, times: int, item: News) -> None:
        """Note that *about* happened so many *times*. Report it at 1, 10, 100."""
        self._counted += 1
        before = self._times.pop(about, 0)
        self._times[about] = max(before, times)
        if times > before and (len(str(times)) > len(str(before)) or not before):
            self._waiting.append(item)

    def _due(self, until: float) -> list[News]:
        news = [each for each in self._waiting if each.time <= until]
        self._waiting = [each for each in self._waiting if each.time > until]
        for uid, (key, item) in [*self._pending.items()]:
            if item.time <= until:
                self._states[uid] = key
                del self._pending[uid]
                news.append(item)
        return sorted(news, key=lambda each: each.time)

"""A trace as a tree: what there is at one moment."""

from __future__ import annotations

from collections.abc import Iterator

from kubectl_spy.core.events import ClusterEvent
from kubectl_spy.core.trace.picture import Node, Picture, Spell, Verdict
from kubectl_spy.render.inert import inert
from kubectl_spy.render.moments import duration
from kubectl_spy.render.tracing.parts import Parts, telling

_RECENT = 600.0
"""Seconds for which an Event about an object that works stays in the tree."""
_EVENTS = 3
"""Events that the tree shows of one object at the most."""
_SPELLS = 4


class TreeRenderer:
    """Renders pictures. *unicode* False draws with ASCII."""

    def __init__(self, parts: Parts, *, unicode: bool = True) -> None:
        self._parts = parts
        self._branches = (
            ("├─ ", "└─ ", "│  ", "   ") if unicode else ("|- ", "`- ", "|  ", "   ")
        )

    def tree(self, picture: Picture, now: float, *, height: int = 0) -> list[str]:
        """Return the lines of the tree, at *now* (seconds since the epoch).

        With *height*, what is as it should be is folded until so many lines are
        enough; what cannot be folded is cut off, and that is said.
        """
        lines: list[str] = []
        for detail in (3, 2, 1, 0):
            lines = [
                line
                for root in picture.roots
                for line in self._lines(root, now, detail, "", "", root=True)
            ]
            if not height or len(lines) <= height:
                return lines
        more = len(lines) - height + 1
        note = f"{more} more lines, for which there is no room here"
        return [*lines[: height - 1], self._parts.faint(note)]

    def _lines(
        self,
        node: Node,
        now: float,
        detail: int,
        branch: str,
        inner: str,
        *,
        root: bool = False,
    ) -> Iterator[str]:
        yield branch + self._line(node, now, detail)
        shown, folded = _children(node, detail)
        bar = inner + (self._branches[2] if shown or folded else self._branches[3])
        for finding in node.findings:
            if root or telling(node, finding):
                yield bar + self._parts.finding(finding, now)
        for event in _notable(node, now, detail):
            past = node.verdict is Verdict.OK
            yield bar + self._parts.event(event, now, past=past)
        for place, child in enumerate(shown):
            last = place == len(shown) - 1 and not folded
            yield from self._lines(
                child,
                now,
                detail,
                inner + self._branches[1 if last else 0],
                inner + self._branches[3 if last else 2],
            )
        if folded:
            many = f"{folded} more, all as they should be"
            mark = self._parts.mark(Verdict.OK)
            yield f"{inner}{self._branches[1]}{mark} {self._parts.faint(many)}"

    def _line(self, node: Node, now: float, detail: int) -> str:
        parts = [f"{self._parts.mark(node.verdict)} {self._parts.name(node)}"]
        if node.role:
            parts.append(self._parts.faint(inert(node.role)))
        parts.append(self._parts.phase(node.phase, node.verdict))
        if node.summary:
            parts.append(inert(node.summary))
        if node.since is not None and not node.final:
            parts.append(self._parts.faint(duration(max(now - node.since, 0))))
        if detail >= 2 and node.before:
            parts.append(self._parts.faint(f"(after {self._spells(node.before)})"))
        return "  ".join(parts)

    def _spells(self, before: tuple[Spell, ...]) -> str:
        shown = [
            f"{inert(spell.phase)} {duration(spell.seconds)}"
            if spell.seconds is not None
            else inert(spell.phase)
            for spell in before[-_SPELLS:]
        ]
        return ", ".join(shown)


def _children(node: Node, detail: int) -> tuple[list[Node], int]:
    """Return which children to show, and how many fine ones are folded."""
    if detail >= 2:
        return list(node.children), 0
    shown = [each for each in node.children if not _fine(each)]
    fine = len(node.children) - len(shown)
    if detail == 1 and fine == 1:
        return list(node.children), 0
    return shown, fine


def _fine(node: Node) -> bool:
    return all(each.verdict is Verdict.OK for each in node.all())


def _notable(node: Node, now: float, detail: int) -> list[ClusterEvent]:
    """Return the Events that the tree shows beside an object, the latest last."""
    fine = node.verdict is Verdict.OK
    if detail == 0 or (fine and detail < 3):
        return []
    found = []
    for event in node.events:
        last = event.last if event.seen is None else event.seen
        recent = last is not None and now - last <= _RECENT
        if event.warning and (recent or not fine):
            found.append(event)
    if not fine and node.events and not node.events[-1].warning:
        found.append(node.events[-1])
    return found[-_EVENTS if detail >= 2 else -1 :]

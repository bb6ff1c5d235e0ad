"""A trace as a tree, at one moment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from kubectl_spy.core.cluster.events import ClusterEvent
from kubectl_spy.core.diagnosis.finding import Finding, Verdict
from kubectl_spy.core.remedy import NO_REMEDY
from kubectl_spy.core.trace.picture import Node, Picture, Spell
from kubectl_spy.render.inert import inert
from kubectl_spy.render.moments import duration
from kubectl_spy.render.tracing.parts import Parts, telling

_RECENT = 600.0
"""Seconds for which the tree shows an Event about an object that is OK."""
_EVENTS = 3
"""Events of one object in the tree."""
_SPELLS = 4
"""Earlier phases of one object in the tree."""
_AROUND = 14
"""Columns of a finding beside text and remedy: mark, time and arrow."""
_WAITING = 2
"""Waiting children that are shown where there is little room."""
_WAITING_FOLDED, _OK_FOLDED, _FEW_EVENTS, _ALL = range(4)
"""Levels of detail."""


class _Drawing(NamedTuple):
    """The settings of all lines of one drawing."""

    now: float
    detail: int
    width: int


class _Line(NamedTuple):
    """A line, and whether it shows a failure."""

    text: str
    failing: bool


class TreeRenderer:
    """Renders pictures, without *unicode* in ASCII."""

    def __init__(self, parts: Parts, *, unicode: bool = True) -> None:
        self._parts = parts
        self._branches = (
            ("├─ ", "└─ ", "│  ", "   ") if unicode else ("|- ", "`- ", "|  ", "   ")
        )

    def tree(
        self, picture: Picture, now: float, *, height: int = 0, width: int = 0
    ) -> list[str]:
        """Return the lines of the tree, at *now* (seconds since the epoch).

        With *height*, objects that are OK are folded, and then those that wait, until
        the lines fit. If they still do not fit, the last line counts those cut off.
        With *width*, a remedy that would be cut off has a line of its own.
        """
        lines: list[_Line] = []
        for detail in (_ALL, _FEW_EVENTS, _OK_FOLDED, _WAITING_FOLDED):
            drawing = _Drawing(now, detail, width)
            lines = [
                line
                for root in picture.roots
                for line in self._lines(root, drawing, "", "", root=True)
            ]
            if not height or len(lines) <= height:
                return [line.text for line in lines]
        rest = lines[height - 1 :]
        failing = sum(line.failing for line in rest)
        failures = f", {failing} of them of what fails" if failing else ""
        note = f"{len(rest)} more lines{failures}, for which there is no room here"
        shown = [line.text for line in lines[: height - 1]]
        return [*shown, self._parts.faint(note)]

    def _lines(
        self,
        node: Node,
        drawing: _Drawing,
        branch: str,
        inner: str,
        *,
        root: bool = False,
    ) -> Iterator[_Line]:
        now, detail = drawing.now, drawing.detail
        failing = node.verdict is Verdict.FAILING
        yield _Line(branch + self._line(node, now, detail), failing)
        shown, folded = _children(node, detail)
        bar = inner + (self._branches[2] if shown or folded else self._branches[3])
        for finding in node.findings:
            if root or telling(node, finding):
                wrong = finding.verdict is Verdict.FAILING
                room = drawing.width - len(bar)
                for text in self._found(finding, now, room if drawing.width else 0):
                    yield _Line(bar + text, wrong)
        for event in _notable(node, now, detail):
            past = node.verdict is Verdict.OK
            yield _Line(bar + self._parts.event(event, now, past=past), False)
        for place, child in enumerate(shown):
            last = place == len(shown) - 1 and not folded
            yield from self._lines(
                child,
                drawing,
                inner + self._branches[1 if last else 0],
                inner + self._branches[3 if last else 2],
            )
        for place, (verdict, many) in enumerate(folded):
            corner = self._branches[1 if place == len(folded) - 1 else 0]
            mark = self._parts.mark(verdict)
            yield _Line(f"{inner}{corner}{mark} {self._parts.faint(many)}", False)

    def _found(self, finding: Finding, now: float, room: int) -> list[str]:
        """Return the line of a finding, or two with its remedy if *room* is short."""
        columns = len(finding.text) + len(finding.remedy) + _AROUND
        has_remedy = finding.remedy and finding.verdict is not Verdict.OK
        if not room or not has_remedy or columns <= room:
            return [self._parts.finding(finding, now)]
        alone = self._parts.finding(finding._replace(remedy=NO_REMEDY), now)
        return [alone, f"  {self._parts.remedy(finding)}"]

    def _line(self, node: Node, now: float, detail: int) -> str:
        parts = [f"{self._parts.mark(node.verdict)} {self._parts.name(node)}"]
        if node.role:
            parts.append(self._parts.faint(inert(node.role)))
        parts.append(self._parts.phase(node.phase, node.verdict))
        if node.summary:
            parts.append(inert(node.summary))
        if node.since is not None and not node.final:
            parts.append(self._parts.faint(duration(max(now - node.since, 0))))
        if detail >= _FEW_EVENTS and node.before:
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


def _children(node: Node, detail: int) -> tuple[list[Node], list[tuple[Verdict, str]]]:
    """Return the children to show, and a line for each group of folded ones."""
    if detail >= _FEW_EVENTS:
        return list(node.children), []
    fine = [each for each in node.children if _fine(each)]
    if len(fine) == 1 and detail == _OK_FOLDED:
        fine = []
    rest = [each for each in node.children if each not in fine]
    failing = [each for each in rest if _fails(each)]
    calm = [each for each in rest if not _fails(each)]
    folded: list[tuple[Verdict, str]] = []
    if detail == _WAITING_FOLDED and len(calm) > _WAITING:
        more = Counter(each.phase for each in calm[_WAITING:])
        phases = ", ".join(f"{inert(phase)} {n}" for phase, n in more.most_common(3))
        many = len(calm) - _WAITING
        folded.append((Verdict.WAITING, f"{many} more on their way: {phases}"))
        calm = calm[:_WAITING]
    if fine:
        folded.append((Verdict.OK, f"{len(fine)} more, all as they should be"))
    return failing + calm, folded


def _fails(node: Node) -> bool:
    return any(each.verdict is Verdict.FAILING for each in node.all())


def _fine(node: Node) -> bool:
    return all(each.verdict is Verdict.OK for each in node.all())


def _notable(node: Node, now: float, detail: int) -> list[ClusterEvent]:
    """Return the Events of *node* to show, the latest last."""
    fine = node.verdict is Verdict.OK
    if detail < _OK_FOLDED or (fine and detail < _ALL):
        return []
    found = []
    for event in node.events:
        last = event.last if event.seen is None else event.seen
        recent = last is not None and now - last <= _RECENT
        if event.warning and (recent or not fine):
            found.append(event)
    if not fine and node.events and not node.events[-1].warning:
        found.append(node.events[-1])
    return found[-_EVENTS if detail >= _FEW_EVENTS else -1 :]

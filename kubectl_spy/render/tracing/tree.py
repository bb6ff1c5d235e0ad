"""A trace as a tree, at one moment."""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from math import inf
from typing import NamedTuple

from kubectl_spy.core.answer.timeline import Spell
from kubectl_spy.core.changes.record import Logged
from kubectl_spy.core.cluster.events import ClusterEvent
from kubectl_spy.core.diagnosis.finding import FINE, Finding, Verdict
from kubectl_spy.core.remedy import is_command
from kubectl_spy.core.trace.failing import groups, names_of
from kubectl_spy.core.trace.picture import Node, Picture
from kubectl_spy.core.trace.reason import Cause, Reason
from kubectl_spy.core.wording import many
from kubectl_spy.render.columns import rows, width, wrapped
from kubectl_spy.render.findings import explained
from kubectl_spy.render.inert import inert
from kubectl_spy.render.moments import duration
from kubectl_spy.render.tracing.parts import Parts, telling

# What a tree leaves out at each level of detail.

WAITING_FOLDED, OK_FOLDED, FEW_EVENTS, ALL = range(4)  # levels of detail
_RECENT = 600.0  # seconds for which the tree shows an Event about an object that is OK
_EVENTS = 3  # Events of one object in the tree
_WAITING = 2  # waiting children that are shown where there is little room


def children(node: Node, detail: int) -> tuple[list[Node], list[tuple[Verdict, str]]]:
    """Return the children to show, and a line for each group of folded ones."""
    if detail >= FEW_EVENTS:
        return list(node.children), []
    fine = [each for each in node.children if _all(each, (Verdict.OK,))]
    rest = [each for each in node.children if not _all(each, FINE)]
    unjudged = [
        each
        for each in node.children
        if _all(each, FINE) and not _all(each, (Verdict.OK,))
    ]
    if len(fine) + len(unjudged) == 1 and detail == OK_FOLDED:
        fine, unjudged, rest = [], [], list(node.children)
    failing = [each for each in rest if fails(each)]
    calm = [each for each in rest if not fails(each)]
    folded: list[tuple[Verdict, str]] = []
    if detail == WAITING_FOLDED and len(calm) > _WAITING:
        more = Counter(each.phase for each in calm[_WAITING:])
        phases = ", ".join(f"{inert(phase)} {n}" for phase, n in more.most_common(3))
        count = len(calm) - _WAITING
        folded.append((Verdict.WAITING, f"{count} more on their way: {phases}"))
        calm = calm[:_WAITING]
    if fine:
        folded.append((Verdict.OK, f"{len(fine)} more, all as they should be"))
    if unjudged:
        folded.append((Verdict.UNJUDGED, f"{len(unjudged)} more that no rule judges"))
    return failing + calm, folded


def fails(node: Node) -> bool:
    return any(each.verdict is Verdict.FAILING for each in node.all())


def notable(
    node: Node, now: float, detail: int, said: frozenset[str]
) -> list[ClusterEvent]:
    """Return the Events that tell more than the findings, which have *said* some."""
    fine = node.verdict is Verdict.OK
    if detail < OK_FOLDED or (fine and detail < ALL):
        return []
    found = []
    for event in node.events:
        last = event.last if event.seen is None else event.seen
        recent = last is not None and now - last <= _RECENT
        if event.warning and event.reason not in said and (recent or not fine):
            found.append(event)
    last_one = node.events[-1] if node.events and not fine else None
    few = detail > OK_FOLDED or not (found or node.children)
    if few and last_one and not last_one.warning and last_one.reason not in said:
        found.append(last_one)
    return found[-_EVENTS if detail >= FEW_EVENTS else -1 :]


def _all(node: Node, verdicts: tuple[Verdict, ...]) -> bool:
    return all(each.verdict in verdicts for each in node.all())


_SPELLS = 4  # earlier phases of one object in the tree
_HANGING = "  "  # the indent of the rest of a long line
_LEAST = 20  # columns of text at least, also where the branches leave fewer
_LOG = 5  # lines of a log where there is room
_SCREEN = 18  # rows of a root that a small terminal shows whole, below its title


class _Drawing(NamedTuple):
    """The settings of all lines of one drawing."""

    now: float
    detail: int
    height: int
    width: int
    logs: Mapping[tuple[str, str], Logged]
    said: Cause | None = None  # what the root has said already

    def has_said(self, group: Sequence[Node], finding: Finding) -> bool:
        """Return whether the root has said a finding of alike nodes."""
        cause = self.said
        if cause is None:
            return False
        if cause.finding.fact == finding.fact:
            return True
        waits = finding.verdict is not Verdict.FAILING and finding.remedy
        if waits and finding.remedy == cause.finding.remedy:
            return True
        same = cause.finding.about == finding.about
        return same and not set(cause.alike).isdisjoint(node.uid for node in group)


class _Line(NamedTuple):
    """A line, and whether it shows a failure."""

    head: str  # the branches of the tree
    text: str
    failing: bool
    below: str  # the branches before the rest of a long line
    unbroken: bool = False  # whether this stays one line, which the terminal breaks

    def fitted(self, columns: int) -> list[_Line]:
        """Return the lines that *columns* of a terminal take; 0 is any width."""
        if self.unbroken or not columns:
            return [self]
        room = max(columns - width(self.below), _LEAST)
        first, *rest = wrapped(self.text, room)
        others = (self._replace(head=self.below, text=each) for each in rest)
        return [self._replace(text=first), *others]

    def rows(self, columns: int) -> int:
        """Return how many rows of *columns* this takes; 0 is any width."""
        return rows(str(self), columns) if self.unbroken and columns else 1

    def __str__(self) -> str:
        return self.head + self.text


class TreeRenderer:
    """Renders pictures, without *unicode* in ASCII.

    With *full*, every object has its own node, and roots do not say what failed below.
    """

    def __init__(
        self, parts: Parts, *, unicode: bool = True, full: bool = False
    ) -> None:
        self._parts = parts
        self._full = full
        self._branches = (
            ("├─ ", "└─ ", "│  ", "   ") if unicode else ("|- ", "`- ", "|  ", "   ")
        )

    def tree(
        self,
        picture: Picture,
        now: float,
        reasons: Mapping[str, Reason] = {},
        *,
        height: int = 0,
        width: int = 0,
        last: bool = False,
    ) -> list[str]:
        """Return the lines of the tree, at *now* (seconds since the epoch).

        *reasons* are why roots fail, by uid.
        With *height*, objects that are OK are folded, and then those that wait, until
        the lines fit. What fails then comes first. If they still do not fit, they are
        cut off. The last line then counts what is missing. With *width*, what is longer
        goes on in the next line. The *last* drawing is as one that scrolls, if it fits.
        """
        if last:
            printed = self.scrolled(picture, now, reasons, width=width)
            if sum(rows(each, width) for each in printed) <= height:
                return printed
        lines: list[_Line] = []
        used = [0]
        room = 0.0
        whole = 0
        for detail in (ALL, FEW_EVENTS, OK_FOLDED, WAITING_FOLDED):
            drawing = _Drawing(now, detail, height, width, picture.logs)
            calm_last = sorted(picture.roots, key=lambda root: not fails(root))
            roots = picture.roots if detail == ALL else calm_last
            lines = [
                line
                for root in roots
                for each in self._root(root, drawing, reasons.get(root.uid, Reason()))
                for line in each.fitted(width)
            ]
            used = [0, *accumulate(line.rows(width) for line in lines)]
            whole = whole or used[-1]
            room = (height or inf) - (detail != ALL)
            if used[-1] <= room:
                break
        count = bisect(used, room) - 1
        shown = [str(line) for line in lines[:count]]
        folded = whole - used[count]
        if not folded:
            return shown
        failing = sum(line.failing for line in lines[count:])
        failures = f", {failing} of what fails" if failing else ""
        note = f"{many(folded, 'row')} folded{failures}; --once --full shows all"
        return [*shown, self._parts.faint(note)]

    def scrolled(
        self,
        picture: Picture,
        now: float,
        reasons: Mapping[str, Reason] = {},
        *,
        width: int = 0,
    ) -> list[str]:
        """Return the lines of a tree that scrolls: what matters most stands last.

        Below roots that fail, objects that are OK are folded. The cause of a root that
        is higher than a small terminal stands below it.
        """
        if self._full:
            return self.tree(picture, now, reasons, width=width)
        calm: list[str] = []
        failing: list[str] = []
        for root in reversed(picture.roots):
            reason = reasons.get(root.uid, Reason())
            wrong = reason.cause is not None or fails(root)
            drawing = _Drawing(now, OK_FOLDED if wrong else ALL, 0, width, picture.logs)
            for ends in (False, True):
                drawn = self._root(root, drawing, reason, ends=ends)
                lines = [str(line) for each in drawn for line in each.fitted(width)]
                if len(lines) <= _SCREEN:
                    break
            if wrong:
                failing += lines
            else:
                calm = lines + calm
        return calm + failing

    def _root(
        self, root: Node, drawing: _Drawing, reason: Reason, *, ends: bool = False
    ) -> Iterator[_Line]:
        """Yield the lines of a root. Its cause and its last change follow the first.

        If the root *ends* with them, they follow all others.
        """
        drawing = drawing._replace(said=None if self._full else reason.cause)
        first, *rest = self._lines(root, drawing, "", "", root=True)
        text = self._line(root, drawing.now, drawing.detail, reason.cause)
        yield first._replace(text=text)
        bar = self._branches[2 if root.children and not ends else 3]
        if ends:
            yield from rest
        if cause := reason.cause:
            node, finding, others, alike = cause
            name = f"{self._parts.name(node)}: "
            yield from self._found(finding, drawing, bar, name, others)
            yield from self._log(alike, finding, drawing, bar, self._most(drawing))
        if last := reason.last:
            name = f"{self._parts.name(last.of)} " if last.of else ""
            yield self._below(bar, name + self._parts.edit(last.edit, drawing.now))
        if not ends:
            yield from rest

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
        shown, folded = children(node, detail)
        bar = inner + self._branches[2 if shown or folded else 3]
        text = self._line(node, now, detail)
        yield _Line(branch, text, failing, f"{bar}{_HANGING}")
        yield from self._findings([node], drawing, bar, root=root)
        reported = frozenset[str]() if self._full else explained(node)
        for event in notable(node, now, detail, reported):
            past = node.verdict is Verdict.OK
            yield self._below(bar, self._parts.event(event, now, past=past))
        again = sum(
            it.times for it in node.events if it.warning and it.reason in reported
        )
        if again and detail >= FEW_EVENTS:
            said = f"{many(again, 'Event')} {'says' if again == 1 else 'say'} so"
            yield self._below(bar, self._parts.faint(said))
        together = [[each] for each in shown] if self._full else groups(shown)
        for place, group in enumerate(together):
            last = place == len(together) - 1 and not folded
            branch = inner + self._branches[1 if last else 0]
            below = inner + self._branches[3 if last else 2]
            if len(group) == 1:
                yield from self._lines(group[0], drawing, branch, below)
            else:
                yield from self._group(group, drawing, branch, below)
        for place, (verdict, text) in enumerate(folded):
            corner = self._branches[1 if place == len(folded) - 1 else 0]
            mark = self._parts.mark(verdict)
            said = f"{mark} {self._parts.faint(text)}"
            yield _Line(inner + corner, said, False, f"{inner}{_HANGING}")

    def _group(
        self, group: Sequence[Node], drawing: _Drawing, branch: str, inner: str
    ) -> Iterator[_Line]:
        """Yield the lines of siblings that are alike, with their names."""
        node = group[0]
        failing = node.verdict is Verdict.FAILING
        what = inert(many(len(group), node.gvk.kind))
        phase = self._parts.phase(node.phase, node.verdict)
        names = self._parts.faint(f"({inert(names_of(group))})")
        mark = self._parts.mark_of(*group)
        bar = inner + self._branches[3]
        said = f"{mark} {what}  {phase}  {names}"
        yield _Line(branch, said, failing, f"{bar}{_HANGING}")
        yield from self._findings(group, drawing, bar)

    def _findings(
        self, group: Sequence[Node], drawing: _Drawing, bar: str, *, root: bool = False
    ) -> Iterator[_Line]:
        """Yield the findings of a *group*, each with the log of one member."""
        uids = tuple(each.uid for each in group)
        room = drawing.detail > OK_FOLDED or group[0].verdict in FINE
        for finding in group[0].findings:
            if not ((root and room) or telling(group[0], finding)):
                continue
            if drawing.has_said(group, finding):
                continue
            yield from self._found(finding, drawing, bar)
            yield from self._log(uids, finding, drawing, bar, self._most(drawing))

    @staticmethod
    def _most(drawing: _Drawing) -> int:
        """Return the most lines of a log to draw."""
        return _LOG if drawing.detail >= FEW_EVENTS or not drawing.height else 1

    def _log(
        self,
        uids: Sequence[str],
        finding: Finding,
        drawing: _Drawing,
        bar: str,
        most: int,
    ) -> Iterator[_Line]:
        """Yield the last lines of the log of one of several Pods, if one was read."""
        head = bar + _HANGING
        room = drawing.height and drawing.width and drawing.width - width(head)
        logs = (drawing.logs.get((uid, finding.about)) for uid in uids)
        if log := next(filter(None, logs), None):
            for text in self._parts.log(log, room, most):
                yield self._below(head, text)

    def _found(
        self,
        finding: Finding,
        drawing: _Drawing,
        bar: str,
        name: str = "",
        others: int = 0,
    ) -> Iterator[_Line]:
        """Yield the line of a finding, or two with its remedy if it is too long.

        A command stays in one line, to be copied.
        """
        failing = finding.verdict is Verdict.FAILING
        text = name + self._parts.finding(finding, drawing.now, others)
        remedy = self._parts.remedy(finding)
        line = self._below(bar, f"{text} {remedy}" if remedy else text, failing)
        if not remedy or len(line.fitted(drawing.width)) == 1:
            yield line
            return
        yield self._below(bar, text, failing)
        below = self._below(bar + _HANGING, remedy, failing)
        yield below._replace(unbroken=is_command(finding.remedy))

    def _below(self, bar: str, text: str, failing: bool = False) -> _Line:
        return _Line(bar, text, failing, f"{bar}{_HANGING}")

    def _line(
        self, node: Node, now: float, detail: int, cause: Cause | None = None
    ) -> str:
        """Return the line of an object. What fails below it, its *cause*, marks it."""
        mark = self._parts.mark_of(node)
        phase = self._parts.phase(node.phase, node.verdict)
        if (
            cause is not None
            and cause.node.uid != node.uid
            and node.verdict is Verdict.WAITING
            and cause.finding.verdict is Verdict.FAILING
        ):
            mark = self._parts.mark(Verdict.FAILING)
            what = many(len(cause.alike), cause.node.gvk.kind)
            below = self._parts.phase(cause.node.phase, Verdict.FAILING)
            phase = f"{phase}, {inert(what)} {below}"
        parts = [f"{mark} {self._parts.name(node)}"]
        if node.role:
            parts.append(self._parts.faint(inert(node.role)))
        parts.append(phase)
        if node.summary:
            parts.append(inert(node.summary))
        if node.since is not None and not node.final:
            parts.append(self._parts.faint(duration(max(now - node.since, 0))))
        if self._full and detail >= FEW_EVENTS and node.before:
            before = ", ".join(map(_spell, node.before[-_SPELLS:]))
            parts.append(self._parts.faint(f"(after {before})"))
        return "  ".join(parts)


def _spell(spell: Spell) -> str:
    lasted = "" if spell.seconds is None else f" {duration(spell.seconds)}"
    return f"{inert(spell.phase)}{lasted}"

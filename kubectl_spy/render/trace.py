"""A trace as text: the tree at one moment, and a line for each thing that happens."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import tzinfo

from kubectl_spy.core.events import ClusterEvent
from kubectl_spy.core.trace.picture import Finding, Node, Picture, Spell, Verdict
from kubectl_spy.core.trace.transitions import Happening, Transition
from kubectl_spy.render.inert import inert
from kubectl_spy.render.moments import clock, duration, local
from kubectl_spy.render.palette import Palette
from kubectl_spy.render.text import type_name

_MARKS = {
    Verdict.OK: "✓",
    Verdict.WAITING: "…",
    Verdict.FAILING: "✗",
    Verdict.UNKNOWN: "?",
}
_PLAIN_MARKS = {
    Verdict.OK: "ok",
    Verdict.WAITING: "..",
    Verdict.FAILING: "!!",
    Verdict.UNKNOWN: "??",
}
_RECENT = 600.0
"""Seconds for which an Event about an object that works stays in the tree."""
_EVENTS = 3
"""Events that the tree shows of one object at the most."""
_SPELLS = 4


class TraceRenderer:
    """Renders pictures and transitions. *unicode* False draws with ASCII."""

    def __init__(
        self, palette: Palette, *, zone: tzinfo | None, unicode: bool = True
    ) -> None:
        self._palette = palette
        self._zone = zone
        self._marks = _MARKS if unicode else _PLAIN_MARKS
        self._arrow = "→" if unicode else "->"
        self._dot = "·" if unicode else "-"
        self._branches = (
            ("├─ ", "└─ ", "│  ", "   ") if unicode else ("|- ", "`- ", "|  ", "   ")
        )

    # The tree

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
                for line in self._lines(root, now, detail, "", "", "", root=True)
            ]
            if not height or len(lines) <= height:
                return lines
        more = len(lines) - height + 1
        note = f"{self._marks[Verdict.WAITING]} {more} more lines: too many for here"
        return [*lines[: height - 1], self._faint(note)]

    def _lines(
        self,
        node: Node,
        now: float,
        detail: int,
        branch: str,
        inner: str,
        namespace: str | None,
        *,
        root: bool = False,
    ) -> Iterator[str]:
        yield branch + self._line(node, now, detail, namespace)
        shown, folded = _children(node, detail)
        bar = inner + (self._branches[2] if shown or folded else self._branches[3])
        for finding in node.findings:
            if root or finding.verdict is not Verdict.OK:
                yield bar + self._finding(finding, now)
        for event in _notable(node, now, detail):
            yield bar + self._event(event, now)
        for place, child in enumerate(shown):
            last = place == len(shown) - 1 and not folded
            yield from self._lines(
                child,
                now,
                detail,
                inner + self._branches[1 if last else 0],
                inner + self._branches[3 if last else 2],
                node.namespace,
            )
        if folded:
            many = f"{folded} more, all as they should be"
            mark = self._mark(Verdict.OK)
            yield inner + self._branches[1] + f"{mark} {self._faint(many)}"

    def _line(self, node: Node, now: float, detail: int, namespace: str | None) -> str:
        parts = [f"{self._mark(node.verdict)} {self._name(node, namespace)}"]
        if node.role:
            parts.append(self._faint(inert(node.role)))
        parts.append(self._phase(node.phase, node.verdict))
        if node.summary:
            parts.append(inert(node.summary))
        if node.since is not None and not node.final:
            parts.append(self._faint(duration(max(now - node.since, 0))))
        if detail >= 2 and node.before:
            parts.append(self._faint(f"({self._spells(node.before)})"))
        return "  ".join(parts)

    def _spells(self, before: tuple[Spell, ...]) -> str:
        shown = [
            f"{inert(spell.phase)} {duration(spell.seconds)}"
            if spell.seconds is not None
            else inert(spell.phase)
            for spell in before[-_SPELLS:]
        ]
        return f" {self._arrow} ".join(shown)

    # What happens

    def line(self, transition: Transition) -> str:
        """Return the line of one thing that happened; "" if there is nothing to say."""
        node = transition.node
        text = self._told(transition)
        if not text:
            return ""
        time = clock(local(transition.time, self._zone))
        mark = self._mark(_verdict(transition))
        if transition.event is not None:
            mark = self._reported(transition.event)
        return f"{self._faint(time)}  {mark} {self._name(node, None)}  {text}\n"

    def _told(self, transition: Transition) -> str:
        node, before = transition.node, transition.before
        match transition.happening:
            case Happening.APPEARED:
                return self._stands(node, transition.parent)
            case Happening.MOVED:
                role = f"is now {inert(node.role)}" if node.role else "moved"
                parent = transition.parent
                under = f" under {self._name(parent, None)}" if parent else ""
                return role + (under if before and before.role == node.role else "")
            case Happening.PHASE if before is not None:
                was = self._faint(inert(before.phase))
                phase = self._phase(node.phase, node.verdict)
                lasted = node.before[-1].seconds if node.before else None
                after = "" if lasted is None else f" after {duration(lasted)}"
                text = f"{was} {self._arrow} {phase}{self._faint(after)}"
                return self._with_summary(text, node)
            case Happening.SUMMARY:
                phase = self._phase(node.phase, node.verdict)
                return self._with_summary(phase, node)
            case Happening.FOUND if transition.finding is not None:
                return self._finding(transition.finding, None)
            case Happening.RESOLVED if transition.finding is not None:
                if transition.finding.verdict is Verdict.OK:
                    return ""
                return self._faint(f"no longer: {inert(transition.finding.text)}")
            case Happening.REPORTED if transition.event is not None:
                return self._event(transition.event, None)
            case Happening.GONE:
                lasted = None if node.since is None else transition.time - node.since
                was = "" if lasted is None else f" for {duration(max(lasted, 0))}"
                return f"is gone{self._faint(f' (was {inert(node.phase)}{was})')}"
        return ""

    def _stands(self, node: Node, parent: Node | None) -> str:
        text = self._phase(node.phase, node.verdict)
        if node.role:
            text = f"{self._faint(inert(node.role))}  {text}"
        elif parent is not None:
            text = f"{self._faint(f'of {self._name(parent, None)}')}  {text}"
        return self._with_summary(text, node)

    def _with_summary(self, text: str, node: Node) -> str:
        return f"{text}  {inert(node.summary)}" if node.summary else text

    # Parts of both

    def _finding(self, finding: Finding, now: float | None) -> str:
        text = inert(finding.text)
        if now is not None:
            text = f"{self._mark(finding.verdict)} {text}"
            if finding.since is not None and finding.verdict is not Verdict.OK:
                text += self._faint(f"  {duration(max(now - finding.since, 0))}")
        if finding.remedy and finding.verdict is not Verdict.OK:
            text += self._faint(f" {self._arrow} {inert(finding.remedy)}")
        return text

    def _event(self, event: ClusterEvent, now: float | None) -> str:
        times = f" x{event.times}" if event.times > 1 else ""
        reason = f"{inert(event.reason)}{times}"
        colour = self._palette.bad if event.warning else self._palette.faint
        reason = self._palette.paint(colour, reason)
        who = f" ({inert(event.component)})" if event.component else ""
        text = f"{reason}{self._faint(who)}: {inert(event.message)}"
        if now is None:
            return text
        if event.last is not None:
            text += self._faint(f"  {duration(max(now - event.last, 0))} ago")
        return f"{self._reported(event)} {text}"

    def _reported(self, event: ClusterEvent) -> str:
        if event.warning:
            return self._palette.paint(self._palette.bad, "!")
        return self._faint(self._dot)

    def _name(self, node: Node, namespace: str | None) -> str:
        name = self._palette.paint(self._palette.name, inert(node.name))
        return f"{type_name(node.gvk)}/{name}"

    def _phase(self, phase: str, verdict: Verdict) -> str:
        return self._palette.paint(self._colour(verdict), inert(phase))

    def _mark(self, verdict: Verdict) -> str:
        return self._palette.paint(self._colour(verdict), self._marks[verdict])

    def _colour(self, verdict: Verdict) -> str:
        palette = self._palette
        return {
            Verdict.OK: palette.good,
            Verdict.WAITING: palette.change,
            Verdict.FAILING: palette.bad,
            Verdict.UNKNOWN: palette.notice,
        }[verdict]

    def _faint(self, text: str) -> str:
        return self._palette.paint(self._palette.faint, text) if text else ""


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
        recent = event.last is not None and now - event.last <= _RECENT
        if event.warning and (recent or not fine):
            found.append(event)
    if not fine and node.events and not node.events[-1].warning:
        found.append(node.events[-1])
    return found[-_EVENTS if detail >= 2 else -1 :]


def _verdict(transition: Transition) -> Verdict:
    if transition.finding is not None:
        if transition.happening is Happening.RESOLVED:
            return Verdict.OK
        return transition.finding.verdict
    return transition.node.verdict

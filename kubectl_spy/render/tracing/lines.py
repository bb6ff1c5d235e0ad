"""One line for each transition of a trace."""

from __future__ import annotations

from collections.abc import Callable
from datetime import tzinfo

from kubectl_spy.core.changes.record import Logged
from kubectl_spy.core.diagnosis.finding import FINE, Finding, Verdict
from kubectl_spy.core.remedy import is_command
from kubectl_spy.core.trace.narration import News
from kubectl_spy.core.trace.picture import Node
from kubectl_spy.core.trace.transitions import Happening, Transition
from kubectl_spy.render import findings
from kubectl_spy.render.columns import HANGING, hanging, rows
from kubectl_spy.render.inert import inert
from kubectl_spy.render.moments import clock, duration
from kubectl_spy.render.tracing.parts import Parts, telling


class LineRenderer:
    """Renders transitions, with times in *zone*; None is the local one.

    *columns* returns the width of the terminal; None is a pipe with lines of any width.
    """

    def __init__(
        self,
        parts: Parts,
        *,
        zone: tzinfo | None,
        columns: Callable[[], int] | None = None,
    ) -> None:
        self._parts = parts
        self._zone = zone
        self._columns = columns

    def line(self, transition: Transition) -> str:
        """Return the line of *transition*; "" if another line says as much."""
        node = transition.node
        if transition.log is not None:
            return self._log(node, transition.log)
        text = self._text(transition)
        if not text:
            return ""
        mark = self._parts.mark(_verdict(transition))
        if transition.event is not None:
            mark = self._parts.reported(transition.event)
        found = transition.happening is Happening.FOUND
        remedied = transition.finding if found else None
        return self._line(transition.time, mark, node, f"  {text}", remedied)

    def text(self, news: News) -> str:
        """Return the line of one piece of news."""
        node, parts = news.node, self._parts
        if news.log is not None:
            return self._log(node, news.log)
        mark, text = parts.mark_of(node), parts.phase(node.phase, node.verdict)
        remedied = news.finding
        if news.edit is not None:
            mark, text = parts.dot, parts.edit(news.edit, None)
        elif news.event is not None:
            mark, text = parts.reported(news.event), parts.event(news.event, None)
        elif news.finding is not None:
            mark = parts.mark(news.finding.verdict)
            text = parts.finding(news.finding, None)
        else:
            text = self._with_summary(text, node)
            if remedied := _awaited(node):
                text += f": {parts.finding(remedied, None)}"
        alike = f" and {news.others} more alike" if news.others else ""
        return self._line(news.time, mark, node, f"{alike}  {text}", remedied)

    def _log(self, node: Node, log: Logged) -> str:
        lines = self._parts.log(log)
        dot = self._parts.dot
        return "".join(self._line(log.time, dot, node, f"  {each}") for each in lines)

    def _line(
        self,
        time: float,
        mark: str,
        node: Node,
        text: str,
        remedied: Finding | None = None,
    ) -> str:
        """Return a line, with the remedy of a finding at its end, or in its own line.

        A command stays in one line, to be copied.
        """
        at = self._parts.faint(clock(time, self._zone))
        line = f"{at}  {mark} {self._parts.name(node)}{text}"
        remedy = self._parts.remedy(remedied) if remedied else ""
        whole = f"{line} {remedy}" if remedy else line
        columns = self._columns() if self._columns else 0
        if not columns or rows(whole, columns) == 1:
            return f"{whole}\n"
        lines = [hanging(line, columns)]
        if remedied and remedy:
            below = f"{HANGING}{remedy}"
            wraps = not is_command(remedied.remedy)
            lines.append(hanging(below, columns) if wraps else below)
        return "".join(f"{each}\n" for each in lines)

    def _text(self, transition: Transition) -> str:
        node, before = transition.node, transition.before
        match transition.happening:
            case Happening.APPEARED:
                return self._appeared(node, transition.parent)
            case Happening.MOVED:
                role = f"is now {inert(node.role)}" if node.role else "moved"
                parent = transition.parent
                under = f" under {self._parts.name(parent)}" if parent else ""
                return role + (under if before and before.role == node.role else "")
            case Happening.PHASE if before is not None:
                was = self._parts.faint(inert(before.phase))
                phase = self._parts.phase(node.phase, node.verdict)
                lasted = node.before[-1].seconds if node.before else None
                after = "" if lasted is None else f" after {duration(lasted)}"
                text = f"{was} {self._parts.arrow} {phase}{self._parts.faint(after)}"
                return self._with_summary(text, node)
            case Happening.SUMMARY:
                phase = self._parts.phase(node.phase, node.verdict)
                return self._with_summary(phase, node)
            case Happening.FOUND if transition.finding is not None:
                root = transition.parent is None
                if not root and not telling(node, transition.finding):
                    return ""  # its phase says as much
                return self._parts.finding(transition.finding, None)
            case Happening.RESOLVED if transition.finding is not None:
                verdict = transition.finding.verdict
                if verdict in FINE or verdict is Verdict.WAITING:
                    return ""  # the new phase says it
                return self._parts.faint(
                    f"no longer: {inert(findings.text(transition.finding))}"
                )
            case Happening.REPORTED if transition.event is not None:
                return self._parts.event(transition.event, None)
            case Happening.LEFT:
                under = ""
                if transition.parent is not None:
                    under = f" to {self._parts.name(transition.parent)}"
                return f"no longer belongs{under}"
            case Happening.GONE:
                lasted = None if node.since is None else transition.time - node.since
                was = "" if lasted is None else f" for {duration(max(lasted, 0))}"
                return f"is gone{self._parts.faint(f' (was {inert(node.phase)}{was})')}"
        return ""

    def _appeared(self, node: Node, parent: Node | None) -> str:
        text = self._parts.phase(node.phase, node.verdict)
        if node.role:
            text = f"{self._parts.faint(inert(node.role))}  {text}"
        elif parent is not None:
            text = f"{self._parts.faint(f'of {self._parts.name(parent)}')}  {text}"
        return self._with_summary(text, node)

    def _with_summary(self, text: str, node: Node) -> str:
        return f"{text}  {inert(node.summary)}" if node.summary else text


def _awaited(node: Node) -> Finding | None:
    """Return the finding that says what a waiting *node* waits for."""
    if node.verdict is not Verdict.WAITING:
        return None
    waiting = (each for each in node.findings if each.verdict is Verdict.WAITING)
    return next(waiting, None)


def _verdict(transition: Transition) -> Verdict:
    if transition.finding is not None:
        if transition.happening is Happening.RESOLVED:
            return Verdict.OK
        return transition.finding.verdict
    return transition.node.verdict

"""What a tree leaves out at each level of detail."""

from __future__ import annotations

from collections import Counter

from kubectl_spy.core.cluster.events import ClusterEvent
from kubectl_spy.core.diagnosis.finding import FINE, Verdict
from kubectl_spy.core.trace.picture import Node
from kubectl_spy.render.inert import inert

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

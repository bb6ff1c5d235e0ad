"""What is found about workloads, and about what was recorded of them."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from hypothesis import strategies as st

from kubectl_spy.core.changes.history import History
from kubectl_spy.core.cluster.inventory import Inventory
from kubectl_spy.core.diagnosis.finding import Diagnosis, Verdict
from kubectl_spy.core.objects import EventType, WatchEvent
from kubectl_spy.core.trace.picture import Node
from kubectl_spy.render.findings import text as text_of
from tests.builders import ALL_PODS, CREATED
from tests.tracing import START, recorded_pictures


def lose(seen: Inventory, pod: dict[str, Any]) -> None:
    """Let *seen* see a Pod, and that it is deleted."""
    history = History()
    for kind in (EventType.ADDED, EventType.DELETED):
        for record in history.observe(WatchEvent(kind, ALL_PODS, START, pod)):
            seen.observe(record)


def roots(stream: str, target: str) -> Iterator[tuple[float, Node, dict[str, Any]]]:
    """Yield the time, the node and the document of *target* at each change."""
    for trace, picture in recorded_pictures(stream, target):
        for root in picture.roots:
            entry = trace.seen.entry(root.uid)
            if entry is not None:
                yield picture.time - START, root, entry.document


def root_at(stream: str, target: str, until: float) -> Node:
    """Return the node of *target* after all that happened *until* then."""
    *_, node = (node for time, node, _ in roots(stream, target) if time <= until)
    return node


def phases(stream: str, target: str) -> list[str]:
    """Return the phases of *target*, one after the other."""
    found: list[str] = []
    for _, node, _ in roots(stream, target):
        if found[-1:] != [node.phase]:
            found.append(node.phase)
    return found


def texts(node: Node | Diagnosis, *about: str) -> list[str]:
    """Return the texts of the findings, or of those *about* something."""
    return [
        text_of(each)
        for each in node.findings
        if not about or each.about.startswith(about)
    ]


def roles(stream: str, target: str, until: float) -> list[str]:
    """Return name and role of what stands under *target*."""
    node = root_at(stream, target, until)
    return [f"{each.name}: {each.role}" for each in node.children]


def is_ok(node: Node | Diagnosis) -> bool:
    """Tell whether all is as it should be."""
    return node.verdict is Verdict.OK


_junk: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["", "\x1b[2J", "True", "Failed", CREATED, "25%", "0", "web-0"])
    | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner)
    ),
    max_leaves=8,
)


@st.composite
def mangled(draw: st.DrawFn, document: dict[str, Any]) -> dict[str, Any]:
    """Return *document* with some of its parts replaced by something else."""
    copied: dict[str, Any] = deepcopy(document)
    for key in ("labels", "annotations", "finalizers", "deletionTimestamp"):
        if draw(st.booleans()):
            copied["metadata"][key] = draw(_junk)
    for _ in range(draw(st.integers(1, 4))):
        places = [*_places(copied, "spec"), *_places(copied, "status")]
        holder, key = draw(st.sampled_from(places))
        holder[key] = draw(_junk)
    return copied


def _places(holder: Any, key: Any) -> Iterator[tuple[Any, Any]]:
    """Yield what can be replaced: the value itself, and all within it."""
    yield holder, key
    value = holder[key]
    if isinstance(value, dict | list):
        for each in value if isinstance(value, dict) else range(len(value)):
            yield from _places(value, each)

"""A picture is the same whenever it is taken, and however many were taken before."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from kubectl_spy.core.changes.history import History
from kubectl_spy.core.changes.record import Item, Listed
from kubectl_spy.core.cluster.scope import Scope
from kubectl_spy.core.objects import EventType, Selection, WatchEvent
from kubectl_spy.core.trace.picture import Node, Picture
from kubectl_spy.core.trace.trace import Trace
from tests.builders import bundled
from tests.examples import part
from tests.extras.serve.api_server.streams import recording_names
from tests.tracing import START, selections_of

ROOTS = ("Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob", "Pod", "Widget")


def interleaved(stream: str, order: random.Random) -> Iterator[Item]:
    """Yield what a recording holds, its streams run side by side in a random order."""
    recording = bundled(stream)
    selections = selections_of(recording)
    history = History()
    queues: list[list[tuple[EventType, Selection, object]]] = []
    for collection, selection in selections.items():
        listed = [each for of, each in recording.initial if of == collection]
        queues.append(
            [
                (EventType.LISTING, selection, None),
                *((EventType.LISTED, selection, each) for each in listed),
                (EventType.SYNCED, selection, len(listed)),
                *(
                    (
                        EventType.DELETED if step.deleted else EventType.MODIFIED,
                        selection,
                        step.object,
                    )
                    for step in recording.steps
                    if step.collection == collection
                ),
            ]
        )
    time = START
    while queues := [queue for queue in queues if queue]:
        kind, selection, what = order.choice(queues).pop(0)
        time += order.random()
        document = what if isinstance(what, dict) else None
        yield from history.observe(WatchEvent(kind, selection, time, document))
        if isinstance(what, int):
            yield Listed(selection, what, time)


def timeless(node: Node) -> Node:
    """Return the node without what depends on when it was looked at."""
    return node._replace(
        since=None,
        before=(),
        findings=tuple(each._replace(since=None) for each in node.findings),
        children=tuple(map(timeless, node.children)),
    )


def shape(picture: Picture) -> list[Node]:
    return [timeless(root) for root in picture.roots]


@pytest.mark.parametrize("stream", recording_names())
@pytest.mark.parametrize("seed", range(3))
def test_a_remembered_picture_equals_a_new_one(stream: str, seed: int) -> None:
    order = random.Random(seed)
    selections = tuple(selections_of(bundled(stream)).values())

    def trace() -> Trace:
        return Trace(Scope((), selections, lambda record: record.gvk.kind in ROOTS))

    remembering, items = trace(), list(interleaved(stream, order))
    for number, item in enumerate(items):
        remembering.observe(item)
        if order.random() < 0.3:
            continue
        picture = remembering.picture()
        if number % max(len(items) // part(15), 1) == 0:
            anew = trace()
            for each in items[: number + 1]:
                anew.observe(each)
            assert shape(picture) == shape(anew.picture())

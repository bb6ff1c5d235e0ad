"""What people see: whole streams as text, kept in tests/golden to be read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime, timezone

import pytest

from kubectl_spy.core.changes.history import History
from kubectl_spy.core.changes.masking import SecretMask
from kubectl_spy.core.changes.projection import Excerpt, Projection
from kubectl_spy.core.headlines.headlines import NO_HEADLINE, Headlines
from kubectl_spy.core.objects import EventType, Selection, WatchEvent
from kubectl_spy.render.palette import PLAIN, Palette, coloured
from kubectl_spy.render.text import TextRenderer
from tests.builders import STREAMS, recorded_lines, resource

BEGIN = datetime(2026, 11, 20, 15, 4, 5, tzinfo=timezone.utc).timestamp()
"""When the recordings are made to begin."""


def watched(stream: str, plural: str, name: str | None) -> Iterator[WatchEvent]:
    """Yield what a watch of one collection of a recorded stream brings."""
    selection: Selection | None = None
    mask = SecretMask(b"a key that never changes")
    for line in recorded_lines(STREAMS / f"{stream}.ndjson.gz"):
        if line["path"].rpartition("/")[2] != plural:
            continue
        if "list" in line:
            listed = line["list"]
            selection = selection_of(line["path"], listed["kind"][:-4], name)
            yield WatchEvent(EventType.LISTING, selection, BEGIN)
            typed = {"apiVersion": listed["apiVersion"], "kind": listed["kind"][:-4]}
            for item in listed["items"]:
                document = mask({**typed, **item}, selection.resource)
                yield WatchEvent(EventType.LISTED, selection, BEGIN, document)
            yield WatchEvent(EventType.SYNCED, selection, BEGIN)
            continue
        kind, document = line["event"]["type"], line["event"]["object"]
        if kind != "BOOKMARK" and name in (None, document["metadata"]["name"]):
            assert selection is not None
            time = BEGIN + line["t"]
            masked = mask(document, selection.resource)
            yield WatchEvent(EventType[kind], selection, time, masked)


def selection_of(path: str, kind: str, name: str | None) -> Selection:
    parts = path.split("/")
    group = parts[2] if parts[1] == "apis" else ""
    namespace = parts[parts.index("namespaces") + 1] if "namespaces" in parts else None
    of = resource(kind, group, plural=parts[-1], namespaced=namespace is not None)
    return Selection(resource=of, namespace=namespace, name=name)


def rendered(
    events: Iterator[WatchEvent], palette: Palette, *, status: bool, full: bool = False
) -> str:
    """Return what `status` or `changes` prints of *events*."""
    listed = list(events)
    selection = listed[0].selection
    whole = selection.name is not None
    history, projection = History(), Projection(Excerpt(status=status))
    renderer = TextRenderer(palette, zone=timezone.utc, whole=whole, full=full)
    headlines = Headlines()
    texts: list[str] = []
    for event in listed:
        for record in history.observe(event):
            headline = NO_HEADLINE if full else headlines.of(record)
            shown = projection.narrowed(record)
            if shown is not None:
                texts.append(renderer.render_record(shown, headline))
        if event.type is EventType.SYNCED:
            count = sum(each.type is EventType.LISTED for each in listed)
            texts.append(renderer.render_listed(selection, count, event.time))
    return "".join([*texts, renderer.render_rest()])


CASES = [
    ("deploy-rollout", "deployments", "nginx", True),
    ("deploy-rollout", "deployments", "nginx", False),
    ("pod-boot", "pods", "nginx", True),
    ("pod-crashloop", "pods", None, True),
    ("recreate", "pods", "same", False),
    ("secret-config", "secrets", None, False),
    ("secret-config", "configmaps", None, False),
    ("custom-resource", "widgets", None, False),
    ("node", "nodes", None, True),
    ("workloads", "jobs", None, True),
]


@pytest.mark.parametrize(("stream", "plural", "name", "status"), CASES)
def test_a_stream_reads_as_it_did(
    golden: Callable[[str, str], None],
    stream: str,
    plural: str,
    name: str | None,
    status: bool,
) -> None:
    command = "status" if status else "changes"
    plain = rendered(watched(stream, plural, name), PLAIN, status=status)
    golden(f"{command}-{stream}-{plural}.txt", plain)
    full = rendered(watched(stream, plural, name), PLAIN, status=status, full=True)
    golden(f"{command}-full-{stream}-{plural}.txt", full)
    colourful = rendered(watched(stream, plural, name), coloured(), status=status)
    assert re.sub(r"\x1b\[[0-9]+m", "", colourful) == plain
    if (stream, status) in {("deploy-rollout", True), ("secret-config", False)}:
        golden(f"{command}-{stream}-{plural}.ansi", colourful)

"""The SQL of docs/sql.md prints what the page says, of a file and of log records.

The recording is a night of three bundled streams. The watch of the first one's Pods is
lost for two seconds.
"""

from __future__ import annotations

import gzip
import json
import re
import shlex
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from kubectl_spy.core.changes.line_reading import decode
from kubectl_spy.core.objects import EventType, Selection, WatchEvent
from kubectl_spy.core.times import seconds
from kubectl_spy.sinks.closed_segments import Rotation
from kubectl_spy.sources.recording.segments import lines_of
from tests import processes
from tests.builders import bundled, event, pod
from tests.cli.command import Spy
from tests.extras.otel.otlp_logs import log_records, requests_in_json
from tests.recordings import ORIGIN, first_list, go_on, record, resealed
from tests.tracing import selection_of

pytestmark = pytest.mark.skipif(
    find_spec("duckdb") is None, reason="DuckDB has no wheel for this Python"
)
DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGE = (DOCS / "sql.md").read_text()
VIEWS = (DOCS / "sql" / "views.sql").read_text()
MIDNIGHT = seconds("2026-11-22T00:00:00Z")
STREAMS = {
    "deploy-rollout": MIDNIGHT - 600,
    "workloads": MIDNIGHT + 600,
    "pod-oom-liveness": MIDNIGHT + 630,
}
LOST = (MIDNIGHT - 586, MIDNIGHT - 584)
SOURCES = ("recording('night.spy*')", "collector('otlp*.jsonl')")
# DuckDB complains of leaks at the end of a process whose garbage was frozen.
ANSWER = """
import duckdb, json, sys
print(json.dumps([str(duckdb.sql(each)) for each in json.load(sys.stdin)]))
"""


class Block(NamedTuple):
    """A fenced block of the page, and the table below it, if there is one."""

    language: str
    text: str
    table: str


def blocks() -> list[Block]:
    """Return the blocks of commands and of SQL on the page."""
    fence = r"^```(sh|sql)\n(.*?)^```\n\n((?:^\|[^\n]*\n)*)"
    return [Block(*each) for each in re.findall(fence, PAGE, re.M | re.S)]


def answers(directory: Path, *statements: str) -> list[list[list[str]]]:
    """Return what DuckDB answers to each of *statements* in *directory*."""
    command = [sys.executable, "-c", ANSWER]
    ended = processes.run(
        command,
        input=json.dumps(statements).encode(),
        cwd=directory,
        capture_output=True,
    )
    assert ended.returncode == 0, ended.stderr.decode()
    return [cells(each) for each in json.loads(ended.stdout)]


def cells(table: str) -> list[list[str]]:
    """Return the names and rows of a table, without the line of types or dashes."""
    split = [re.split("[|│]", line)[1:-1] for line in table.splitlines()]
    rows = [[cell.strip() for cell in row] for row in split if row]
    return rows[:1] + rows[2:]


def night() -> tuple[list[Selection], list[WatchEvent]]:
    """Return what `record -A` watches, and the events of all streams in order."""
    begin = min(STREAMS.values())
    streams = {start: bundled(name) for name, start in STREAMS.items()}
    initial = [each for stream in streams.values() for each in stream.initial]
    watched = {of: selection_of(of.api_version, each["kind"]) for of, each in initial}
    changes = []
    for start, stream in streams.items():
        for step in stream.steps:
            of, kind = step.collection, step.object["kind"]
            watched.setdefault(of, selection_of(of.api_version, kind))
            type_ = EventType.DELETED if step.deleted else EventType.MODIFIED
            at = start + step.time
            changes.append(WatchEvent(type_, watched[of], at, step.object))
    events = [WatchEvent(EventType.LISTING, each, begin) for each in watched.values()]
    events += [
        WatchEvent(EventType.LISTED, watched[of], begin, each) for of, each in initial
    ]
    events += [WatchEvent(EventType.SYNCED, each, begin) for each in watched.values()]
    changes.sort(key=lambda event: event.time)
    return list(watched.values()), [*events, *lost_for_a_while(changes)]


def lost_for_a_while(changes: list[WatchEvent]) -> Iterator[WatchEvent]:
    """Yield *changes*, but for some of the Pods that a list then makes up for."""
    since, until = LOST
    present: dict[str, dict[str, Any]] = {}
    listed = False
    for change in changes:
        of_pods = change.selection.resource.plural == "pods"
        if of_pods and change.time >= until and not listed:
            listed, pods = True, change.selection
            yield WatchEvent(EventType.LISTING, pods, until, since=since, lost=True)
            for each in present.values():
                yield WatchEvent(EventType.LISTED, pods, until, each)
            yield WatchEvent(EventType.SYNCED, pods, until)
        if of_pods and change.object is not None and not listed:
            uid = change.object["metadata"]["uid"]
            present.pop(uid, None)
            if change.type is not EventType.DELETED:
                present[uid] = change.object
        if not of_pods or not since <= change.time < until:
            yield change


def date_as_its_events(segment: Path) -> None:
    """Date what the recorder says of itself as the first event of *segment* is."""
    packed = segment.suffix == ".gz"
    content = segment.read_bytes()
    lines = (gzip.decompress(content) if packed else content).splitlines(keepends=True)
    types = [decode(raw)["type"] for raw in lines]
    first = next(n for n, each in enumerate(types) if each not in ("HEADER", "STREAM"))
    time = decode(lines[first])["time"]
    written = b"".join(resealed(raw, time=time) for raw in lines[:first])
    written += b"".join(lines[first:])
    segment.write_bytes(gzip.compress(written) if packed else written)


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording in segments, and the same as a collector's file, out of order."""
    directory = tmp_path_factory.mktemp("night")
    path = directory / "night.spy"
    selections, events = night()
    origin = ORIGIN._replace(owned=True, targets=("all",))
    record(
        path,
        events,
        selections=selections,
        origin=origin,
        rotation=Rotation(size=200_000),
    )
    segments = list(directory.glob("night.spy.*"))
    assert len(segments) > 1
    for each in [path, *segments]:
        date_as_its_events(each)
    # What a recorder that was killed leaves behind.
    (directory / "night.spy.torn").write_bytes(b'{"seq":7,"ti')
    packed = segments[0].read_bytes()
    (directory / "night.spy.0009.gz.unfinished").write_bytes(packed[:5000])
    lines = [each.raw for each in lines_of(str(path))]
    records = log_records(lines, longest=3000)
    shuffled = records[::-1] + records[::7]
    requests = requests_in_json(shuffled, 50)
    (directory / "otlp.jsonl").write_bytes(b"".join(requests))
    return directory


@pytest.mark.parametrize("source", SOURCES)
def test_the_sql_answers_what_the_page_says(directory: Path, source: str) -> None:
    loading, *asked = (each for each in blocks() if each.language == "sql")
    (load,) = (each for each in loading.text.splitlines() if source in each)
    show = re.search(r"^    \$ kubectl spy (show .*) > (.*)$", PAGE, re.M)
    assert show
    shown = Spy(directory).run(*show[1].replace("night", f"{directory}/night").split())
    (directory / show[2]).write_text(shown.out)
    # Loaded twice, each line is there once.
    begin = (VIEWS, load, load)
    found = answers(directory, *begin, *(each.text for each in asked))
    for each, answer in zip(asked, found[len(begin) :], strict=True):
        assert answer == cells(each.table), each.text


def test_the_lines_to_begin_with_print_what_the_page_says(directory: Path) -> None:
    first = blocks()[0]
    pip, command = first.text.splitlines()
    assert pip == "pip install duckdb"
    words = command.replace("python3", shlex.quote(sys.executable), 1)
    ended = processes.run(["sh", "-c", words], cwd=directory, capture_output=True)
    assert cells(ended.stdout.decode()) == cells(first.table)


@pytest.mark.parametrize("source", SOURCES)
def test_every_line_is_loaded_with_its_size(directory: Path, source: str) -> None:
    size = sum(len(each.raw) for each in lines_of(str(directory / "night.spy")))
    asked = f"SELECT sum(bytes)::BIGINT AS bytes FROM {source}"
    assert answers(directory, VIEWS, asked)[1] == [["bytes"], [str(size)]]


def test_what_a_killed_recorder_wrote_again_counts_once(tmp_path: Path) -> None:
    path = tmp_path / "twice.spy"
    first, second = pod("a", rv="2"), pod("a", rv="3", phase="Running")
    sent = event("MODIFIED", second, time=MIDNIGHT + 1)
    record(path, [*first_list(first, time=MIDNIGHT), sent])
    past = event("LISTING", time=MIDNIGHT + 9, since=MIDNIGHT, version="2")
    late = [sent, event("DELETED", pod("a", rv="4"), time=MIDNIGHT + 9)]
    go_on(path, [past, event("LISTED", first, time=MIDNIGHT + 9), *late])
    load = "INSERT OR IGNORE INTO lines BY NAME FROM recording('twice.spy')"
    asked = "SELECT type FROM changes WHERE initial IS NOT TRUE ORDER BY seq"
    told = answers(tmp_path, VIEWS, load, asked)[-1]
    assert told == [["type"], ["MODIFIED"], ["DELETED"]]

"""Lines whose members are missing, or of another type. Such a GAP is damaged."""

from __future__ import annotations

import io
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import click
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kubectl_spy.cli.main import cli
from kubectl_spy.core.changes.earlier import EarlierWrite
from kubectl_spy.core.changes.line_reading import decode
from kubectl_spy.core.patch.operation import PatchOperation
from kubectl_spy.errors import SpyError
from kubectl_spy.extras.serve.recorded import RecordedCluster
from kubectl_spy.sinks.terminal import Terminal
from kubectl_spy.sources.recording.index import DAMAGED, Index
from kubectl_spy.sources.recording.versions import records_at
from tests.builders import ALL_PODS, event, pod
from tests.examples import examples
from tests.json_documents import hostile_json
from tests.recordings import ORIGIN, START, first_list, record, sealed

READERS = [
    "ls FILE --verify",
    "changes FILE",
    "changes FILE -o json",
    "changes pods --from FILE",
    "status pods --from FILE",
    "trace pod/a --from FILE",
    "events pod/a --from FILE",
    "spans pod/a --from FILE",
    "blame pod/a --from FILE",
    "summary FILE",
    "ls FILE",
    "export FILE -o html",
    "export FILE -o otlp-json",
]
SEEKING = [
    "show FILE pod/a",
    "show FILE pod/a --at 2026-11-21T15:04:15Z",
    "diff FILE pod/a first last",
    "diff FILE pod/a first 2026-11-21T15:04:15Z",
]
"""These say only what matters for their answer."""
MEMBERS = {
    False: ["apiVersion", "kind", "since", "until"],
    True: ["apiVersion", "kind", "name", "uid", "resourceVersion", "patch"],
}
"""The members of a GAP of a stream, and of an object, that cannot be missing."""
OTHERS: dict[str, Sequence[Any]] = {
    **dict.fromkeys(("apiVersion", "kind", "namespace", "uid", "previous"), (5, [])),
    "name": ["", 5, ["a"]],
    "since": [5, [], {}, "", "yesterday", "2026-11-21"],
    "until": [5, "tomorrow"],
    "written": [5, "now"],
    "initial": [1, "true"],
    "managers": [5, "kubelet", [5]],
    "patch": [5, "replace", {}],
}
HOSTILE = hostile_json("a", "pods", "v1", "Pod", "2026-11-21T15:04:05Z")
GONE = object()


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """A recording whose watch lost its history: a GAP of its stream, and of a Pod.

    It also has a PAST.
    """
    pods = [pod(name, rv=rv) for name, rv in (("a", "1"), ("b", "2"))]
    events = [
        *first_list(*pods, time=START),
        event("MODIFIED", pod("b", rv="3", phase="Running"), time=START + 5),
        event("LISTING", time=START + 20, since=START + 5, lost=True),
        event("LISTED", pod("a", rv="8", phase="Failed"), time=START + 20),
        event("LISTED", pod("b", rv="9", phase="Failed"), time=START + 25),
        event("SYNCED", time=START + 25),
        event("MODIFIED", pod("a", rv="10", phase="Running"), time=START + 30),
    ]
    file, owned = tmp_path_factory.mktemp("gap") / "f", ORIGIN._replace(owned=True)
    found = [decode(raw) for raw in record(file, events, origin=owned)]
    step = PatchOperation("replace", "/spec/nodeName", "node-2", "node-1")
    told = EarlierWrite(
        *(ALL_PODS, "default", "a", "uid-a", START - 60, START, "Event", "Event x"),
        *(("jane",), (step,), ("/spec/priority",), True),
    )
    found.insert(5, {"seq": 0, **told.as_json(), "stream": 0})
    return [{**each, "seq": number} for number, each in enumerate(found, 1)]


def gap_of(lines: list[dict[str, Any]], *, of_object: bool) -> int:
    """Return which line is the first GAP of an object, or of a stream."""
    return next(
        number
        for number, line in enumerate(lines)
        if line["type"] == "GAP" and ("name" in line) == of_object
    )


def damaged(
    file: Path, lines: list[dict[str, Any]], at: int, line: dict[str, Any]
) -> Path:
    """Write *lines* with *line* in place of one of them."""
    file.write_bytes(b"".join(map(sealed, [*lines[:at], line, *lines[at + 1 :]])))
    return file


def read(words: str, file: Path) -> tuple[str, str]:
    """Run a command in this process. Return what it printed; a bug is raised."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    argv = [str(file) if word == "FILE" else word for word in words.split()]
    try:
        with cli.make_context("spy", argv, obj=Terminal(out, err)) as context:
            cli.invoke(context)
    except (SpyError, click.exceptions.Exit) as ended:
        print(ended, file=err)
    out.seek(0)
    err.seek(0)
    return out.read(), err.read()


def review(file: Path) -> list[str]:
    """Read the file as `review` and `serve` do. Return which lines are damaged."""
    with closing(Index(str(file))) as index:
        index.grow(60)
        for line in range(len(index)):
            if index.type(line) != DAMAGED:
                records_at(index, line)
        cluster = RecordedCluster(index)
        for line in range(len(index)):
            cluster.seek(line)
        return list(map(str, index.recording.damages))


@pytest.mark.parametrize("words", READERS + SEEKING)
def test_the_whole_recording_is_read_without_damage(
    lines: list[dict[str, Any]], tmp_path: Path, words: str
) -> None:
    file = damaged(tmp_path / "f.spy", lines, 0, lines[0])
    assert "damaged" not in "".join(read(words, file))
    assert review(file) == []


@pytest.mark.parametrize("of_object", [False, True])
def test_a_gap_without_a_member_is_damaged(
    lines: list[dict[str, Any]], tmp_path: Path, of_object: bool
) -> None:
    at = gap_of(lines, of_object=of_object)
    for member in MEMBERS[of_object]:
        line = {name: each for name, each in lines[at].items() if name != member}
        file = damaged(tmp_path / "f.spy", lines, at, line)
        damage = f"{file}: line {at + 1} is damaged: it has no {member}"
        assert review(file)[0] == damage
        for words in READERS:
            assert damage in "".join(read(words, file)), words


@pytest.mark.parametrize("of_object", [False, True])
def test_a_gap_with_a_member_of_another_type_is_damaged(
    lines: list[dict[str, Any]], tmp_path: Path, of_object: bool
) -> None:
    at = gap_of(lines, of_object=of_object)
    for member, other in [(name, each) for name in OTHERS for each in OTHERS[name]]:
        file = damaged(tmp_path / "f.spy", lines, at, {**lines[at], member: other})
        (damage, *_) = review(file)
        assert damage.startswith(
            f"{file}: line {at + 1} is damaged: its {member} is no"
        )
        assert damage in read("changes FILE", file)[1]


@given(
    at=st.integers(0, 20),
    members=st.dictionaries(
        st.integers(0, 20), st.one_of(st.just(GONE), HOSTILE), min_size=1, max_size=3
    ),
    words=st.sampled_from(READERS + SEEKING),
)
@settings(examples(400), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_line_makes_a_reader_fail(
    lines: list[dict[str, Any]],
    tmp_path: Path,
    at: int,
    members: dict[int, Any],
    words: str,
) -> None:
    """Any members of any line are missing, or of another type."""
    at %= len(lines)
    line, names = lines[at].copy(), list(lines[at])
    for number, value in members.items():
        line[names[number % len(names)]] = value
    line = {name: each for name, each in line.items() if each is not GONE}
    file = damaged(tmp_path / "f.spy", lines, at, line)
    read(words, file)
    with suppress(SpyError):
        review(file)

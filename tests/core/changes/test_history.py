"""What each sequence of watch events means to a reader."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import Any

import jsonpatch
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.core.changes.history import History
from kubectl_spy.core.changes.projection import Excerpt, Projection, without_noise
from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.core.jsontext import canonical
from kubectl_spy.core.objects import Selection, WatchEvent
from tests.builders import ALL_PODS, SOME_PODS, STREAMS, event, pod, recorded_lines
from tests.recordings import first_list
from tests.tales import tale

WHOLE, STATUS = Excerpt(), Excerpt(status=True)


def fold(
    *events: WatchEvent,
    view: Excerpt = STATUS,
    watch_only: bool = False,
    noise: bool = False,
) -> list[ChangeRecord]:
    history = History(noise=noise)
    projection = Projection(view, watch_only=watch_only)
    changes = (change for item in events for change in history.observe(item))
    return [shown for each in changes if (shown := projection.narrowed(each))]


def types(records: list[ChangeRecord]) -> list[str]:
    return [record.type.value for record in records]


def told_of(records: list[ChangeRecord]) -> str:
    """Return what each record says: type, object, where it changed, and marks."""
    said = []
    for each in records:
        name = f"{each.name}/{each.uid}" if each.uid[:4] != "uid-" else each.name
        marks = ("initial", "listed", "inferred")
        parts = [each.type.value, "" if each.of_stream else name]
        parts += [step.path for step in each.patch or ()]
        parts += [f"since {each.previous}"] if each.previous else []
        said.append(parts + [mark for mark in marks if getattr(each, mark)])
    return "; ".join(" ".join(filter(None, each)) for each in said)


TALES = {
    "an object deleted during a new list is gone": (
        "begins a b; lists b",
        "ADDED a initial; ADDED b initial; DELETED a inferred",
    ),
    "changes at a restarted first list are gaps": (
        "begins a; lists a:Running=7",
        "ADDED a initial; GAP a /status/phase since 1 listed",
    ),
    "unreadable listed objects do not count as deleted": (
        "lists a; relists ?",
        "ADDED a initial; GAP; GAP",
    ),
    "a repeated delete is one record": (
        "lists web; -web=2; -web=2",
        "ADDED web initial; DELETED web",
    ),
    "a repeated delete of an unknown object is one record": (
        "lists; -web=2; -web=2",
        "DELETED web",
    ),
    "a list that begins again admits its gap once": (
        "lists a=1; rebegins; relists a=1",
        "ADDED a initial; GAP",
    ),
    "later objects are not initial": ("lists; +web", "ADDED web"),
    "one resource version is seen once": (
        "lists web; web:Running=2; web:Running=2",
        "ADDED web initial; MODIFIED web /status/phase since 1",
    ),
    "a list again without resource versions is quiet": (
        "lists web=; quietly web=",
        "ADDED web initial",
    ),
    "a list again without resource versions may differ": (
        "lists web=; quietly web:Running=",
        "ADDED web initial; GAP; GAP web /status/phase listed",
    ),
    "deleted and created again is another object": (
        "lists web/one; -web/one; +web/two:Running",
        "ADDED web/one initial; DELETED web/one; ADDED web/two",
    ),
    "a new uid whose predecessor's deletion was missed says so first": (
        "lists web/one; web/two",
        "ADDED web/one initial; DELETED web/one inferred; ADDED web/two",
    ),
    "a list of a lost connection is a gap": (
        "lists web; relists web",
        "ADDED web initial; GAP",
    ),
    "a list again that shows nothing new is quiet": (
        "lists web=1; quietly web=1",
        "ADDED web initial",
    ),
    "a list again that differs admits a gap first": (
        "lists web gone; quietly web:Running",
        "ADDED web initial; ADDED gone initial; GAP; GAP web /status/phase"
        " since 1 listed; DELETED gone inferred",
    ),
    "after a list again changes are plain ones": (
        "lists web=1; relists web=1; web:Running=7",
        "ADDED web initial; GAP; MODIFIED web /status/phase since 1",
    ),
    "a version that could not be read makes the next change a gap": (
        "lists web; ?; web:Running; web:Failed",
        "ADDED web initial; GAP; GAP web /status/phase since 1; MODIFIED"
        " web /status/phase since 2",
    ),
    "a gap comes before the objects of its list": (
        "lists web gone same=3; relists web:Running same=3 new",
        "ADDED web initial; ADDED gone initial; ADDED same initial; GAP;"
        " GAP web /status/phase since 1 listed; ADDED new listed; DELETED"
        " gone inferred",
    ),
}


@pytest.mark.parametrize(("happened", "said"), TALES.values(), ids=TALES)
def test_sequences_of_events_are_told_as_what_happened(
    happened: str, said: str
) -> None:
    assert told_of(fold(*tale(happened))) == said


@pytest.mark.parametrize(
    ("happened", "said"),
    [
        (
            "lists web; -web; +web:Running=5",
            "ADDED web initial; LEFT web; GAP web /status/phase since 1",
        ),
        # It is shown even if it is unchanged.
        ("lists web; -web; +web=5", "ADDED web initial; LEFT web; GAP web since 1"),
    ],
)
def test_an_object_that_leaves_a_selection_may_return_and_that_is_a_gap(
    happened: str, said: str
) -> None:
    assert told_of(fold(*tale(happened, SOME_PODS))) == said


def test_a_gap_of_a_stream_says_from_when_to_when() -> None:
    _, gap, *others = fold(*tale("lists web; relists web:Running new"))
    assert (gap.since, gap.until, gap.of_stream) == (50.0, 60, True)
    assert others[1].as_json()["listed"] is True


def test_objects_of_the_first_list_are_initial() -> None:
    (record,) = fold(*first_list(pod()))
    assert (record.type.value, record.initial, record.seq) == ("ADDED", True, 1)
    assert record.document == {"status": {"phase": "Pending"}}


def test_watch_only_prints_nothing_for_what_is_there_and_patches_from_it() -> None:
    (record,) = fold(
        *first_list(pod()),
        event("MODIFIED", pod(rv="2", phase="Running")),
        watch_only=True,
    )
    assert (record.seq, record.type.value, record.previous) == (1, "MODIFIED", "1")


def test_a_version_without_a_visible_change_takes_no_seq() -> None:
    records = fold(
        *first_list(pod()),
        event("MODIFIED", pod(rv="2", labels={"a": "b"})),
        event("MODIFIED", pod(rv="3", phase="Running")),
    )
    assert [(r.seq, r.resource_version, r.previous) for r in records] == [
        (1, "1", None),
        (2, "3", "1"),
    ]


def test_noise_of_the_server_is_no_change() -> None:
    noisy = pod(rv="2", managedFields=[{"manager": "m", "time": "t"}])
    assert types(fold(*first_list(pod()), event("MODIFIED", noisy), view=WHOLE)) == [
        "ADDED"
    ]


def test_with_noise_every_version_is_a_change() -> None:
    records = fold(
        *first_list(pod()), event("MODIFIED", pod(rv="2")), view=WHOLE, noise=True
    )
    assert [step.path for step in records[1].patch] == ["/metadata/resourceVersion"]


def test_versions_without_a_resource_version_are_told_apart_by_content() -> None:
    missing = pod(phase="Running")
    del missing["metadata"]["resourceVersion"]
    records = fold(
        *first_list(pod(rv="")),
        event("MODIFIED", pod(rv="")),
        event("MODIFIED", pod(rv="", phase="Running")),
        event("MODIFIED", missing),
        event("MODIFIED", pod(rv="2", phase="Failed")),
        event("MODIFIED", pod(rv="", phase="Failed")),
    )
    assert types(records) == ["ADDED", "MODIFIED", "MODIFIED"]
    assert [record.resource_version for record in records] == ["", "", "2"]


def test_a_status_that_appears_is_added() -> None:
    bare = pod()
    del bare["status"]
    records = fold(*first_list(bare), event("MODIFIED", pod(rv="2")))
    assert [(s.op, s.path) for s in records[1].patch] == [("add", "/status")]


def test_elapsed_counts_from_the_previous_change_and_not_from_the_first_list() -> None:
    records = fold(
        *first_list(pod(), time=10.0),
        event("MODIFIED", pod(rv="2", phase="Running"), time=20.0),
        event("MODIFIED", pod(rv="3", phase="Failed"), time=21.5),
    )
    assert [record.elapsed for record in records] == [None, None, 1.5]


def test_time_never_runs_backwards() -> None:
    records = fold(
        *first_list(pod(), time=10.0),
        event("MODIFIED", pod(rv="2", phase="Running"), time=4.0),
    )
    assert [record.time for record in records] == [10.0, 10.0]


def test_streams_do_not_mix() -> None:
    records = fold(
        *first_list(pod(), selection=ALL_PODS),
        *first_list(pod(), selection=SOME_PODS),
        event("DELETED", pod(rv="2"), selection=SOME_PODS),
        event("MODIFIED", pod(rv="2", phase="Running"), selection=ALL_PODS),
    )
    assert types(records) == ["ADDED", "ADDED", "LEFT", "MODIFIED"]


def test_an_object_without_a_uid_is_known_by_its_name() -> None:
    def bare(rv: str, phase: str) -> dict[str, Any]:
        obj = pod(rv=rv, phase=phase)
        del obj["metadata"]["uid"]
        return obj

    records = fold(
        *first_list(bare("1", "Pending")),
        event("MODIFIED", bare("2", "Running")),
        event("DELETED", bare("3", "Running")),
    )
    assert types(records) == ["ADDED", "MODIFIED", "DELETED"]
    assert {record.uid for record in records} == {""}


def replayed(records: list[ChangeRecord]) -> dict[str, Any]:
    """Fold patches with the jsonpatch package, as a reader of -o json would."""
    documents: dict[str, Any] = {}
    for record in records:
        line = record.as_json()
        if line["type"] == "ADDED":
            documents[line["uid"]] = line["object"]
        elif "patch" in line:
            before = documents[line["uid"]]
            documents[line["uid"]] = jsonpatch.apply_patch(before, line["patch"])
        elif line["type"] == "DELETED":
            documents.pop(line["uid"], None)
    return documents


def observed(path: Path, on: Selection) -> tuple[History, list[ChangeRecord]]:
    """Return the records of a recorded stream, as if watched by that selection."""
    history = History()
    records: list[ChangeRecord] = []
    selections: dict[str, Selection] = {}
    for line in recorded_lines(path):
        selection = selections.setdefault(line["path"], on._replace())
        for kind, obj in told(line):
            item = event(kind, obj, time=line["t"], selection=selection)
            records += history.observe(item)
    return history, records


def told(line: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return types and objects of the events in a line of a recorded stream."""
    if "list" in line:
        return [("LISTED", item) for item in line["list"]["items"]]
    kind = line["event"]["type"]
    return [] if kind == "BOOKMARK" else [(kind, line["event"]["object"])]


def test_the_records_of_every_recorded_stream_give_its_last_state_back() -> None:
    for path in sorted(STREAMS.glob("*.ndjson.gz")):
        last: dict[str, Any] = {}
        for kind, obj in chain.from_iterable(map(told, recorded_lines(path))):
            if kind == "DELETED":
                last.pop(obj["metadata"]["uid"])
            else:
                last[obj["metadata"]["uid"]] = without_noise(obj)
        _, records = observed(path, ALL_PODS)
        assert canonical(replayed(records)) == canonical(last)
        assert [r.seq for r in records] == list(range(1, len(records) + 1))


def test_records_are_the_same_however_documents_are_kept() -> None:
    for path in sorted(STREAMS.glob("*.ndjson.gz")):
        as_text, records = observed(path, ALL_PODS)
        parsed, again = observed(path, ALL_PODS._replace(name="one"))
        for one, other in zip(records, again, strict=True):
            assert one.as_json() == other.as_json()
            assert canonical(one.document) == canonical(other.document)
        for one, other in zip(as_text.present(), parsed.present(), strict=True):
            assert canonical(one.document) == canonical(other.document)


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("PRF")), max_size=12))
def test_patches_lead_to_what_the_server_has(writes: list[tuple[str, str]]) -> None:
    events, state = first_list(pod("a"), pod("b")), {"a": "Pending", "b": "Pending"}
    for number, (name, phase) in enumerate(writes):
        events.append(event("MODIFIED", pod(name, rv=str(number + 2), phase=phase)))
        state[name] = phase
    documents = replayed(fold(*events))
    assert {uid: d["status"]["phase"] for uid, d in documents.items()} == {
        f"uid-{name}": phase for name, phase in state.items()
    }

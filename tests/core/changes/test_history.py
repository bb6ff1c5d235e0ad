"""What each sequence of watch events means to a reader."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import Any

import jsonpatch
from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.core.changes.history import History
from kubectl_spy.core.changes.projection import Excerpt, Projection, without_noise
from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.core.jsontext import canonical
from kubectl_spy.core.objects import Selection, WatchEvent
from tests.builders import ALL_PODS, SOME_PODS, STREAMS, event, pod, recorded_lines

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


def first_list(*pods: dict[str, Any], **more: Any) -> list[WatchEvent]:
    return [
        event("LISTING", **more),
        *(event("LISTED", each, **more) for each in pods),
        event("SYNCED", **more),
    ]


def relist(*pods: dict[str, Any], lost: bool = True, **more: Any) -> list[WatchEvent]:
    listing, *rest = first_list(*pods, **more)
    return [listing._replace(lost=lost, since=50.0), *rest]


def test_an_object_deleted_during_a_new_list_is_gone() -> None:
    first = first_list(pod("a"), pod("b"))[:-1]
    records = fold(*first, *first_list(pod("b")))
    assert [(each.type.value, each.name) for each in records] == [
        ("ADDED", "a"),
        ("ADDED", "b"),
        ("DELETED", "a"),
    ]


def test_changes_at_a_restarted_first_list_are_gaps() -> None:
    first = first_list(pod("a"))[:-1]
    records = fold(*first, *first_list(pod("a", rv="7", phase="Running")))
    assert types(records) == ["ADDED", "GAP"]


def test_unreadable_listed_objects_do_not_count_as_deleted() -> None:
    listing, *_, synced = relist()
    events = (*first_list(pod("a")), listing, event("UNREADABLE"), synced)
    assert types(fold(*events)) == ["ADDED", "GAP", "GAP"]


def test_a_repeated_delete_is_one_record() -> None:
    end = event("DELETED", pod(rv="2"))
    assert types(fold(*first_list(pod()), end, end)) == ["ADDED", "DELETED"]
    assert types(fold(*first_list(), end, end)) == ["DELETED"]


def test_a_list_that_begins_again_admits_its_gap_once() -> None:
    records = fold(*first_list(pod("a")), *relist()[:-1], *relist(pod("a")))
    assert types(records) == ["ADDED", "GAP"]


def test_objects_of_the_first_list_are_initial() -> None:
    (record,) = fold(*first_list(pod()))
    assert (record.type.value, record.initial, record.seq) == ("ADDED", True, 1)
    assert record.document == {"status": {"phase": "Pending"}}


def test_later_objects_are_not_initial() -> None:
    (record,) = fold(*first_list(), event("ADDED", pod()))
    assert (record.type.value, record.initial) == ("ADDED", False)


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


def test_one_resource_version_is_seen_once() -> None:
    again = event("MODIFIED", pod(rv="2", phase="Running"))
    assert types(fold(*first_list(pod()), again, again)) == ["ADDED", "MODIFIED"]


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


def test_a_list_again_without_resource_versions_is_quiet_unless_it_differs() -> None:
    same = fold(*first_list(pod(rv="")), *relist(pod(rv=""), lost=False))
    assert types(same) == ["ADDED"]
    other = pod(rv="", phase="Running")
    records = fold(*first_list(pod(rv="")), *relist(other, lost=False))
    assert types(records) == ["ADDED", "GAP", "GAP"]
    assert records[1].of_stream and records[2].patch


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


def test_deleted_and_created_again_is_another_object() -> None:
    records = fold(
        *first_list(pod(uid="one")),
        event("DELETED", pod(uid="one", rv="2")),
        event("ADDED", pod(uid="two", rv="3", phase="Running")),
    )
    assert [(r.type.value, r.uid) for r in records] == [
        ("ADDED", "one"),
        ("DELETED", "one"),
        ("ADDED", "two"),
    ]


def test_a_new_uid_whose_predecessors_deletion_was_missed_says_so_first() -> None:
    records = fold(
        *first_list(pod(uid="one")), event("MODIFIED", pod(uid="two", rv="3"))
    )
    assert [(r.type.value, r.uid, r.inferred) for r in records] == [
        ("ADDED", "one", False),
        ("DELETED", "one", True),
        ("ADDED", "two", False),
    ]


def test_an_object_that_leaves_a_selection_may_return_and_that_is_a_gap() -> None:
    on: dict[str, Any] = {"selection": SOME_PODS}
    records = fold(
        *first_list(pod(), **on),
        event("DELETED", pod(rv="2"), **on),
        event("ADDED", pod(rv="5", phase="Running"), **on),
    )
    assert types(records) == ["ADDED", "LEFT", "GAP"]
    assert [step.path for step in records[2].patch] == ["/status/phase"]
    assert records[2].previous == "1"


def test_a_returning_object_is_shown_even_if_unchanged() -> None:
    on: dict[str, Any] = {"selection": SOME_PODS}
    records = fold(
        *first_list(pod(), **on),
        event("DELETED", pod(rv="2"), **on),
        event("ADDED", pod(rv="5"), **on),
    )
    assert types(records) == ["ADDED", "LEFT", "GAP"]
    assert records[2].patch == ()


def test_a_gap_comes_before_the_objects_of_its_list() -> None:
    records = fold(
        *first_list(pod(), pod("gone"), pod("same")),
        *relist(pod(rv="9", phase="Running"), pod("same"), pod("new", rv="8"), time=60),
    )
    told = [(r.type.value, r.name, r.inferred) for r in records[3:]]
    assert told == [
        ("GAP", "", False),
        ("GAP", "web", False),
        ("ADDED", "new", False),
        ("DELETED", "gone", True),
    ]
    assert (records[3].since, records[3].until) == (50.0, 60)
    assert [record.listed for record in records[3:]] == [False, True, True, False]
    assert records[5].as_json()["listed"] is True
    assert records[3].of_stream and not records[4].of_stream
    assert not records[5].initial


def test_a_list_again_that_shows_nothing_new_is_quiet() -> None:
    assert types(fold(*first_list(pod()), *relist(pod(), lost=False))) == ["ADDED"]


def test_a_list_again_that_differs_admits_a_gap_first() -> None:
    records = fold(
        *first_list(pod(), pod("gone")),
        *relist(pod(rv="4", phase="Running"), lost=False),
    )
    assert [(r.type.value, r.name) for r in records[2:]] == [
        ("GAP", ""),
        ("GAP", "web"),
        ("DELETED", "gone"),
    ]


def test_after_a_list_again_changes_are_plain_ones() -> None:
    records = fold(
        *first_list(pod()),
        *relist(pod()),
        event("MODIFIED", pod(rv="7", phase="Running")),
    )
    assert types(records) == ["ADDED", "GAP", "MODIFIED"]


def test_a_version_that_could_not_be_read_makes_the_next_change_a_gap() -> None:
    records = fold(
        *first_list(pod()),
        event("UNREADABLE"),
        event("MODIFIED", pod(rv="3", phase="Running")),
        event("MODIFIED", pod(rv="4", phase="Failed")),
    )
    assert types(records) == ["ADDED", "GAP", "GAP", "MODIFIED"]


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

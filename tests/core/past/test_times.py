"""When versions were written, by what they tell themselves."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.core.past.times import (
    Moment,
    WriteTime,
    created,
    deleted,
    moments,
    written,
)
from kubectl_spy.core.times import seconds

DAY = "2026-11-25T"


def at(word: str) -> float:
    return seconds(f"{DAY}{word}Z")


def version(*entries: tuple[str, str, Any], **members: Any) -> dict[str, Any]:
    """Return a version with managedFields: manager, time of day or "", fields."""
    managed = [
        {
            "manager": manager,
            "operation": "Update",
            "fieldsV1": fields,
            **({"time": f"{DAY}{time}Z"} if time else {"subresource": "scale"}),
        }
        for manager, time, fields in entries
    ]
    metadata = {"name": "web", "managedFields": managed, **members.pop("metadata", {})}
    return {"metadata": metadata, **members}


REPLICAS: dict[str, Any] = {"f:spec": {"f:replicas": {}}}
STATUS: dict[str, Any] = {"f:status": {"f:ready": {}}}


def test_a_write_has_the_time_that_its_manager_left() -> None:
    before = version(("edit", "10:00:00", REPLICAS), spec={"replicas": 1})
    after = version(("edit", "10:00:07", REPLICAS), spec={"replicas": 2})
    assert written(before, after) == at("10:00:07")


def test_a_second_write_in_a_second_has_the_time_of_who_owns_what_it_wrote() -> None:
    entries = ("edit", "10:00:00", REPLICAS), ("kubelet", "10:00:07", STATUS)
    before = version(*entries, spec={"replicas": 1}, status={"ready": 1})
    after = version(*entries, spec={"replicas": 1}, status={"ready": 2})
    assert written(before, after) == at("10:00:07")


def test_a_write_of_the_scale_tells_no_time() -> None:
    before = version(("edit", "10:00:00", REPLICAS), spec={"replicas": 1})
    after = version(("scaler", "", REPLICAS), spec={"replicas": 2})
    assert written(before, after) is None


def test_a_removal_tells_no_time() -> None:
    entry: tuple[str, str, Any] = ("edit", "10:00:00", {})
    assert written(version(entry, spec={"paused": True}), version(entry)) is None


def test_the_request_of_a_deletion_came_its_grace_period_before() -> None:
    gone = {
        "deletionTimestamp": f"{DAY}10:00:30Z",
        "deletionGracePeriodSeconds": 30,
    }
    assert written(version(), version(metadata=gone)) == at("10:00:00")


def test_a_deletion_without_grace_ends_at_once() -> None:
    asked = {"deletionTimestamp": f"{DAY}10:00:30Z", "deletionGracePeriodSeconds": 0}
    assert deleted(version(metadata=asked)) == at("10:00:30")
    held = {**asked, "finalizers": ["example.com/keep"]}
    assert deleted(version(metadata=held)) is None
    assert deleted(version(metadata={**asked, "deletionGracePeriodSeconds": 9})) is None
    assert deleted(version()) is None


def test_a_creation_has_its_own_time() -> None:
    assert created(version(metadata={"creationTimestamp": f"{DAY}09:00:00Z"})) == at(
        "09:00:00"
    )
    assert created(version(metadata={"creationTimestamp": "soon"})) is None


def test_a_time_that_is_not_told_is_that_of_the_next_write() -> None:
    told = [WriteTime(100.0), WriteTime(None), WriteTime(160.0)]
    assert moments(told, 999.0) == [
        Moment(100.0),
        Moment(160.0, bound=True),
        Moment(160.0),
    ]


def test_between_two_writes_of_one_second_it_is_known() -> None:
    told = [WriteTime(100.0), WriteTime(None), WriteTime(101.0)]
    assert moments(told, 999.0)[1] == Moment(101.0)
    assert moments([WriteTime(None, after=100.0), WriteTime(101.0)], 999.0)[
        0
    ] == Moment(101.0)


def test_the_last_one_came_before_now() -> None:
    assert moments([WriteTime(None)], 999.0) == [Moment(999.0, bound=True)]


@given(
    st.lists(st.tuples(st.integers(0, 9), st.booleans(), st.booleans()), max_size=12)
)
def test_times_never_decrease_and_true_ones_are_within_their_bounds(
    writes: list[tuple[int, bool, bool]],
) -> None:
    true, now = [], 100
    for pause, _, _ in writes:
        now += pause
        true.append(float(now))
    told = [
        WriteTime(time if tells else None, time if hints else 0.0)
        for time, (_, tells, hints) in zip(true, writes, strict=True)
    ]
    found = moments(told, now + 5.0)
    assert [each.time for each in found] == sorted(each.time for each in found)
    for time, moment in zip(true, found, strict=True):
        assert time <= moment.time
        assert moment.bound or moment.time - time <= 1

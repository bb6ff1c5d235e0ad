"""What several sources tell is one write, in one order, up to what is remembered."""

from __future__ import annotations

from kubectl_spy.core.changes.earlier import EarlierWrite
from kubectl_spy.core.past.merging import known, merged
from kubectl_spy.core.past.subject import Subject
from kubectl_spy.core.patch.operation import PatchOperation
from tests.core.past.leaving import HORIZON, START, left, told

WEB = left("Deployment")


def write(
    begin: float,
    end: float | None = None,
    *,
    path: str = "",
    fields: str = "",
    by: str = "",
    origin: str = "ReplicaSet",
    certain: bool = True,
) -> tuple[Subject, EarlierWrite]:
    until = START + (begin if end is None else end)
    return WEB, WEB.write(
        *(START + begin, until, origin, "one"),
        managers=(by,) if by else (),
        patch=[PatchOperation("replace", path, 2, 1)] if path else (),
        fields=(fields,) if fields else (),
        approximate=not certain,
    )


def found(*writes: tuple[Subject, EarlierWrite], since: float = 0.0) -> list[str]:
    return told(merged(writes, START + since))


def test_they_come_by_time_whatever_told_them_first() -> None:
    later, earlier = write(20, path="/spec/replicas"), write(10, path="/spec/paused")
    assert found(later, earlier) == found(earlier, later)
    assert [each.split()[0] for each in found(later, earlier)] == ["10", "20"]


def test_what_is_outside_of_the_time_is_left_out_and_the_rest_keeps_its_times() -> None:
    assert found(write(5, path="/spec/replicas"), since=10) == []
    assert found(write(3601, path="/spec/replicas")) == []
    loose = write(5, 9999, path="/spec/replicas")
    assert found(write(10, path="/spec/paused"), loose, since=10) == [
        "5-horizon replicas 1 → 2",
        "10 paused 1 → 2",
    ]


def test_who_wrote_in_that_second_is_not_told_twice() -> None:
    change = write(10, path="/spec/replicas", by="kubectl")
    owner = write(11, fields="/spec", by="kubectl", origin="managedFields")
    assert found(change, owner) == ["10 replicas 1 → 2 by kubectl"]
    other = write(11, fields="/spec", by="helm", origin="managedFields")
    assert len(found(change, other)) == 2
    later = write(13, fields="/spec", by="kubectl", origin="managedFields")
    assert len(found(change, later)) == 2


def test_the_closer_time_is_told_of_the_same_values() -> None:
    close, loose = write(10, path="/spec/replicas"), write(5, 50, path="/spec/replicas")
    assert found(loose, close) == ["10 replicas 1 → 2"]
    assert len(found(loose, write(60, path="/spec/replicas"))) == 2
    assert len(found(loose, write(10, path="/spec/paused"))) == 2


def test_what_is_certain_is_told_of_the_same_second() -> None:
    rollout = write(11, path="/spec/replicas", certain=False)
    release = write(10, path="/spec/replicas", by="helm")
    assert found(rollout, release) == ["10 replicas 1 → 2 by helm"]
    strange = write(11, path="/spec/replicas", by="kubectl", certain=False)
    assert len(found(strange, release)) == 2
    assert len(found(write(11, path="/spec/replicas"), release)) == 2


def test_its_creation_and_what_was_before_it_are_no_writes_of_an_object() -> None:
    assert not found(write(-60, path="/spec/replicas"), write(0.9, fields="/spec"))
    assert len(found(write(-60, 10, path="/spec/replicas"))) == 1


def test_known_writes_are_counted_by_the_generation() -> None:
    subject = left("Deployment")
    subject.document["metadata"]["generation"] = 5
    told = [write(10, path="/spec/replicas")[1], write(20, path="/metadata/labels")[1]]
    assert known(subject, told) == (2, 5)
    assert known(subject, told * 9) == (5, 5)
    assert known(WEB, told) is None


def test_the_horizon_is_the_one_of_its_type() -> None:
    assert WEB.horizon == HORIZON

"""What must be true of every watch, whatever went wrong: the matrix' invariants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jsonpatch

from kubectl_spy.core.changes.record import ChangeRecord, ChangeType
from tests.sources.watching.matrix.cluster import Version
from tests.sources.watching.matrix.server import Asked

PROMPT = 0.2
"""Seconds that Ctrl-C may take."""
AT_ONCE = 5
"""Requests without a pause: a list, a watch, its end, and the two to recover."""


def judge_order(records: Sequence[ChangeRecord]) -> None:
    """Nothing is left out of the numbering, and time never runs backwards."""
    assert [each.seq for each in records] == list(range(1, len(records) + 1))
    times = [each.time for each in records]
    assert times == sorted(times)


def judge_versions(
    records: Sequence[ChangeRecord], happened: Sequence[Version], listed_at: int
) -> set[int]:
    """Return which versions were missed: those that a GAP, or the like, admits.

    *happened* is all that was written, *listed_at* the version of the first list: of
    what came before that, only what it held is to be seen.
    """
    seen: dict[str, list[int]] = {}
    admitted: set[int] = set()
    for record in records:
        if record.of_stream:
            continue
        numbers = seen.setdefault(record.uid, [])
        number = int(record.resource_version)
        known = numbers[-1] if numbers else listed_at
        written = [each.number for each in happened if each.uid == record.uid]
        if record.inferred:
            # No version is shown; the one that is named is the last that was.
            assert number == known or not numbers, record
            admitted.update(each for each in written if each > number)
            continue
        assert number not in numbers, f"twice: {record}"
        assert not numbers or number > known, f"backwards: {record}"
        if record.type is ChangeType.MODIFIED and numbers:
            assert record.previous == str(known), record
        passed = {each for each in written if known < each < number}
        if passed:
            assert record.type in (ChangeType.GAP, ChangeType.ADDED), record
            admitted |= passed
        numbers.append(number)
    expected = {each.number for each in happened if each.number > listed_at}
    missed = expected - {number for numbers in seen.values() for number in numbers}
    gaps = [record for record in records if record.of_stream]
    assert not missed or gaps, f"lost without a word: {sorted(missed)}"
    unseen = {each.number for each in happened if each.uid not in seen}
    assert missed <= admitted | unseen, f"lost: {sorted(missed - admitted - unseen)}"
    return missed


def judge_documents(
    records: Sequence[ChangeRecord], present: dict[str, dict[str, Any]]
) -> None:
    """The documents and their patches lead to exactly what the server has."""
    documents: dict[str, Any] = {}
    for record in records:
        match record.type:
            case ChangeType.ADDED:
                assert record.uid not in documents, record
                documents[record.uid] = record.document
            case ChangeType.MODIFIED | ChangeType.GAP if not record.of_stream:
                patch = [step.as_json() for step in record.patch]
                before = documents[record.uid]
                documents[record.uid] = jsonpatch.apply_patch(before, patch)
            case ChangeType.DELETED:
                del documents[record.uid]
    assert documents == present


def judge_requests(log: Sequence[Asked], second: float) -> None:
    """At most one request a second on average, of seconds that are *second* long."""
    for all_of_them, burst in (
        ([each.at for each in log], AT_ONCE),
        ([each.at for each in log if each.failed], 1),
    ):
        for first, at in enumerate(all_of_them):
            for last in range(first + burst + 1, len(all_of_them)):
                # A clock read on either side of a busy machine is not exact.
                least = (last - first - burst) * second * 0.8
                assert all_of_them[last] - at >= least, (first, last, log)

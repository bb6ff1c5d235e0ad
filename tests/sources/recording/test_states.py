"""What is found at a point is what reading every line finds, at every point."""

from __future__ import annotations

import gzip
import random
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from benchmarks.recorded import START, bundled, record
from kubectl_spy.core.changes.lines import CHANGES
from kubectl_spy.core.changes.points import (
    AtVersion,
    First,
    Point,
    is_after,
    parse_point,
)
from kubectl_spy.core.changes.record import ChangeRecord, ChangeType
from kubectl_spy.core.changes.recording_format import is_sealed
from kubectl_spy.core.jsontext import canonical, loads
from kubectl_spy.core.objects import Selection, WatchEvent
from kubectl_spy.errors import SpyError
from kubectl_spy.render.moments import day_and_clock
from kubectl_spy.sinks.closed_segments import Rotation
from kubectl_spy.sources.recording.index import Index
from kubectl_spy.sources.recording.object_filter import ObjectFilter
from kubectl_spy.sources.recording.recording import Recording
from kubectl_spy.sources.recording.segments import lines_of
from kubectl_spy.sources.recording.states import several, state_at
from kubectl_spy.sources.recording.versions import history
from kubectl_spy.sources.resolution.target import parse_targets
from tests.builders import ALL_PODS, PODS, SOME_PODS, event, pod
from tests.examples import part
from tests.extras.serve.api_server.streams import recording_names

ONE_POD = Selection(resource=PODS, namespace="shop", name="web-0")
ANY_PODS = Selection(resource=PODS)
NOBODY = "pod/nobody"
ROUNDS = part(4)


@pytest.mark.parametrize("name", recording_names())
def test_every_bundled_stream(name: str, tmp_path: Path) -> None:
    file = tmp_path / "it.spy"
    stream = bundled(name)
    record(file, stream.selections, stream.events)
    compare(file, random.Random(name), points=part(4))


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_deleted_recreated_departed_and_missed_objects(
    seed: int, tmp_path: Path
) -> None:
    file, chance = tmp_path / "it.spy", random.Random(seed)
    recorded(file, chance)
    compare(file, chance, points=part(6))


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_several_runs_in_several_segments(seed: int, tmp_path: Path) -> None:
    file, chance = tmp_path / "it.spy", random.Random(seed)
    for _ in range(3):
        recorded(file, chance, Rotation(size=chance.choice([10_000, 30_000])))
    compare(file, chance, points=part(6))


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_damage(seed: int, tmp_path: Path) -> None:
    file, chance = tmp_path / "it.spy", random.Random(seed)
    recorded(file, chance)
    recorded(file, chance)
    raw = bytearray(file.read_bytes())
    header = raw.index(b"\n")
    for _ in range(chance.choice([1, 5, 30])):
        place = chance.randrange(header, len(raw))
        raw[place] ^= 1 << chance.randrange(8)
    file.write_bytes(raw[: chance.choice([len(raw), len(raw) - 30])])
    compare(file, chance, points=part(6))


def test_a_gzipped_file(tmp_path: Path) -> None:
    file, chance = tmp_path / "it.spy", random.Random(0)
    recorded(file, chance)
    file.write_bytes(gzip.compress(file.read_bytes()))
    compare(file, chance, points=part(6))


def test_names_with_quotes_in_them(tmp_path: Path) -> None:
    file, name = tmp_path / "it.spy", 'a"b\\c'
    steps = [pod(name, rv=str(rv), phase=f"{rv}") for rv in range(1, 200)]
    record(file, [ALL_PODS], [event("ADDED", each) for each in steps])
    compare(file, random.Random(0), points=part(6))


@pytest.mark.parametrize("uids", [("", ""), ("\ud800", "\udfff"), ("", "u")])
def test_uids_that_are_empty_or_no_utf8(uids: tuple[str, str], tmp_path: Path) -> None:
    file = tmp_path / "it.spy"
    steps = []
    for rv in range(1, 40):
        step = pod(f"web-{rv % 2}", rv=str(rv), phase=f"{rv}")
        step["metadata"]["uid"] = uids[rv % 2]
        steps.append(event("MODIFIED", step))
    record(file, [ALL_PODS], steps)
    compare(file, random.Random(0), points=part(6))


def test_few_patches_of_a_long_recording_are_applied(tmp_path: Path) -> None:
    file = tmp_path / "it.spy"
    steps = [pod("web-0", rv=str(rv), phase=f"{rv}") for rv in range(1, 2_000)]
    record(file, [ALL_PODS], [event("MODIFIED", each) for each in steps])
    with closing(Index(str(file))) as index:
        state = state_at(index, wanted("pod/web-0"), parse_point("last"))
        assert state.document["status"] == {"phase": "1999"}
        assert len(list(history(index, len(index) - 2))) < 200


def recorded(
    file: Path, chance: random.Random, rotation: Rotation | None = None
) -> None:
    """Record what happens to a few Pods, which several streams see, in turn."""
    streams = [ALL_PODS, SOME_PODS, ONE_POD, ANY_PODS]
    selections = chance.sample(streams, chance.randrange(1, 5))
    begin = file.stat().st_mtime if file.exists() else START
    record(file, selections, watched(selections, chance, begin), rotation or Rotation())


def watched(
    selections: list[Selection], chance: random.Random, begin: float
) -> Iterator[WatchEvent]:
    for each in selections:
        yield event("LISTING", time=begin, selection=each)
        yield event("SYNCED", time=begin, selection=each)
    seen: list[tuple[float, str, dict[str, object]]] = []
    uids: dict[str, int] = {}
    for rv in range(1, chance.choice([50, 200])):
        name = chance.choice(["web-0", "web-0", "web-1"])
        kind = "DELETED" if chance.random() < 0.05 else "MODIFIED"
        uid = uids.setdefault(name, rv)
        if kind == "DELETED":
            del uids[name]
        obj = pod(name, rv=str(rv), uid=f"{name}-{uid}", phase=f"phase {rv}")
        seen.append((begin + rv, kind, obj))
    behind = dict.fromkeys(selections, 0)
    while any(at < len(seen) for at in behind.values()):
        each = chance.choice([s for s in selections if behind[s] < len(seen)])
        _, kind, obj = seen[behind[each]]
        behind[each] += 1
        now = begin + sum(behind.values())
        if each is ONE_POD and obj["metadata"]["name"] != "web-0":  # type: ignore[index]
            continue
        if chance.random() < 0.02:
            continue
        if chance.random() < 0.02:
            yield event("LISTING", time=now, selection=each, lost=True)
            yield event("LISTED", obj, time=now, selection=each)
            yield event("SYNCED", time=now, selection=each)
        else:
            yield event(kind, obj, time=now, selection=each)


def compare(file: Path, chance: random.Random, points: int) -> None:
    """Compare what is found at *points* of all the points there are."""
    heads = []
    for place in lines_of(str(file)):
        found = re.match(rb'\{"seq":([0-9]+),"time":"([^"]+)","type":"', place.raw)
        if found is not None:
            heads.append((found[1].decode(), found[2].decode("utf-8", "replace")))
    versions, targets = {"0"}, {"", NOBODY}
    for place in lines_of(str(file)):
        if is_sealed(place.raw):
            line = loads(place.raw)
            if line["type"] in CHANGES and "name" in line:
                versions.add(line["resourceVersion"])
                targets.add(f"{line['kind'].lower()}/{line['name']}")
    several = chance.sample(sorted(targets), min(len(targets), 8))
    for target in {NOBODY, *several}:
        for seq, time in chance.sample(
            heads, min(points // len(targets) + 1, len(heads))
        ):
            for point in ("first", "last", f"seq:{seq}", time):
                assert_same(file, target, point)
        for version in chance.sample(sorted(versions), min(5, len(versions))):
            assert_same(file, target, f"rv:{version}")


def in_last_run(file: Path, target: str, text: str) -> bool:
    """Return whether the run that goes on at the point *text* saw the *target*."""
    kind, _, name = target.partition("/")
    seen = False
    for place in lines_of(str(file)):
        line = loads(place.raw) if is_sealed(place.raw) else {}
        if f"seq:{line.get('seq')}" == text or line.get("time", "") > text:
            break
        if line.get("type") == "RESUME":
            seen = False
        elif line.get("type") in CHANGES and line.get("name") == name:
            seen = line["kind"].lower() == kind and line["type"] != "DELETED"
    return seen


def assert_same(file: Path, target: str, text: str) -> None:
    try:
        point = parse_point(text)
    except ValueError:  # of a damaged line
        return
    outcomes, epochs = [], []
    for find in (reading_all, by_index):
        try:
            document, epoch = find(file, wanted(target), point)
        except SpyError as error:
            outcomes.append(error.message.encode())
        else:
            outcomes.append(canonical(document))
            epochs.append(epoch)
    if b" was deleted at a time from " in outcomes[1]:
        assert not in_last_run(file, target, text), (target, text)
        return
    # Only the index looks for what is not certain.
    outcomes[1] = outcomes[1].partition(b", and what happened ")[0]
    assert outcomes[0] == outcomes[1], (target, text)
    if epochs and not epochs[0].startswith("unknown"):
        # Behind any damage it is not known.
        assert epochs[0] == epochs[1], (target, text)


def by_index(file: Path, wanted: ObjectFilter, point: Point) -> tuple[object, str]:
    """Return what `show` finds, and the epoch of its key."""
    with closing(Index(str(file))) as index:
        state = state_at(index, wanted, point)
    return state.document, state.epoch


def reading_all(file: Path, wanted: ObjectFilter, point: Point) -> tuple[object, str]:
    """Return the same from reading every line."""
    recording, nothing = Recording(str(file)), "nothing of it was recorded up to that"
    last: ChangeRecord | None = None
    epoch = ""
    for item in recording:
        if is_after(item, point):
            break
        if not isinstance(item, ChangeRecord) or item.of_stream or item not in wanted:
            continue
        if last is not None and last.label != item.label:
            raise several(recording, (last.label, "shop"), (item.label, "shop"))
        last, epoch = item, recording.epoch[0]
        version = item.resource_version
        if not item.gone and (
            isinstance(point, First)
            or (isinstance(point, AtVersion) and version == point.resource_version)
        ):
            return item.document, epoch
    if last is None or isinstance(point, AtVersion):
        raise SpyError(f"{nothing} point")
    if last.gone:
        left = last.type is ChangeType.LEFT
        how = "was deleted" + ", or no longer matched the selector," * left
        at = " ".join(day_and_clock(last.time))
        raise SpyError(f"{last.label} {how} at {at}")
    return last.document, epoch


def wanted(target: str) -> ObjectFilter:
    return ObjectFilter(
        parse_targets((target,), namespace=None) if target else (), None
    )

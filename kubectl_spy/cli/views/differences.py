"""Print what differs between two points, or two recordings: `diff`."""

from __future__ import annotations

from collections.abc import Sequence

from kubectl_spy.cli.run.reading import check_damages, progress
from kubectl_spy.cli.run.recorded import wanted_of
from kubectl_spy.cli.run.window import point_of, points_of
from kubectl_spy.cli.views.difference import (
    DiffFormat,
    patch_between,
    print_difference,
    print_patch,
    tell_order,
)
from kubectl_spy.cli.views.state import OneObject
from kubectl_spy.core.changes.narrowing import only_beats
from kubectl_spy.core.changes.points import AtVersion, Beginning, First
from kubectl_spy.core.wording import in_brief, many
from kubectl_spy.errors import SpyError, UsageError
from kubectl_spy.render.inert import inert
from kubectl_spy.sinks.terminal import Terminal
from kubectl_spy.sources.recording.object_filter import ObjectFilter
from kubectl_spy.sources.recording.recording import Recording
from kubectl_spy.sources.recording.segments import is_read_once
from kubectl_spy.sources.recording.states import RecordedObject, Snapshot, snapshots
from kubectl_spy.sources.resolution.target import TargetSpec
from kubectl_spy.terms import option

_Name = tuple[str, str, str]  # type, namespace and name of an object
_States = dict[_Name, RecordedObject]
_OF_ANOTHER = (
    ("metadata", "uid"),
    ("metadata", "namespace"),
    ("metadata", "creationTimestamp"),
    ("metadata", "ownerReferences", "*", "uid"),
)
"""What always differs between two objects that only have the same name."""


def print_differences(
    sides: Sequence[OneObject],
    words: Sequence[str],
    shown: DiffFormat,
    terminal: Terminal,
) -> bool:
    """Print what differs between the points *words*, of one recording or of two.

    The sides choose any number of objects. Return whether they differ. Raises SpyError
    if a recording is damaged, or neither side has what was asked for.
    """
    if len(words) < 2:
        raise UsageError("diff needs two points", "for example: first last")
    for word in words:
        point_of(word)
    if any(is_read_once(each.file) for each in sides):
        raise UsageError(
            "diff reads its file twice, and a pipe can be read once",
            "save it to a file first",
        )
    recordings = [Recording(each.file) for each in sides]
    points = points_of(words, recordings[0], terminal)
    clusters = {each.header.get("cluster") for each in recordings}
    if sides[0].namespace != sides[1].namespace or len(clusters) > 1:
        ignored = shown.excerpt.ignore + _OF_ANOTHER
        shown = shown._replace(excerpt=shown.excerpt._replace(ignore=ignored))
    wanted = [wanted_of(each.words, each.namespace) for each in sides]
    two, asked = sides[0].file != sides[1].file, sides[0]
    if not two and wanted[0].single and not asked.selectors:
        return print_difference(sides, wanted, words, points, shown, terminal)
    # Of everything, the first version of each object is not one point.
    at = [Beginning() if isinstance(each, First) else each for each in points]
    both = list(zip(wanted, at, strict=True))
    found: list[Snapshot] = []
    parts = [(recordings[0], both[:1]), (recordings[1], both[1:])]
    for recording, part in parts if two else [(recordings[0], both)]:
        with progress(recording, terminal):
            found += snapshots(recording, part)
    old, new = _chosen(sides, found)
    names = sorted(old.keys() | new.keys())
    if not names and (two or asked.selectors):
        what = " ".join(asked.words) or "objects"
        which = " with these labels or fields" if asked.selectors else ""
        where = "recording" if two else "point"
        raise SpyError(f"neither {where} holds {what}{which}", code="not-found")
    alone = shown.output != "text" or shown.who
    if len(names) < 2 and (alone or not two):
        wanted = [_meant(each, names) for each in sides]
        return print_difference(sides, wanted, words, points, shown, terminal)
    if alone:
        raise UsageError(
            f"{option('-o')} wide, jsonpatch and yaml are for one object, and there "
            f"are {len(names):,}",
            "name one, as in deploy/web",
        )
    for word, each in zip(words, found, strict=True):
        if isinstance(each.point, AtVersion) and not each.complete:
            raise SpyError(f"no object had {word} in the recording", code="not-found")
        if each.unknown:
            what = f"{in_brief(each.unknown[0]) or 'objects'} may have changed"
            terminal.say(f"warning: {what} before {word}: {each.unknown[1].why}")
    if two:
        files = [each.name for each in recordings]
        short = [each.rpartition("/")[2] for each in files]
        ends = [f"only in {each}" for each in (short if len({*short}) > 1 else files)]
    else:
        ends = ["gone", "new"]
        before, after = (
            max((each.record.seq for each in side.states), default=0) for side in found
        )
        tell_order(words, before, after, terminal)
    folds = not (asked.words or shown.full or shown.excerpt.only)
    differ = _print(old, new, ends, shown, terminal, recordings[1], folds=folds)
    for recording in recordings[: 1 + two]:
        check_damages(recording, terminal)
    return differ


def _chosen(
    sides: Sequence[OneObject], found: Sequence[Snapshot]
) -> tuple[_States, _States]:
    states: list[_States] = [
        # A namespace that was asked for may have another name on each side.
        {
            (
                each.gvk.printed,
                "" if asked.namespace else each.namespace or "",
                each.name,
            ): state
            for state in snapshot.states
            for each in [state.record]
        }
        for asked, snapshot in zip(sides, found, strict=True)
    ]
    matches = sides[0].selectors.match
    chosen = {
        name for held in states for name, each in held.items() if matches(each.record)
    }
    old, new = ({name: held[name] for name in held.keys() & chosen} for held in states)
    return old, new


def _meant(asked: OneObject, names: Sequence[_Name]) -> ObjectFilter:
    """Return a filter for the one object in *names*, or for the target *asked*."""
    for kind, namespace, name in names:
        where = asked.namespace or namespace or None
        return ObjectFilter([TargetSpec(kind, name)], where)
    return wanted_of(asked.words, asked.namespace)


def _print(
    old: _States,
    new: _States,
    ends: Sequence[str],
    shown: DiffFormat,
    terminal: Terminal,
    recording: Recording,
    *,
    folds: bool,
) -> bool:
    """Print objects that differ, by type and name. Return whether any does.

    *ends* say of an object that it is only in *old*, or in *new*, of *recording*.
    Objects without a difference are counted; if it *folds*, also heartbeats.
    """
    alike = beats = differ = 0
    alone = dict.fromkeys(ends, 0)
    names = sorted(old.keys() | new.keys())
    several = len({namespace for _, namespace, _ in names}) > 1
    for name in names:
        kind, namespace, called = name
        where = f" -n {namespace}" if several and namespace else ""
        before, after = old.get(name), new.get(name)
        if before is None or after is None:
            end = ends[before is None]
            alone[end] += 1
            terminal.write(inert(f"{kind}/{called}{where}  {end}") + "\n")
            continue
        keys = recording.keys.of(after.record.selection)
        patch = patch_between(shown, before, after, terminal, keys)
        if not patch:
            alike += 1
        elif folds and only_beats(after.record.gvk, patch):
            beats += 1
        else:
            differ += 1
            print_patch(shown, before, after, patch, terminal, where=where)
    counts = [f"{many(alike, 'object')} alike"]
    if beats:
        which = f"Leases, EndpointSlices and heartbeats: {option('--full')}"
        counts.append(f"{beats:,} not shown ({which})")
    counts.append(f"{differ:,} that differ")
    counts += [f"{count:,} {end}" for end, count in alone.items() if count]
    terminal.say(", ".join(counts))
    return bool(differ or any(alone.values()))

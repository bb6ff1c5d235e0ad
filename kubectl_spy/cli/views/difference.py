"""Print the patch between two states of an object: `diff`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from kubectl_spy.cli.run.reading import check_damages, progress
from kubectl_spy.cli.views.state import OneObject, object_at
from kubectl_spy.core.changes.masking import incomparable
from kubectl_spy.core.changes.points import Point
from kubectl_spy.core.changes.projection import Excerpt
from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.core.jsontext import dumps
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.patch.difference import operations_between
from kubectl_spy.core.patch.list_keys import ListKeys
from kubectl_spy.core.patch.operation import PatchOperation
from kubectl_spy.core.patch.same_value import without_same_values
from kubectl_spy.core.wording import many
from kubectl_spy.errors import SpyError
from kubectl_spy.render.inert import inert
from kubectl_spy.render.machine import yaml_lines
from kubectl_spy.render.moments import clock, day_and_clock
from kubectl_spy.render.text import written_differently
from kubectl_spy.sinks.terminal import Terminal
from kubectl_spy.sources.recording.object_filter import ObjectFilter
from kubectl_spy.sources.recording.recording import Recording
from kubectl_spy.sources.recording.states import RecordedObject

if TYPE_CHECKING:
    from kubectl_spy.core.changes.blame import Blame, Leaf


class DiffFormat(NamedTuple):
    """How to compare two states, and how to show it."""

    excerpt: Excerpt
    output: str  # text, jsonpatch or yaml
    semantic: bool  # whether the order of lists does not matter
    who: bool  # whether to tell who made each operation
    full: bool  # whether nothing is folded
    color: str


def print_difference(
    sides: Sequence[OneObject],
    wanted: Sequence[ObjectFilter],
    words: Sequence[str],
    points: Sequence[Point],
    shown: DiffFormat,
    terminal: Terminal,
) -> bool:
    """Print the patch of the *wanted* object between two *points*, which are *words*.

    Return whether there is any. Raises SpyError if the object was not there at one of
    them, or the recording is damaged.
    """
    recordings = [Recording(each.file) for each in sides]
    old, new = map(object_at, recordings, sides, wanted, points, (terminal, terminal))
    same = sides[0].file == sides[1].file
    if same:
        tell_order(words, old.record.seq, new.record.seq, terminal)
    blame = _blame(sides[1].file, wanted[1], new, terminal) if shown.who else None
    keys = recordings[1].keys.of(new.record.selection)
    patch = patch_between(shown, old, new, terminal, keys)
    print_patch(shown, old, new, patch, terminal, blame)
    # If both read one file, the one that read further found more damages.
    recordings.sort(key=lambda each: len(each.damages))
    for recording in recordings[1:] if same else recordings:
        check_damages(recording, terminal)
    return bool(patch)


def tell_order(words: Sequence[str], old: int, new: int, terminal: Terminal) -> None:
    """Say if the first of *words* is the later point, by the numbers of lines."""
    if old > new:
        first, last = words
        note = f"note: {first} is later than {last}: this goes back in time"
        terminal.say(note)


def patch_between(
    shown: DiffFormat,
    old: RecordedObject,
    new: RecordedObject,
    terminal: Terminal,
    keys: ListKeys,
) -> list[PatchOperation]:
    """Return the patch from *old* to *new*, or how they differ by meaning.

    *keys* are those of the lists in these objects. Raises SpyError if they are nested
    too deeply.
    """
    try:
        before, after = _comparable(old, new, terminal)
    except RecursionError:
        raise SpyError(
            "both states hold masked values, and are nested too deeply to compare"
        ) from None
    before, after = shown.excerpt.document(before), shown.excerpt.document(after)
    return steps_between(before, after, keys, semantic=shown.semantic)


def print_patch(
    shown: DiffFormat,
    old: RecordedObject,
    new: RecordedObject,
    patch: list[PatchOperation],
    terminal: Terminal,
    blame: Blame | None = None,
    *,
    where: str = "",
) -> None:
    """Print the *patch* from *old* to *new*, below a line that says of what.

    *blame* is who wrote *new*, and *where* its namespace.
    """
    steps, alike = patch, dict[str, int]()
    if shown.semantic and not shown.full:
        steps, alike = without_same_values(patch, new.record.gvk)
    if shown.output != "text":
        print_array(shown.output, steps, terminal)
        return
    from kubectl_spy.cli.views.change_records import text_renderer

    renderer = text_renderer(shown.color, whole=True)
    if patch:
        terminal.write(f"{_headline(old.record, new.record, where)}\n")
    if blame is None:
        terminal.write(renderer.render_patch(steps))
    else:
        from kubectl_spy.core.changes.blame import leaves

        fields = list(leaves(blame.annotated(Excerpt())))
        for step in steps:
            first, _, rest = renderer.render_patch([step]).partition("\n")
            terminal.write(f"{first}{_who(fields, step)}\n{rest}")
    if alike:
        terminal.write(f"  … {written_differently(alike)} (--full)\n")


def _comparable(
    old: RecordedObject, new: RecordedObject, terminal: Terminal
) -> tuple[JSON, JSON]:
    """Return both documents. Values masked with different keys are made equal."""
    if old.epoch == new.epoch or not (old.masked or new.masked):
        return old.document, new.document

    before, after, count = incomparable(old.document, new.document)
    if count:
        terminal.say(
            f"note: {many(count, 'value')} masked, cannot compare: recorded "
            "in different runs"
        )
    return before, after


def _headline(old: ChangeRecord, new: ChangeRecord, where: str) -> str:
    """Return the line that names the object and both versions.

    Who wrote the last version did not write all that differs.
    """
    (day, _), (later, _) = (day_and_clock(each.time) for each in (old, new))

    def state(record: ChangeRecord) -> str:
        when, clock = day_and_clock(record.time)
        date = f"{when} " if day != later else ""
        return f"{date}{clock} rv:{record.resource_version}"

    return inert(f"{new.label}{where}  {state(old)} → {state(new)}")


def _blame(
    file: str, wanted: ObjectFilter, state: RecordedObject, terminal: Terminal
) -> Blame:
    """Return who wrote each field of *state* last."""
    from kubectl_spy.core.changes.blame import Blame

    blame = Blame()
    recording = Recording(file)
    with progress(recording, terminal):
        for item in recording:
            if isinstance(item, ChangeRecord) and not item.of_stream and item in wanted:
                if item.seq > state.record.seq:
                    break
                blame.observe(item)
    return blame


def _who(leaves: list[Leaf], step: PatchOperation) -> str:
    """Return who wrote what *step* changed, and when, for the end of its line.

    *leaves* are the fields of the new state, and who wrote each last.
    """
    below = f"{step.path}/"
    writes = [
        leaf.write
        for leaf in leaves
        if f"{leaf.path}/".startswith(below) and step.op != "remove"
    ]
    names = dict.fromkeys(name for write in writes for name in write.managers)
    times = sorted({write.time for write in writes if write.time is not None})
    if not times:
        return ""
    clocks = dict.fromkeys(map(clock, (times[0], times[-1])))
    likely = "likely " if any(write.likely for write in writes) else ""
    by = f"{likely}by {', '.join(names)} " if names else ""
    return inert(f"  {by}at {' to '.join(clocks)}")


def print_array(form: str, patch: list[PatchOperation], terminal: Terminal) -> None:
    """Print *patch* as RFC 6902 writes it: in JSON (`jsonpatch`), or in YAML."""
    terminal.write_utf8()
    array = [step.as_json() for step in patch]
    if form == "jsonpatch":
        terminal.write(inert(dumps(array).decode()) + "\n")
    else:
        terminal.write("\n".join(yaml_lines(array)) + "\n")


def steps_between(
    before: JSON, after: JSON, keys: ListKeys | None = None, *, semantic: bool
) -> list[PatchOperation]:
    """Return the patch, or if *semantic* how two states differ by meaning."""
    if not semantic:
        return operations_between(before, after, keys=keys)
    from kubectl_spy.core.patch.semantic import semantic_changes

    try:
        return list(semantic_changes(before, after))
    except RecursionError:
        raise SpyError(
            "the states are nested too deeply to compare by meaning",
            "leave out -o semantic",
        ) from None

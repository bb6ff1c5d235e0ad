"""Compare the last states of two recordings: `diff FILE1 FILE2`."""

from __future__ import annotations

from kubectl_spy.cli.run.reading import check_damages, progress
from kubectl_spy.cli.run.recorded import wanted_of
from kubectl_spy.cli.views.difference import DiffFormat, compare
from kubectl_spy.cli.views.state import OneObject
from kubectl_spy.core.changes.points import Last
from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.core.wording import many
from kubectl_spy.errors import SpyError, UsageError
from kubectl_spy.render.inert import inert
from kubectl_spy.sinks.terminal import Terminal
from kubectl_spy.sources.recording.recording import Recording
from kubectl_spy.sources.recording.segments import is_read_once
from kubectl_spy.sources.recording.states import states_at
from kubectl_spy.terms import option

_Name = tuple[str, str, str]  # type, namespace and name of an object


def print_differences(
    asked: OneObject, other: str, shown: DiffFormat, terminal: Terminal
) -> bool:
    """Print how the last states in two recordings differ. Return whether they do.

    *asked* may choose any number of objects.

    Raises SpyError if a recording is damaged, or none has what was asked for.
    """
    if shown.output != "text" or shown.who:
        raise UsageError(
            "two recordings are compared as text",
            f"leave out {option('-o')}",
        )
    if any(map(is_read_once, (asked.file, other))):
        raise UsageError("two recordings are compared as files", "save them first")
    wanted = wanted_of(asked.words, asked.namespace)
    recordings = [Recording(each) for each in (asked.file, other)]
    states = []
    for recording in recordings:
        with progress(recording, terminal):
            held = states_at(recording, wanted, Last())
        states.append({_name(each.record): each for each in held})
    chosen = {
        name
        for held in states
        for name, each in held.items()
        if asked.selectors.match(each.record)
    }
    old, new = ({name: held[name] for name in held.keys() & chosen} for held in states)
    for recording in recordings:
        check_damages(recording, terminal)
    if not old and not new:
        raise SpyError(
            inert(f"neither recording holds {' '.join(asked.words) or 'objects'}")
        )
    both = sorted(old.keys() & new.keys())
    differ = sum(
        compare(
            *(shown, old[name], new[name], terminal),
            recordings[1].keys.of(new[name].record.selection),
        )
        for name in both
    )
    for recording, names in zip(
        recordings, (old.keys() - new.keys(), new.keys() - old.keys()), strict=True
    ):
        for kind, namespace, name in sorted(names):
            where = f" -n {namespace}" if namespace else ""
            terminal.write(
                inert(f"only in {recording.name}: {kind}/{name}{where}") + "\n"
            )
    alone = len(old.keys() ^ new.keys())
    terminal.say(
        f"{many(len(both) - differ, 'object')} alike, {differ:,} that differ, "
        f"{alone:,} in one only"
    )
    return bool(differ or alone)


def _name(record: ChangeRecord) -> _Name:
    return record.gvk.printed, record.namespace or "", record.name

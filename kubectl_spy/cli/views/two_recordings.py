"""Compare the last states of two recordings: `diff FILE1 FILE2`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kubectl_spy.cli.run.reading import check_damages, progress
from kubectl_spy.cli.run.recorded import wanted_of
from kubectl_spy.cli.views.difference import compare
from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.core.wording import many
from kubectl_spy.errors import SpyError, UsageError
from kubectl_spy.render.inert import inert
from kubectl_spy.sinks.terminal import Terminal
from kubectl_spy.sources.recording.object_at import RecordedObject
from kubectl_spy.sources.recording.recording import Recording
from kubectl_spy.sources.recording.segments import is_read_once
from kubectl_spy.sources.recording.wanted import Wanted

_Name = tuple[str, str, str]  # type, namespace and name of an object


def print_differences(flags: Mapping[str, Any], terminal: Terminal) -> bool:
    """Print how the last states of all objects differ. Return whether they do.

    Raises SpyError if a recording is damaged, or none has what was asked for.
    """
    other, *words = flags["words"]
    if flags["output"] != "text" or flags["who"]:
        raise UsageError(
            "two recordings are compared as text", "leave out -o and --who"
        )
    if any(map(is_read_once, (flags["file"], other))):
        raise UsageError("two recordings are compared as files", "save them first")
    wanted = wanted_of(tuple(words), flags["namespace"])
    recordings = [Recording(each) for each in (flags["file"], other)]
    states = []
    for recording in recordings:
        with progress(recording, terminal):
            states.append(_last_states(recording, wanted))
    old, new = states
    for recording in recordings:
        check_damages(recording, terminal)
    if not old and not new:
        raise SpyError(inert(f"neither recording holds {' '.join(words) or 'objects'}"))
    both = sorted(old.keys() & new.keys())
    differ = sum(compare(flags, old[name], new[name], terminal) for name in both)
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


def _last_states(recording: Recording, wanted: Wanted) -> dict[_Name, RecordedObject]:
    """Return each object as it was at the end of *recording*. Events are left out."""
    found: dict[_Name, RecordedObject] = {}
    for item in recording:
        if not isinstance(item, ChangeRecord) or item.of_stream or item not in wanted:
            continue
        if item.gvk.kind == "Event" and not wanted.narrows:
            continue
        name = item.gvk.printed, item.namespace or "", item.name
        found.pop(name, None)
        if not item.gone:
            epoch, masked = recording.epoch
            found[name] = RecordedObject(item, item.document, epoch, masked)
    return found

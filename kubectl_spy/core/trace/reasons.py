"""Why a root of a trace fails: its deepest cause, and what was changed before."""

from __future__ import annotations

from collections.abc import Mapping

from kubectl_spy.core.answer.answer import Answer
from kubectl_spy.core.answer.model import Model
from kubectl_spy.core.causes.writes import Write
from kubectl_spy.core.cluster.inventory import Entry
from kubectl_spy.core.cluster.references import LEVELS, controller_of
from kubectl_spy.core.diagnosis.finding import FINE
from kubectl_spy.core.fields import text
from kubectl_spy.core.trace.last_edit import Edits
from kubectl_spy.core.trace.picture import Node
from kubectl_spy.core.trace.reason import Cause, LastEdit, Reason, deepest_cause


def reason_of(
    root: Node, answer: Answer, seen: Model, edits: Mapping[str, Edits]
) -> Reason:
    """Return why *root*, or what it needs, fails. *edits* are by uid.

    The change is the one of the watch that most likely caused it. If there is none, it
    is the last one of *root*, of what leads to the deepest cause, or of its
    controllers.
    """
    cause = deepest_cause(root, stuck=answer.of(root.uid) is not None)
    if root.verdict in FINE and cause is None:
        return Reason()
    if suspect := _suspect(root, cause, answer, seen):
        of = None if suspect.record.identity == root.uid else suspect.record
        return Reason(cause, LastEdit(suspect.edit, of))
    uids = [root.uid]
    if cause is not None:
        above = _chain(cause.node.uid, seen)
        uids = [*_path(root, cause.node.uid), *(each.uid for each in above)]
    found = [
        LastEdit(edit, None if uid == root.uid else entry)
        for uid in dict.fromkeys(uids)
        if (entry := seen.remains(uid))
        and (edit := (edits.get(uid) or Edits()).last(entry, seen))
    ]
    return Reason(cause, max(found, key=lambda each: each.edit.time, default=None))


def _suspect(
    root: Node, cause: Cause | None, answer: Answer, seen: Model
) -> Write | None:
    """Return the write of the watch that most likely caused a failure, or None."""
    for entry in _chain(cause.node.uid if cause else root.uid, seen)[::-1]:
        if (failure := answer.of(entry.uid)) and failure.by:
            return failure.by[0].write
    return None


def _chain(uid: str, seen: Model) -> tuple[Entry, ...]:
    found: list[Entry] = []
    entry = seen.entry(uid)
    while entry is not None and len(found) < LEVELS:
        found.append(entry)
        entry = seen.entry(text(controller_of(entry.document), "uid"))
    return tuple(found)


def _path(root: Node, uid: str) -> list[str]:
    """Return the uids from *root* down to *uid*, or [] if it is not there."""
    if root.uid == uid:
        return [uid]
    below = (_path(child, uid) for child in root.children)
    found = next(filter(None, below), None)
    return [root.uid, *found] if found else []

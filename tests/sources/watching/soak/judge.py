"""Whether what came out is what happened, less what was admitted.

The rule, in terms of the writes in the order the server made them. The judge keeps a
*position*: everything before it is accounted for.

- A watch event is a write at or behind the position. Nothing visible to the selection
  may lie between, unless a line that nobody could read stood for it, and each of those
  was admitted by a GAP of the stream as it came. An event from before the position came
  twice, and yields nothing.
- A complete list moves the position to where it was taken. If anything visible lay
  between, a GAP of the stream came since the list began; but for what came and went
  again while a connection was dead without a sign, which no list can show. Then what
  is held equals what the list was taken from, exactly.
- A GAP of the stream comes only when the server had said that history is gone, when a
  line could not be read, or when something lay between; an object's own only behind
  one, or when it had left the selection.
- In the end nothing visible lies behind the position.
"""

from __future__ import annotations

from typing import Any

import jsonpatch

from kubectl_spy.core.changes.history import History
from kubectl_spy.core.changes.projection import Projection, without_noise
from kubectl_spy.core.changes.record import ChangeRecord, ChangeType
from kubectl_spy.core.jsontext import canonical
from kubectl_spy.core.objects import EventType
from kubectl_spy.core.past.together import together
from tests.sources.watching.soak.cluster import (
    Object,
    Snapshot,
    Write,
    event_of,
    selects,
)
from tests.sources.watching.soak.driver import Run, Step
from tests.sources.watching.soak.stream import TYPE

GONE = (ChangeType.DELETED, ChangeType.LEFT)
_WRITES = (EventType.ADDED, EventType.MODIFIED, EventType.DELETED)


class Wrong(AssertionError):
    """What came out is not what happened."""


def require(condition: bool, *what: object) -> None:
    """Raise Wrong unless *condition* holds."""
    if not condition:
        raise Wrong(*what)


class Judge:
    """Folds one run's events, and compares as it goes."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._history = History()
        self._projection = Projection(run.view)
        self._visible: list[tuple[Write, str, Object]] = []
        self._by_version: dict[tuple[str, str], int] = {}
        for write in run.cluster.writes:
            event = event_of(run.selection, write)
            if event is None:
                continue
            kind, obj = event
            self._visible.append((write, kind, obj))
            if write.restored_to is None:
                metadata = obj["metadata"]
                key = metadata["uid"], metadata["resourceVersion"]
                self._by_version[key] = len(self._visible) - 1
        self.records: list[ChangeRecord] = []
        self._position = -1
        """An index into writes; -1 before the first list is complete."""
        self._held: dict[str, Any] = {}
        """Documents by uid, as folded from the records."""
        self._left: dict[str, Any] = {}
        self._doubtful: set[str] = set()
        """uids whose next version may come after others that could not be read."""
        self._stale: set[str] = set()
        """uids of which the last thing to know was such a line."""
        self._ended: set[str] = set()
        self._named: dict[str, str] = {}
        """uids by name, which has one owner at a time."""
        self._gone = self._garbage = self._from_now = 0
        self._listing = False
        self._lost = False
        """Whether history is gone, and the list that follows not complete."""
        self._gaps = 0
        """GAPs of the stream since the list under way began."""

    def judge(self) -> None:
        """Raise Wrong for the first thing that is."""
        for step in self._run.steps:
            before = len(self.records)
            metadata = (step.event.object or {}).get("metadata", {})
            returns = metadata.get("uid") in self._left
            whole = self._history.observe(step.event)
            for record in filter(None, map(self._projection.narrowed, whole)):
                self._fold(record)
            self._step(step, self.records[before:], returns)
        if self._run.error is not None:
            return
        require(self._position >= 0, "never listed")
        left = self._between(self._position, len(self._run.cluster.writes))
        unread = [w for w in left if w.index in self._run.told.unreadable]
        require(left == unread, "never told", left)
        self._stale.update(map(self._uid, unread))
        self._compare(self._run.cluster.snapshot())

    def _step(self, step: Step, records: list[ChangeRecord], returns: bool) -> None:
        gaps = [record for record in records if record.of_stream]
        own = [record for record in records if not record.of_stream]
        self._gaps += len(gaps)
        match step.event.type:
            case EventType.LISTING:
                require(not own, "records of a list that only begins", own)
                if not self._listing:
                    self._gaps, self._listing = len(gaps), True
                self._lost = self._lost or step.event.lost
                if gaps:
                    require(self._lost and step.gone > self._gone, "false alarm", gaps)
            case EventType.LISTED:
                self._listed(step, own)
            case EventType.SYNCED:
                self._synced(step, own)
            case EventType.UNREADABLE:
                self._garbage += 1
                require(self._garbage <= step.garbage, "nothing was unreadable")
                require(len(gaps) == 1 and not own, "not admitted", records)
                self._doubtful |= set(self._held)
            case EventType.HORIZON:
                if not step.event.past.pending:  # nothing is shown of the list alone
                    self._past(step)
            case EventType.BOOKMARK:
                require(not records, "records of a bookmark", records)
            case _:
                self._watched(step, gaps, own, returns)

    def _past(self, step: Step) -> None:
        """Judge the past that came with the first list.

        It is a row of writes without a hole, up to the list or beyond it, and what it
        begins with leads to what there was.
        """
        past = step.event.past
        require(self._position < 0, "the past of what was listed", past)
        found: list[int] = []
        for event in together([past]):
            before = len(self.records)
            whole = self._history.observe(event)
            for record in filter(None, map(self._projection.narrowed, whole)):
                self._fold(record)
            for record in self.records[before:]:
                require(record.type is not ChangeType.GAP, "a GAP of the past", record)
            metadata = (event.object or {}).get("metadata", {})
            key = metadata.get("uid", ""), metadata.get("resourceVersion", "")
            if event.type in _WRITES or event.first:
                require(key in self._by_version, "no such version", key)
                found.append(self._by_version[key])
        require(found == sorted(set(found)), "the past is out of order", found)
        if found:
            row = [
                each
                for each in range(found[0], found[-1] + 1)
                if self._visible[each][0].undone is None
                and self._visible[each][0].restored_to is None
            ]
            require(found == row, "the past has a hole", found)
        end = self._visible[found[-1]][0].index + 1 if found else 0
        left = self._between(end, step.served.writes) if found else []
        # A connection that dies without a sign may lack deletions. They come later.
        require(not left or step.mute, "the past ends before the list", left)
        require(all(w.after is None for w in left), "it lacks what was listed", left)
        self._position = end if left else max(end, step.served.writes)
        self._gone, self._from_now = step.gone, step.from_now
        self._lost = False
        self._compare(self._state_at(self._position))

    def _state_at(self, position: int) -> Snapshot:
        objects: dict[str, Object] = {}
        for write in self._run.cluster.writes[:position]:
            subject = write.after or write.before
            if subject is None:  # a backup is restored, in the writes that follow
                continue
            objects.pop(subject["metadata"]["name"], None)
            if write.after is not None:
                objects[write.after["metadata"]["name"]] = write.after
        return Snapshot(position, 0, objects)

    def _listed(self, step: Step, own: list[ChangeRecord]) -> None:
        obj = step.event.object or {}
        uid = obj["metadata"]["uid"]
        truth = step.served.objects.get(obj["metadata"]["name"])
        require(truth is not None and {**TYPE, **truth} == obj, "no such item", obj)
        if self._position >= 0 and own:
            require(self._gaps > 0, "a list again differs, and no GAP", own)
        for record in own:
            if record.uid != uid:  # the one before it under its name
                require(record.type in GONE and record.inferred, "whose is", record)
                continue
            initial = self._position < 0
            require(record.type in (ChangeType.ADDED, ChangeType.GAP), "type", record)
            if record.type is ChangeType.ADDED:
                require(record.initial == initial, "initial", record)

    def _synced(self, step: Step, own: list[ChangeRecord]) -> None:
        for record in own:
            require(record.type in GONE and record.inferred, "at the end", record)
        served = step.served
        if self._position >= 0 and step.from_now == self._from_now:
            missed = self._between(self._position, served.writes)
            if missed and not self._gaps:
                # What came and went again left no trace in the list. The watch before
                # would have told of it, had it not died without a sign.
                late = all(write.moment >= step.opened for write in missed)
                require(late or step.mute, "silently lost", missed)
            if step.gone > self._gone:
                require(self._gaps > 0, "history gone, and not admitted")
            elif not missed and not self._lost and not self._stale:
                require(self._gaps == 0, "false alarm of a quiet list")
        self._position = served.writes
        self._gone, self._from_now = step.gone, step.from_now
        self._listing = self._lost = False
        self._doubtful.clear()
        self._stale.clear()
        self._compare(served)

    def _watched(
        self,
        step: Step,
        gaps: list[ChangeRecord],
        own: list[ChangeRecord],
        returns: bool,
    ) -> None:
        obj = step.event.object or {}
        metadata = obj["metadata"]
        uid = metadata["uid"]
        at = self._by_version.get((uid, metadata["resourceVersion"]))
        require(at is not None, "no such version", obj)
        assert at is not None
        write, kind, _ = self._visible[at]
        from_now = step.from_now > self._from_now
        if write.index < self._position:
            require(not own and not gaps, "came twice, and told twice", own)
            self._doubtful.discard(uid)
            return
        skipped = self._between(self._position, write.index)
        unread = [w for w in skipped if w.index in self._run.told.unreadable]
        if not from_now:
            require(len(skipped) == len(unread), "skipped", skipped, write)
        self._stale.update(map(self._uid, unread))
        self._position = write.index + 1
        require(not gaps, "no GAP of the stream by an event", gaps)
        for record in own:
            if record.uid != uid:
                require(record.type in GONE and record.inferred, "whose is", record)
                require(record.uid in self._stale or from_now, "gone?", record)
                continue
            require(not record.initial and not record.inferred, "not listed", record)
            version = metadata["resourceVersion"]
            require(record.resource_version == version, "version", record)
            if record.type is ChangeType.GAP:
                doubt = uid in self._doubtful or uid in self._stale or from_now
                require(doubt or returns, "false alarm", record)
            elif record.type is ChangeType.MODIFIED:
                unsure = uid in self._doubtful or uid in self._stale
                require(not unsure, "no GAP", record)
        self._doubtful.discard(uid)
        self._stale.discard(uid)
        if kind == "DELETED":
            require(uid not in self._held, "not told to be gone", obj)
        else:
            self._same(uid, obj)

    def _fold(self, record: ChangeRecord) -> None:
        """Do what a reader of the records does: add, patch, forget."""
        last = self.records[-1] if self.records else None
        require(record.seq == (last.seq if last else 0) + 1, "seq", record)
        require(last is None or record.time >= last.time, "time runs back", record)
        self.records.append(record)
        if record.of_stream:
            return
        uid = record.uid
        if record.type in GONE:
            narrowed = self._run.selection.narrowed
            require((record.type is ChangeType.LEFT) == narrowed, "type", record)
            # Who never saw the object hears of its end all the same.
            require(uid not in self._ended, "gone twice", record)
            self._ended.add(uid)
            if uid in self._held:
                self._left[uid] = self._held.pop(uid)
            return
        self._ended.discard(uid)
        before = self._named.get(record.name, uid)
        require(before == uid or before not in self._held, "two of a name", record)
        self._named[record.name] = uid
        if record.type is ChangeType.ADDED:
            fresh = uid not in self._left or self._run.cluster.incarnation > 0
            require(uid not in self._held and fresh, "again", record)
            self._left.pop(uid, None)
            document = record.document
        else:
            held = self._left.pop(uid, None)
            held = self._held.get(uid, held)
            require(held is not None, "a patch to nothing", record)
            patch = [operation.as_json() for operation in record.patch]
            document = jsonpatch.apply_patch(held, patch)
            require(_equal(document, record.document), "patched", record)
        self._held[uid] = document

    def _between(self, start: int, end: int) -> list[Write]:
        """Return the visible writes in between, as the clients of *start* know them.

        What a restored backup undid never was, to who had not seen it.
        """
        return [
            write
            for write, _, _ in self._visible
            if start <= write.index < end
            and (write.undone is None or end <= write.undone)
            and not (write.restored_to is not None and start <= write.restored_to)
        ]

    def _same(self, uid: str, obj: Object) -> None:
        shown = self._run.view.document(without_noise({**TYPE, **obj}))
        require(uid in self._held, "not told of", obj)
        require(_equal(self._held[uid], shown), "another document", obj)

    def _compare(self, snapshot: Snapshot) -> None:
        there = {
            obj["metadata"]["uid"]: obj
            for obj in snapshot.objects.values()
            if selects(self._run.selection, obj)
        }
        for uid in self._stale:
            there.pop(uid, None)
        held = set(self._held) - self._stale
        require(held == set(there), "held", held, set(there))
        for uid, obj in there.items():
            self._same(uid, obj)

    def _uid(self, write: Write) -> str:
        event = event_of(self._run.selection, write)
        return str(event[1]["metadata"]["uid"]) if event else ""


def _equal(one: Any, other: Any) -> bool:
    return canonical(one) == canonical(other)

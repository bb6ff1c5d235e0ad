"""The truth: a few objects, every write to them, and what etcd still knows of it."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from random import Random
from typing import Any

from kubectl_spy.core.objects import Selection
from tests.sources.watching.fake_clock import FakeClock

Object = dict[str, Any]

NAMES = ("web", "db", "käse", "日本")
"""Not all of one byte a character: a stream may be cut inside one."""
NAMESPACE = "shop"
BUSY = 100_000
"""What others write between a backup and the day it is needed: so far ahead is who has
seen anything since, and no resourceVersion is ever given twice."""


@dataclass(slots=True)
class Write:
    """One write: *before* and *after* are None where the object is not there."""

    index: int
    moment: float
    """By the monotonic clock."""
    resource_version: int
    before: Object | None
    after: Object | None
    undone: int | None = None
    """The index of the restoring of a backup from before it."""
    restored_to: int | None = None
    """It is the restoring: no watch tells of it. The index it goes back to."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What was there at a moment, and how many writes led to it."""

    writes: int
    resource_version: int
    objects: dict[str, Object]


class Cluster:
    """One namespace of one resource. resourceVersions grow, compaction eats history."""

    def __init__(self, random: Random, clock: FakeClock) -> None:
        self._clock = clock
        self._random = random
        self._uids = 0
        self._texts = 0
        self.objects: dict[str, Object] = {}
        self.writes: list[Write] = []
        self.resource_version = random.randint(1, 1000)
        self.compacted = 0
        """A watch from before this resourceVersion is no longer possible."""
        self.incarnation = 0
        """Counts the restorings; connections from before are gone."""
        self._log: list[Write] = []
        self._log_versions: list[int] = []
        self._backup: tuple[Snapshot, int] | None = None

    def snapshot(self) -> Snapshot:
        """Return what a consistent list would hold now."""
        return Snapshot(len(self.writes), self.resource_version, dict(self.objects))

    def since(self, resource_version: int) -> list[Write]:
        """Return the writes after *resource_version* that a watch tells of."""
        return self._log[bisect_right(self._log_versions, resource_version) :]

    def as_of(self, resource_version: int) -> Snapshot:
        """Return what there was at *resource_version*."""
        objects = dict(self.objects)
        for write in reversed(self.since(resource_version)):
            subject = write.after or write.before
            assert subject is not None
            objects.pop(subject["metadata"]["name"], None)
            if write.before is not None:
                objects[write.before["metadata"]["name"]] = write.before
        return Snapshot(0, resource_version, objects)

    def write(self) -> None:
        """Let somebody create, change, relabel, delete or replace an object."""
        random = self._random
        name = random.choice(NAMES)
        old = self.objects.get(name)
        if old is None:
            self._create(name)
            return
        chance = random.random()
        if chance < 0.5:
            self._put(old, status=self._status())
        elif chance < 0.6:
            self._put(old, spec={"replicas": random.randrange(9)})
        elif chance < 0.68:
            self._put(old)  # managedFields alone: nothing that anybody is shown
        elif chance < 0.84:
            labels = old["metadata"]["labels"]
            other = "db" if labels["app"] == "web" else "web"
            self._put(old, labels={"app": other})
        else:
            self._append(old, None)
            if chance >= 0.92:
                self._create(name)

    def others_write(self) -> None:
        """Let the resourceVersion grow by writes to something else."""
        self.resource_version += self._random.randint(1, 5)

    def compact(self) -> None:
        """Forget history, as etcd does every five minutes."""
        self.compacted = self.resource_version

    def back_up(self) -> None:
        """Keep the present state, in case of `restore`."""
        self._backup = self.snapshot(), len(self._log)
        self.resource_version += BUSY

    def restore(self) -> bool:
        """Go back to the last backup; return False if there is none."""
        if self._backup is None:
            return False
        kept, length = self._backup
        self._backup = None
        at = len(self.writes)
        for write in self.writes[kept.writes :]:
            write.undone = at
        # Also where nothing differs: what comes before is told from what comes after.
        moment = self._clock.monotonic()
        self.writes.append(Write(at, moment, 0, None, None, restored_to=kept.writes))
        for name in sorted({*self.objects, *kept.objects}):
            now, then = self.objects.get(name), kept.objects.get(name)
            if now is then:
                continue
            if now is not None and (then is None or _uid(now) != _uid(then)):
                self._restore(now, None, kept)
                now = None
            if then is not None:
                self._restore(now, then, kept)
        self.objects = dict(kept.objects)
        del self._log[length:], self._log_versions[length:]
        self.resource_version = kept.resource_version
        self.compacted = min(self.compacted, self.resource_version)
        self.incarnation += 1
        return True

    def _restore(self, now: Object | None, then: Object | None, kept: Snapshot) -> None:
        version = kept.resource_version
        if then is not None:
            version = int(then["metadata"]["resourceVersion"])
        at, moment = len(self.writes), self._clock.monotonic()
        write = Write(at, moment, version, now, then, restored_to=kept.writes)
        self.writes.append(write)

    def _create(self, name: str) -> None:
        self._uids += 1
        metadata = {
            "name": name,
            "namespace": NAMESPACE,
            "uid": f"uid-{self._uids}",
            "labels": {"app": self._random.choice(("web", "web", "db"))},
        }
        obj = {"metadata": metadata, "spec": {"replicas": 1}, "status": self._status()}
        self._append(None, obj)

    def _put(self, old: Object, **changed: Any) -> None:
        metadata = dict(old["metadata"])
        if "labels" in changed:
            metadata["labels"] = changed.pop("labels")
        self._append(old, {**old, **changed, "metadata": metadata})

    def _append(self, before: Object | None, after: Object | None) -> None:
        self.resource_version += self._random.randint(1, 3)
        subject = after or before
        assert subject is not None
        name = subject["metadata"]["name"]
        if after is None:
            del self.objects[name]
        else:
            after["metadata"]["resourceVersion"] = str(self.resource_version)
            self.objects[name] = after
        at, moment = len(self.writes), self._clock.monotonic()
        write = Write(at, moment, self.resource_version, before, after)
        self.writes.append(write)
        self._log.append(write)
        self._log_versions.append(write.resource_version)

    def _status(self) -> Object:
        self._texts += 1
        text = f"größer {self._texts} 🙂"
        conditions = [
            {"type": kind, "status": self._random.choice(("True", "False"))}
            for kind in self._random.sample(("Ready", "Synced", "Idle"), 2)
        ]
        return {"text": text, "conditions": conditions}


def selects(selection: Selection, obj: Object | None) -> bool:
    """Whether a list of *selection* holds *obj*; the only label is app."""
    if obj is None:
        return False
    metadata = obj["metadata"]
    if selection.name is not None and metadata["name"] != selection.name:
        return False
    wanted = selection.label_selector
    return wanted is None or wanted == f"app={metadata['labels']['app']}"


def event_of(selection: Selection, write: Write) -> tuple[str, Object] | None:
    """Return type and object of the event that *write* is to *selection*, if any.

    What stops matching is told as DELETED, as it last matched but for its version.
    """
    before, after = selects(selection, write.before), selects(selection, write.after)
    if after:
        assert write.after is not None
        return "MODIFIED" if before else "ADDED", write.after
    if before:
        assert write.before is not None
        version = str(write.resource_version)
        metadata = {**write.before["metadata"], "resourceVersion": version}
        return "DELETED", {**write.before, "metadata": metadata}
    return None


def _uid(obj: Object) -> str:
    return str(obj["metadata"]["uid"])

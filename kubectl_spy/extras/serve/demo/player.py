"""Playing recordings: each step is written to the cluster at its time."""

from __future__ import annotations

import heapq
import threading
import time
from collections.abc import Iterable, Iterator
from itertools import count

from kubectl_spy.extras.serve.api_server.cluster import Cluster
from kubectl_spy.extras.serve.api_server.objects import Collection
from kubectl_spy.extras.serve.demo.recordings import Recording, Step


class Player:
    """Plays recordings into a cluster, each from when it is first watched.

    Recordings that one watch starts begin at the same moment, and are merged by time,
    then by revision. At full speed that watch gets revisions that only grow, as on the
    cluster where they were recorded one after the other.
    """

    def __init__(
        self,
        cluster: Cluster,
        recordings: Iterable[Recording],
        *,
        speed: float = 1.0,
        longest_pause: float | None = None,
        watches_before_play: int = 1,
    ) -> None:
        self._cluster = cluster
        self._speed = speed
        self._longest_pause = longest_pause
        self._wanted_watches = watches_before_play
        self._waiting = {recording.name: recording for recording in recordings}
        self._watched: dict[str, set[tuple[Collection, str | None]]] = {}
        self._remaining = {
            name: len(each.steps) for name, each in self._waiting.items()
        }
        self._plan: list[tuple[float, int, int, str, Step]] = []
        self._tie = count()
        self._changed = threading.Condition()
        self._closed = False
        self._thread = threading.Thread(
            target=self._run, name="demo player", daemon=True
        )

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        """Stop playing, at once."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join()

    def watched(self, collection: Collection, namespace: str | None) -> None:
        """Begin the recordings that wait for a watch of *collection*."""
        ready = []
        with self._changed:
            for name, recording in self._waiting.items():
                if recording.is_started_by(collection, namespace):
                    watched = self._watched.setdefault(name, set())
                    watched.add((collection, namespace))
                    if len(watched) >= self._wanted_watches:
                        ready.append(name)
            self.play(ready)

    def play(self, names: Iterable[str] | None = None) -> None:
        """Begin recordings now, all of them without *names*."""
        with self._changed:
            now = time.monotonic()
            for name in list(self._waiting) if names is None else names:
                recording = self._waiting.pop(name, None)
                for due, step in self._schedule(recording.steps if recording else ()):
                    entry = (now + due, step.revision, next(self._tie), name, step)
                    heapq.heappush(self._plan, entry)
            self._changed.notify_all()

    def wait_until_played(self, timeout: float, names: Iterable[str]) -> None:
        """Wait until recordings (*names*, or all) are played, or raise TimeoutError."""
        wanted = list(names) or list(self._remaining)
        with self._changed:
            if not self._changed.wait_for(
                lambda: not any(self._remaining[name] for name in wanted), timeout
            ):
                left = ", ".join(
                    f"{name} ({self._remaining[name]} steps left)"
                    for name in wanted
                    if self._remaining[name]
                )
                raise TimeoutError(f"not played within {timeout} s: {left}")

    def _schedule(self, steps: Iterable[Step]) -> Iterator[tuple[float, Step]]:
        """Yield each step with the seconds from now until it is due."""
        due = recorded = 0.0
        for step in steps:
            pause = (step.time - recorded) / self._speed if self._speed else 0.0
            recorded = step.time
            if self._longest_pause is not None:
                pause = min(pause, self._longest_pause)
            due += pause
            yield due, step

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._closed and not self._due():
                    wait = self._plan[0][0] - time.monotonic() if self._plan else None
                    self._changed.wait(wait)
                if self._closed:
                    return
                self._play_due()

    def _due(self) -> bool:
        return bool(self._plan) and self._plan[0][0] <= time.monotonic()

    def _play_due(self) -> None:
        with self._cluster.changed:
            while self._due():
                _, _, _, name, step = heapq.heappop(self._plan)
                self._write(step)
                self._remaining[name] -= 1
        self._changed.notify_all()

    def _write(self, step: Step) -> None:
        metadata = step.object["metadata"]
        key = (metadata.get("namespace", ""), metadata["name"])
        if step.deleted and self._cluster.get(step.collection, key) is None:
            return  # already deleted
        self._cluster.write(
            step.collection, step.object, step.revision, deleted=step.deleted
        )

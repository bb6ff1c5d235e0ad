"""Decides which lines of a recording show a new version, without reading documents.

`Playback` applies the patches of these lines, and the index of `review` lists them.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Generic, TypeVar

from kubectl_spy.core.changes import lines
from kubectl_spy.core.changes.known import set_aside
from kubectl_spy.core.objects import Selection

# Leaves out the versions that a recorder wrote again after a kill.
#
# A recorder resumes from the last resourceVersion that is noted as delivered. It may
# have sent later versions, too: these come twice. Before they come again, the first
# list shows the objects as they were before these versions.

T = TypeVar("T")

_REMEMBERED = 20_000  # changes; some 1,000 a second are sent, and noted each second


class Repeats:
    """Remembers the last 20,000 versions of a recording."""

    def __init__(self) -> None:
        self._recent: deque[lines.VersionKey] = deque(maxlen=_REMEMBERED)
        """Not in `_versions` yet. Few recordings have a stream that is resumed."""
        self._versions: OrderedDict[lines.VersionKey, None] = OrderedDict()
        self._gone: OrderedDict[str, None] = OrderedDict()

    def note(self, seen: lines.VersionKey) -> None:
        """Remember a version."""
        if not seen.initial:
            self._recent.append(seen)

    def note_again(self, seen: lines.VersionKey) -> bool:
        """Remember a version. Return whether it came before."""
        while self._recent:
            self._remember(self._recent.popleft())
        return not seen.initial and self._remember(seen)

    def _remember(self, seen: lines.VersionKey) -> bool:
        if seen in self._versions:
            return True
        self._versions[seen] = None
        if seen.gone:
            self._gone[seen.identity] = None
        for known in (self._versions, self._gone):
            if len(known) > _REMEMBERED:
                known.popitem(last=False)
        return False

    def knew(self, identity: str) -> bool:
        """Return whether an object was deleted a short time ago."""
        return identity in self._gone


class CatchingUp(Generic[T]):
    """Passes on the new versions of a stream that first repeats known versions.

    *last* has the last known version of each object, by identity. An older version of
    an object is held back until its last known version or a new one comes.
    """

    def __init__(self, last: Mapping[str, str]) -> None:
        self._last = dict(last)
        self._held: dict[str, T] = {}

    def last(self, versions: Mapping[str, str]) -> dict[str, str]:
        """Return the last versions so far; *versions* are those of the last lines."""
        passed = {each: versions[each] for each in versions.keys() - self._held.keys()}
        return {**self._last, **passed}

    def passed(
        self, item: T, seen: lines.VersionKey, repeats: Repeats
    ) -> Iterator[tuple[T, bool]]:
        """Yield *item*, unless it came before, and what was held back for it.

        An item comes with True if its version was there before this run.
        """
        identity = seen.identity
        last = self._last.get(identity)
        held = self._held.pop(identity, None)
        came_before = repeats.note_again(seen)
        if seen.gone and came_before:
            return
        if seen.initial or came_before:
            current = seen.version == last
            if current or (last is None and not repeats.knew(identity)):
                yield item, True
            else:
                self._held[identity] = item
            return
        if held is not None:
            yield held, True
        if seen.gone:
            self._last.pop(identity, None)
        yield item, False

    def rest(self) -> list[T]:
        """Return the versions that are still held back."""
        held = list(self._held.values())
        self._held.clear()
        return held


class StreamOrder(Generic[T]):
    """The objects of one stream in one run, each with its last known version."""

    def __init__(
        self, selection: Selection, catching_up: CatchingUp[T] | None = None
    ) -> None:
        self.selection = selection
        gvk = selection.resource.gvk
        self._type = gvk.api_version, gvk.kind
        self._names: dict[str, lines.Names] = {}
        self.present: dict[str, str] = {}
        """The resourceVersion of each object, by identity."""
        self.departed: dict[str, str] = {}
        """The resourceVersions of objects that left a selector and may come back."""
        self.catching_up = catching_up
        """Leaves out repeated versions, until the stream has caught up."""
        self.complete = True  # whether no line was lost

    def _take_names(self, line: lines.ObjectLine) -> None:
        """Remember the names of a new object. Raises BadLine if a known one changes."""
        identity = line.seen.identity
        if identity in self._names and line.type != "ADDED":
            raise lines.BadLine("its object had another name before")
        if line.names[:2] != self._type:
            raise lines.BadLine("its object is of another type than its stream")
        self._names[identity] = line.names

    def shows(self, line: lines.ObjectLine) -> bool:
        """Return whether *line* shows a version of its object.

        Raises BadLine if it does not fit the lines before it.
        """
        kind, seen = line.type, line.seen
        if self._names.get(seen.identity) != line.names:
            self._take_names(line)
        known = self.present.get(seen.identity)
        if kind == "SNAPSHOT":
            return known != seen.version
        if kind == "ADDED" or seen.gone:
            return True
        if kind == "GAP" and known is None:
            known = self.departed.get(seen.identity)
        if known is not None and known == line.previous:
            return True
        if self.complete and kind == "MODIFIED":
            raise lines.BadLine("the version before it was never there")
        return False  # the version before is lost: wait for the next snapshot

    def take(self, kind: str, seen: lines.VersionKey) -> None:
        """Take in the version that a line shows."""
        identity = seen.identity
        if not seen.gone:
            self.present[identity] = seen.version
            if kind == "GAP":
                self.departed.pop(identity, None)
            return
        self._names.pop(identity, None)
        known = self.present.pop(identity, None)
        if kind == "LEFT" and known is not None:
            set_aside(self.departed, identity, known)


class VersionOrder(Generic[T]):
    """Follows the lines of a recording in their order.

    The items are whatever stands for a line: the record of a change, or its number.
    """

    def __init__(self) -> None:
        self.orders: dict[int, StreamOrder[T]] = {}
        """The streams of this run, by number."""
        self._earlier: list[StreamOrder[T]] = []  # those of the run before
        self._repeats = Repeats()
        self._seq = 0
        self._lost = False
        self.tells_states = True
        """Whether RECONNECT lines have a stream and a state."""

    def lose(self) -> None:
        """Note that lines are missing or damaged."""
        self._lost = True

    def follow(self, line: lines.Line, skipped: int) -> bool:
        """Advance to *line*. Return whether lines before it are lost.

        *skipped* lines before it were left out. Lines that an earlier run lost do not
        count.
        """
        if line.seq != self._seq + skipped + 1 and self._seq:
            self._lost = True
        self._seq = line.seq
        if isinstance(line, lines.HeaderLine):
            self.tells_states = lines.tells_states(line.members)
            if line.begins_run:
                self._earlier, self.orders = list(self.orders.values()), {}
                self._lost = False
        lost, self._lost = self._lost, False
        if lost:
            for order in self.orders.values():
                order.complete = False
        return lost

    def declare(self, line: lines.StreamLine) -> StreamOrder[T]:
        """Return the stream of *line*, which may go on from an earlier run."""
        number, selection = line.stream, line.selection
        known = self.orders.get(number)
        if known is None or known.selection != selection:
            resumed = line.since is not None
            known = self.orders[number] = self._continued(selection, resumed)
        return known

    def _continued(self, selection: Selection, resumed: bool) -> StreamOrder[T]:
        for earlier in self._earlier if resumed else ():
            if earlier.selection == selection:
                before: CatchingUp[T] = earlier.catching_up or CatchingUp({})
                last = before.last(earlier.present)
                return StreamOrder(earlier.selection, CatchingUp(last))
        return StreamOrder(selection)

    def order(self, number: int) -> StreamOrder[T]:
        """Return a stream. Raises BadLine if it was not declared."""
        order = self.orders.get(number)
        if order is None:
            raise lines.BadLine("its stream was not declared")
        return order

    def new(
        self, order: StreamOrder[T], item: T, seen: lines.VersionKey
    ) -> Iterable[tuple[T, bool]]:
        """Return the change *item*, unless it was written again.

        An item comes with True if its version was there before this run.
        """
        if order.catching_up is not None:
            return order.catching_up.passed(item, seen, self._repeats)
        self._repeats.note(seen)
        return ((item, False),)

    def caught_up(self, order: StreamOrder[T]) -> list[T]:
        """End the repeats of a resumed stream. Return the held versions."""
        if order.catching_up is None:
            return []
        held, order.catching_up = order.catching_up.rest(), None
        return held

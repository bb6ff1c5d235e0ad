"""What was read of each selection, and since when: the one ledger.

`History` fills it live and `Playback` from a recording, by the same items. A sentence
that denies something is a claim about all that was not printed, so it is made from this
ledger (`render/denials.py`), and from nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from kubectl_spy.core.changes.record import (
    Horizon,
    Listed,
    OfStream,
    Refused,
    Watched,
)
from kubectl_spy.core.objects import JSON, Selection
from kubectl_spy.core.times import rfc3339

_LATE = 10.0  # seconds after the beginning in which a first list is no lack


@dataclass(slots=True)
class Reach:
    """What is known of all objects of one selection."""

    answer: Listed | Refused | None = None  # None is no answer yet
    exact: float | None = None
    """From when on all writes are known, in seconds since the epoch."""
    lost: Watched | None = None  # since when it is not watched; None if it is


class Lack(Enum):
    """Why something of a time span is not known."""

    UNLISTED = "unlisted"  # no list came
    FORBIDDEN = "forbidden"  # no right to list it
    REFUSED = "refused"  # the list was refused otherwise
    EARLIER = "earlier"  # what came before a time is not known
    LOST = "lost"  # it was not watched after a time
    UNSURE = "unsure"  # whether it was watched after a time is not known


class Hole(NamedTuple):
    """What is not known of some types, and why."""

    lack: Lack
    types: tuple[str, ...]
    time: float | None = None  # for EARLIER: until when; for LOST and UNSURE: since

    def as_json(self) -> dict[str, JSON]:
        """Return the hole as a JSON object."""
        line: dict[str, JSON] = {"why": self.lack.value, "types": list(self.types)}
        if self.time is not None:
            until = self.lack is Lack.EARLIER
            line["until" if until else "since"] = rfc3339(self.time)
        return line


class Coverage:
    """What is known of each of *selections*, and of each other that an item is about.

    An item may come twice, from two readers of one run.
    """

    def __init__(self, selections: Iterable[Selection] = ()) -> None:
        self._reaches = {each: Reach() for each in selections}
        self._pending = dict.fromkeys(self._reaches)

    def of(self, selection: Selection) -> Reach:
        """Return what is known of *selection*."""
        return self._reaches.get(selection) or Reach()

    @property
    def selections(self) -> list[Selection]:
        """The selections of which anything is known, in their order."""
        return list(self._reaches)

    def observe(self, item: OfStream) -> bool:
        """Take in what is said of a whole selection. Return whether it is news.

        A list is, if it is the first one of its run, and a refusal, if it is another.
        """
        reach = self._reaches.setdefault(item.selection, Reach())
        if isinstance(item, Listed | Refused):
            self._pending.pop(item.selection, None)
            before, reach.answer = reach.answer, item
        if isinstance(item, Listed):
            ended = reach.lost is not None and reach.lost.ended
            if isinstance(before, Listed) and not ended:
                reach.answer = before
                return False
            reach.lost = None
            if reach.exact is None:
                reach.exact = item.time
        elif isinstance(item, Refused):
            return not isinstance(before, Refused) or before.message != item.message
        elif isinstance(item, Horizon):
            reach.exact = item.exact
        elif item.back:
            reach.lost = None
        elif reach.lost is None or (item.back is False and reach.lost.back is None):
            reach.lost = item
        elif item.ended:
            reach.lost = reach.lost._replace(ended=True)
        return True

    def end_run(self, time: float) -> list[Watched]:
        """Return that nothing is watched from *time* on, until it is listed again."""
        said = [Watched(each, False, "", time, ended=True) for each in self._reaches]
        for item in said:
            self.observe(item)
        return said

    @property
    def unwatched(self) -> float:
        """Since when any selection is not watched, or 0."""
        return min(
            (it.lost.time for it in self._reaches.values() if it.lost), default=0
        )

    def lost_kinds(self, until: float) -> set[str]:
        """Return the kinds of which a watch was lost before a time, and is not back."""
        return {
            selection.resource.gvk.kind
            for selection, reach in self._reaches.items()
            if reach.lost is not None and reach.lost.time <= until
        }

    def has_list(self, selection: Selection) -> bool:
        """Return whether *selection* was listed."""
        return isinstance(self.of(selection).answer, Listed)

    @property
    def complete(self) -> bool:
        """Whether every selection was listed or refused."""
        return not self._pending

    @property
    def unlisted(self) -> list[Selection]:
        """The selections that were neither listed nor refused yet."""
        return list(self._pending)

    @property
    def refused(self) -> list[Refused]:
        """Why selections could not be listed, in their order."""
        answers = (each.answer for each in self._reaches.values())
        return [each for each in answers if isinstance(each, Refused)]

    def answers(self) -> Iterable[tuple[Selection, Listed | Refused | None]]:
        """Yield each selection, and whether it was listed."""
        return ((each, reach.answer) for each, reach in self._reaches.items())

    def holes(self, began: float, until: float, kind: str | None = None) -> list[Hole]:
        """Return what is not known of a time span, of a *kind* or of all.

        What has the same reason and the same second is one hole. Gaps are not among
        them: records of their own tell them.
        """
        found: dict[tuple[Lack, int | None], tuple[float | None, list[str]]] = {}
        homes = homes_of(self._reaches)
        for selection, reach in self._reaches.items():
            if kind not in (None, selection.resource.gvk.kind):
                continue
            # No change is shown of what a selector chooses beside the targets.
            explains = selection.narrowed and not selection.asked
            for lack, time in _lacks(reach, began, until):
                if explains and lack is Lack.EARLIER:
                    continue
                key = lack, None if time is None else int(time)
                types = found.setdefault(key, (time, []))[1]
                if (name := type_name(selection, homes)) not in types:
                    types.append(name)
        order = list(Lack)
        holes = [
            Hole(lack, tuple(types), time) for (lack, _), (time, types) in found.items()
        ]
        return sorted(holes, key=lambda it: (order.index(it.lack), -(it.time or 0.0)))


def homes_of(selections: Iterable[Selection]) -> frozenset[str | None]:
    """Return the namespaces of what was asked for among *selections*."""
    return frozenset(each.namespace for each in selections if each.asked)


def type_name(selection: Selection, homes: frozenset[str | None]) -> str:
    """Return `pods`, or `pods -n kube-system` if that is no home of the targets."""
    name, space = selection.resource.group_resource, selection.namespace
    at_home = space is None or space in homes or not homes
    return name if at_home else f"{name} -n {space}"


def _lacks(
    reach: Reach, began: float, until: float
) -> Iterable[tuple[Lack, float | None]]:
    if reach.answer is None:
        yield Lack.UNLISTED, None
    elif isinstance(reach.answer, Refused):
        yield (Lack.FORBIDDEN if reach.answer.forbidden else Lack.REFUSED), None
    else:
        if reach.exact is not None and began + _LATE < reach.exact < until:
            yield Lack.EARLIER, reach.exact
        if reach.lost is not None and reach.lost.time < until:
            unsure = reach.lost.back is None
            yield (Lack.UNSURE if unsure else Lack.LOST), reach.lost.time

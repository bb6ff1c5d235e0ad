"""What a stream may be told to do, how that ended, and where it stands. Values only."""

from __future__ import annotations

from dataclasses import dataclass

from kubectl_spy.errors import SpyError


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How long is long, in seconds. The defaults are for real servers and networks."""

    first_wait: float = 0.8
    longest_wait: float = 30.0
    retry_after_at_most: float = 60.0
    healthy_after: float = 60.0
    """Of watching; then earlier failures are forgotten."""
    short_watch: float = 1.0
    """A watch that lasts less and brings nothing new counts as a failure."""
    stale_after: float = 180.0
    """Without an event or a bookmark; then a list is due.

    etcd is compacted every 5 minutes by default; past that the resourceVersion is gone.
    """
    shortest_watch: float = 300.0
    longest_watch: float = 600.0
    """Between these the server is asked to end each watch, as client-go does."""
    overdue_after: float = 5.0
    """Without an answer; then a person is told that there is none yet."""


REAL = Pace()


@dataclass(frozen=True, slots=True)
class List:
    """List everything. *since* is None for the first time."""

    since: float | None = None
    lost: bool = False


@dataclass(frozen=True, slots=True)
class Watch:
    """Watch from *resource_version* for at most *seconds*.

    From "", which a list that has none leaves, the server tells the present state
    first: such a watch gives nothing to resume from until something happens.
    """

    resource_version: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Verify:
    """Ask whether the server has reached *resource_version* at all.

    A server restored from a backup answers a watch from its future with silence.
    """

    resource_version: str
    outage: bool = False
    """Whether asking failed before. The connection may have died with it, unnoticed."""


@dataclass(frozen=True, slots=True)
class Renew:
    """Read the credentials again: tokens rotate, exec plugins refresh."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Do nothing for *seconds*."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Stop:
    """Give up."""

    error: SpyError


Action = List | Watch | Verify | Renew | Wait | Stop


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an action ended. *resource_version* is the last one seen and passed on.

    *brought* counts events and bookmarks, *took* is in seconds; *error* says what went
    wrong. A watch that the read timeout ended took its time and brought nothing.
    """

    resource_version: str = ""
    brought: int = 0
    contact: float = 0.0
    """When the last of these came, or a list was begun: seconds since the epoch."""
    took: float = 0.0
    unanswered: float = 0.0
    """The seconds of *took* before the server began to answer."""
    quiet: float = 0.0
    """The seconds of *took* since *contact*, by a clock that nobody sets."""
    error: SpyError | None = None


@dataclass(frozen=True, slots=True)
class State:
    """Where one stream stands; *action* is what to do now."""

    action: Action = List()
    then: Action | None = None
    """What follows a Wait or a Renew."""
    resource_version: str = ""
    contact: float = 0.0
    """When all that had happened was known: the last event, bookmark or list.

    Seconds since the epoch.
    """
    quiet: float = 0.0
    """Seconds since then, by a clock that nobody sets."""
    synced: bool = False
    watched: bool = False
    """Whether a watch ever worked; what is refused before that is refused for good."""
    expired: bool = False
    """Whether the last watch, too, ended because its history was gone."""
    brief: int = 0
    """How many watches in a row were short."""
    failures: int = 0
    renewed: bool = False
    troubled: bool = False
    """Whether a person was told of a failure, and waits to hear that it is over."""
    say: str = ""
    """What to tell them now."""

"""The actions of a watch, their outcomes, and the state between them. Values only."""

from __future__ import annotations

from typing import NamedTuple

from kubectl_spy.errors import SpyError


class Pace(NamedTuple):
    """Waits and limits in seconds. The defaults suit real servers and networks."""

    first_wait: float = 0.8
    longest_wait: float = 30.0
    retry_after_at_most: float = 60.0
    healthy_after: float = 60.0
    """After a watch of this length earlier failures are forgotten."""
    short_watch: float = 1.0
    """A shorter watch that brings nothing new counts as a failure."""
    stale_after: float = 180.0
    """After this long without an event or a bookmark a list is due.

    By default etcd is compacted every 5 minutes, and older versions are lost.
    https://kubernetes.io/docs/reference/command-line-tools-reference/kube-apiserver/
    """
    shortest_watch: float = 300.0
    longest_watch: float = 600.0
    """The bounds of the random length of each watch, as in client-go."""
    overdue_after: float = 5.0
    """After this long without an answer a status line says so."""
    tries_list: bool = True  # whether to try a first list again after a 5xx


REAL = Pace()


class Status(NamedTuple):
    """How a watch goes, for people."""

    text: str
    works: bool = False
    retry: float | None = None  # in how many seconds it is tried again

    def __str__(self) -> str:
        again = "" if self.retry is None else f"; trying again in {self.retry:.0f} s"
        return f"{self.text}{again}"


class List(NamedTuple):
    """List all objects."""

    since: float | None = None
    """When the known objects were current. None is for the first list."""
    lost: bool = False  # whether versions since then may have been missed
    version: str = ""
    """List them as they were at this resourceVersion. All changes since then follow.

    https://kubernetes.io/docs/reference/using-api/api-concepts/#semantics-for-get-and-list
    """
    back_to: float | None = None
    """Keep what is listed until what was written since this time is replayed."""


FIRST = List()


class Replay(NamedTuple):
    """Replay the writes after *version* that the watch cache holds."""

    version: str
    tries: int = 0  # how often it was tried before
    oldest: int = 0  # the version that the last refusal named as the oldest, or 0


class Bisect(NamedTuple):
    """Ask whether the state between two versions can still be listed."""

    lost: int  # the state at this version cannot be listed
    kept: int  # the state at this one can be
    steps: int = 0  # how often it was asked before


class Recall(NamedTuple):
    """Emit what was listed and replayed. *reason* says why nothing was replayed."""

    version: str = ""  # what was replayed begins after it
    reason: str = ""


class Watch(NamedTuple):
    """Watch from *resource_version* for at most *seconds*.

    A watch from "" first sends all objects. It has no version to resume from until a
    change comes.
    """

    resource_version: str
    seconds: float


class Verify(NamedTuple):
    """Check that the server has reached *resource_version*.

    A server that was restored from a backup may not have. It then answers a watch from
    that version with silence.
    """

    resource_version: str
    outage: bool = False  # whether an earlier check failed


class Renew(NamedTuple):
    """Read the credentials again: tokens rotate, and exec plugins refresh them."""


class Wait(NamedTuple):
    """Do nothing for *seconds*."""

    seconds: float


class Stop(NamedTuple):
    """Give up."""

    error: SpyError


OfPast = Replay | Bisect | Recall
Action = List | Replay | Bisect | Recall | Watch | Verify | Renew | Wait | Stop


class Outcome(NamedTuple):
    """How an action ended."""

    resource_version: str = ""  # the last version that was handed on
    brought: int = 0  # The number of events and bookmarks. A watch may end without any.
    contact: float = 0.0
    """When the last of these came, or the list began, in seconds since the epoch."""
    took: float = 0.0  # seconds that the action took
    unanswered: float = 0.0  # the seconds of *took* before the server began to answer
    quiet: float = 0.0  # the seconds of *took* after *contact*, by the monotonic clock
    behind: bool = False  # whether changes since a past version have still to come
    begin: str = "1"  # after which version the server's memory may begin
    error: SpyError | None = None


class State(NamedTuple):
    """The state of the watch of one selection."""

    action: Action = FIRST  # what to do now
    then: Action | None = None  # what to do after a Wait or a Renew
    resource_version: str = ""
    contact: float = 0.0
    """When the last event, bookmark or list came, in seconds since the epoch."""
    quiet: float = 0.0  # seconds since *contact*, by the monotonic clock
    synced: bool = False  # whether a list ever worked
    watched: bool = False
    """Whether a watch ever worked. A refusal before that is final."""
    expired: bool = False
    """Whether the last watch ended with 410: its version was too old."""
    brief: int = 0  # the number of short watches in a row
    failures: int = 0  # the number of failures in a row
    renewed: bool = False  # whether the credentials were just read again
    troubled: bool = False  # whether a failure was reported, and its end was not
    say: Status | None = None  # what is to be said now

"""The readiness of an object."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class State(Enum):
    """The states of kstatus.

    https://github.com/kubernetes-sigs/cli-utils/blob/master/pkg/kstatus/README.md
    """

    CURRENT = "current"  # it is what its spec asks for
    IN_PROGRESS = "in progress"
    FAILED = "failed"
    TERMINATING = "terminating"
    UNKNOWN = "unknown"  # its status has no known condition


class Readiness(NamedTuple):
    """A state, and why, in one short line.

    *final* says that nothing more will happen by itself.
    """

    state: State
    message: str
    final: bool = False


def current(message: str, *, final: bool = False) -> Readiness:
    """Return that an object is current."""
    return Readiness(State.CURRENT, message, final)


def in_progress(message: str) -> Readiness:
    """Return that an object is in progress."""
    return Readiness(State.IN_PROGRESS, message)


def failed(message: str, *, final: bool = False) -> Readiness:
    """Return that an object failed."""
    return Readiness(State.FAILED, message, final)

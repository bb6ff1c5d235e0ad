"""How far an object is on its way to what its spec asks for."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class State(Enum):
    """Where an object stands; the names are kstatus's.

    https://github.com/kubernetes-sigs/cli-utils/blob/master/pkg/kstatus/README.md
    """

    CURRENT = "current"
    """It is what its spec asks for."""
    IN_PROGRESS = "in progress"
    FAILED = "failed"
    TERMINATING = "terminating"
    UNKNOWN = "unknown"
    """Its status says nothing that we understand."""


class Readiness(NamedTuple):
    """A state, and one short line for a person that says why.

    *final* says that nothing more will happen by itself.
    """

    state: State
    message: str
    final: bool = False


def current(message: str, *, final: bool = False) -> Readiness:
    """Return that an object is what its spec asks for."""
    return Readiness(State.CURRENT, message, final)


def in_progress(message: str) -> Readiness:
    """Return that an object is on its way."""
    return Readiness(State.IN_PROGRESS, message)


def failed(message: str, *, final: bool = False) -> Readiness:
    """Return that an object does not get where its spec wants it."""
    return Readiness(State.FAILED, message, final)

"""How `--for` ends a command: with one line, and an exit code that a script can use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from kubectl_spy.errors import TimedOut, WaitFailed
from kubectl_spy.render.inert import inert
from kubectl_spy.sinks.terminal import Terminal

if TYPE_CHECKING:
    from kubectl_spy.cli.run.view import Consumer
    from kubectl_spy.core.awaiting.awaiting import Awaiting, Step, Verdict
    from kubectl_spy.core.objects import Selection


def awaiting_of(
    steps: Sequence[Step],
    selections: Sequence[Selection],
    showing: Consumer | None,
) -> Awaiting | None:
    """Return what waits for *selections* to meet *steps*, if there are any.

    What *showing* knows to fail of all under them counts as well.
    """
    if not steps:
        return None
    # Whoever waits for nothing does not wait for this import.
    from kubectl_spy.core.awaiting.awaiting import Awaiting

    failures = tuple if showing is None else showing.failures
    return Awaiting(steps, selections, failures=failures)


def conclude(verdict: Verdict, terminal: Terminal) -> None:
    """Say that what was waited for came.

    Raises:
        WaitFailed: it cannot come any more.
    """
    if not verdict.met:
        raise WaitFailed(verdict.message, verdict.remedy)
    terminal.say(inert(verdict.message))


def unmet(awaiting: Awaiting) -> str:
    """Return what was waited for in vain, and how far it was."""
    return f"waited for {awaiting.phrase}: {awaiting.missing()}"


def not_now(awaiting: Awaiting) -> Verdict:
    """Return that what is waited for has not come, where nobody waits for it."""
    from kubectl_spy.core.awaiting.awaiting import Verdict

    return Verdict(False, f"not {awaiting.phrase}: {awaiting.missing()}")


@contextmanager
def explained(awaiting: Awaiting | None) -> Iterator[None]:
    """Let a timeout within the block tell what was waited for, if anything was.

    Raises:
        TimedOut: as the block does.
    """
    try:
        yield
    except TimedOut:
        if awaiting is None:
            raise
        raise TimedOut(unmet(awaiting)) from None

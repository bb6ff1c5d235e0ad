"""One Pod, thousands of changes as fast as they are read, into a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from benchmarks.measure import Command, count, interleaved, to_marker
from benchmarks.objects import END_MARKER, NAMESPACE
from benchmarks.table import Measured, Row
from benchmarks.tools import (
    POD,
    Settings,
    kubectl,
    kubectl_spy,
    kubespy,
    load_server,
)

OURS = {
    command: (command, f"pod/{POD}", "-n", NAMESPACE)
    for command in ("status", "changes")
}
THEIRS = {
    command: (command, "v1", "Pod", f"{NAMESPACE}/{POD}")
    for command in ("status", "changes")
}
REACH = {"status": 0.15, "changes": 0.12}
REACH_WITH_TLS = {"status": 0.2, "changes": 0.15}


# What each prints for every event; who prints fewer has not done the work.
PRINTED = "MODIFIED"
PRINTED_BY_KUBECTL = '"restartCount"'


def rows(settings: Settings) -> Iterator[Row]:
    """Yield the rows of a flood of events."""
    medians = measured(settings, tls=False)
    for name, goal in REACH.items():
        yield against_kubespy(settings, name, medians, goal)
        yield Row(
            described(settings, name),
            medians.get(f"our {name}"),
            "`kubectl get -w -o json`",
            medians.get("kubectl"),
        )
    # Over TLS, which clusters have, each event is a record of its own.
    medians = measured(settings, tls=True)
    for name, goal in REACH_WITH_TLS.items():
        yield against_kubespy(settings, name, medians, goal, " over TLS")


def described(settings: Settings, name: str, how: str = "") -> str:
    return f"{settings.events:,} events of a 4.4 KB Pod{how}, `{name}`"


def against_kubespy(
    settings: Settings,
    name: str,
    medians: Mapping[str, Measured],
    goal: float,
    how: str = "",
) -> Row:
    """Return the row of one of our commands beside kubespy's."""
    what, peer = described(settings, name, how), f"kubespy {name}"
    ours, theirs = medians.get(f"our {name}"), medians.get(peer)
    return Row(what, ours, f"`{peer}`", theirs, goal)


def measured(settings: Settings, *, tls: bool) -> Mapping[str, Measured]:
    """Return the seconds that each command takes to the last event."""
    commands = [
        *((f"our {name}", kubectl_spy(*argv), PRINTED) for name, argv in OURS.items()),
        *(
            (f"kubespy {name}", kubespy(*argv), PRINTED)
            for name, argv in THEIRS.items()
        ),
    ]
    if not tls:
        argv = kubectl("get", "pod", POD, "-w", "-o", "json")
        commands.append(("kubectl", argv, PRINTED_BY_KUBECTL))
    with load_server(settings, pods=1, events=settings.events, tls=tls) as server:
        candidates = {
            name: to_the_end(settings.command(argv, server), token, settings.events)
            for name, argv, token in commands
            if argv
        }
        return interleaved(candidates, settings.runs)


def to_the_end(command: Command, token: str, events: int) -> Callable[[], float]:
    """Return what runs *command* over all events and checks that it printed them."""

    def run() -> float:
        seconds = to_marker(command, END_MARKER)
        printed = count(command.stdout, token.encode())
        if printed < events:
            raise command.failed(f"printed {printed} of {events} events")
        return seconds

    return run

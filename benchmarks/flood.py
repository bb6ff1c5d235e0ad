"""One Pod, thousands of changes as fast as they are read, into a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from benchmarks.measure import Command, count, interleaved, to_marker
from benchmarks.objects import END_MARKER, NAMESPACE
from benchmarks.table import Row
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
REACH = {"status": 0.25, "changes": 0.2}


def rows(settings: Settings) -> Iterator[Row]:
    """Yield the rows of a flood of events."""
    # What each prints for every event; who prints fewer has not done the work.
    commands = [
        *(
            (f"our {name}", kubectl_spy(*argv), "MODIFIED")
            for name, argv in OURS.items()
        ),
        *(
            (f"kubespy {name}", kubespy(*argv), "MODIFIED")
            for name, argv in THEIRS.items()
        ),
        ("kubectl", kubectl("get", "pod", POD, "-w", "-o", "json"), '"restartCount"'),
    ]
    with load_server(settings, pods=1, events=settings.events) as server:
        candidates = {
            name: to_the_end(settings.command(argv, server), token, settings.events)
            for name, argv, token in commands
            if argv
        }
        medians = interleaved(candidates, settings.runs)
    for name, reach in REACH.items():
        what = f"{settings.events:,} events of a 4.4 KB Pod, `{name}`"
        ours = medians.get(f"our {name}")
        peer = f"kubespy {name}"
        yield Row(what, ours, f"`{peer}`", medians.get(peer), reach)
        yield Row(what, ours, "`kubectl get -w -o json`", medians.get("kubectl"))


def to_the_end(command: Command, token: str, events: int) -> Callable[[], float]:
    """Return what runs *command* over all events and checks that it printed them."""

    def run() -> float:
        seconds = to_marker(command, END_MARKER)
        printed = count(command.stdout, token.encode())
        if printed < events:
            raise command.failed(f"printed {printed} of {events} events")
        return seconds

    return run

"""What a live command says before it shows anything."""

from __future__ import annotations

from collections.abc import Sequence

from kubectl_spy.cli.run.first_lists import described_together
from kubectl_spy.cli.run.scene import ViewSpec
from kubectl_spy.core.objects import Selection
from kubectl_spy.core.remedy import kubectl
from kubectl_spy.render.inert import inert
from kubectl_spy.sinks.terminal import Terminal
from kubectl_spy.sources.connection.connect import Connection


def announce(
    connection: Connection, selections: Sequence[Selection], terminal: Terminal
) -> None:
    """Say what is watched where: the wrong context is the dearest mistake."""
    what = described_together(selections)
    where = ""
    for selection in selections:
        if selection.namespace:
            where = f" in namespace {selection.namespace}"
        elif selection.resource.namespaced:
            where = " in all namespaces"
    context = connection.context
    through = f"context {context}" if context else connection.server
    terminal.say(inert(f"watching {what}{where} ({through}); Ctrl-C ends"))


def hint_at_changes(
    spec: ViewSpec, selections: Sequence[Selection], terminal: Terminal
) -> None:
    """Say which of the types have no status to show."""
    if spec.shown is None or not spec.shown.excerpt.status:
        return
    for resource in dict.fromkeys(selection.resource for selection in selections):
        if not resource.has_status:
            terminal.say(
                f"note: {resource.group_resource} have no status; "
                f"try: {kubectl('spy changes {}', resource.plural)}"
            )

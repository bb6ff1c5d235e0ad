"""`kubectl spy show`: an object as it was."""

from __future__ import annotations

from typing import Any

import click

from kubectl_spy.cli import options
from kubectl_spy.cli.params import command
from kubectl_spy.sinks.terminal import Terminal


@command(
    "kubectl spy show rollout.spy --at 15:04:05.170",
    "kubectl spy show web.spy pod/web-0 --at rv:4711 -o json",
    "kubectl spy show web.spy deploy/web --at last | kubectl diff -f -",
)
@options.recording
@options.targets
@options.at("point", default="last")
@options.namespace("Only objects of this namespace.")
@options.selectors
@options.excerpt
@options.choice("-o --output FORMAT", "", "yaml json")
@options.debug
@click.pass_obj
def show(terminal: Terminal, /, **flags: Any) -> None:
    """What did an object look like at a point in time?

    Print an object as it was at a point of a recording. A time of day means the first
    such time in the recording, or else the nearest one on its days. A time before the
    recording means its beginning. If the object may have changed unseen before the
    point, a warning says so.

    TARGET names the object, as in pod/web-0. It is not needed if there is only one.
    """
    from kubectl_spy.cli.parsed import excerpt_of, one_object
    from kubectl_spy.cli.views.state import print_state

    asked, excerpt = one_object(flags, flags["target"]), excerpt_of(flags)
    print_state(asked, flags["point"], excerpt, flags["output"], terminal)

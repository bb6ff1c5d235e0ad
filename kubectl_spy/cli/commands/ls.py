"""`kubectl spy ls`: what a recording holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kubectl_spy.cli import options
from kubectl_spy.cli.params import KubectlCommand

if TYPE_CHECKING:
    from kubectl_spy.sinks.terminal import Terminal

_EPILOG = """\b
Examples:
  kubectl spy ls night.spy
  kubectl spy ls night.spy pods -n shop --sort time
  kubectl spy ls night.spy --by kubectl-edit --since 03:00 --until 03:30
  kubectl spy ls night.spy -o json | jq '.objects[] | select(.gone) | .name'
"""
_OF_BODIES = ("only", "ignore", "managers", "grep", "label_selector", "field_selector")
"""The flags that choose by what is in documents and patches."""


@click.command(cls=KubectlCommand, epilog=_EPILOG)
@options.recording
@options.targets
@options.namespace("Only objects of this namespace.")
@options.selectors
@options.narrowing
@options.excerpt
@options.window("Begin", "End")
@options.choice(
    "--sort",
    "Sort by number of changes, by latest change, or by name.",
    "changes time name",
)
@options.choice("-o --output", "A table, or one line of JSON.", "text json")
@options.color
@options.debug
@click.pass_obj
def ls(terminal: Terminal, /, **flags: Any) -> None:
    """What does a recording hold?

    Print the times and the gaps of a recording, and for each object how often it
    changed and who likely changed it. Flags that choose objects or changes also limit
    the counts.

    Without flags that look into objects, ls reads only what lines say of them, which is
    quicker. verify checks all.

    TARGET selects among the recorded objects: pod/web-0, pods. FILE may be gzipped; -
    is standard input.
    """
    from kubectl_spy.cli.parsed import format_of, options_of
    from kubectl_spy.cli.run.run import run
    from kubectl_spy.cli.views.contents import ContentsFormat, contents

    wanted = format_of(
        ContentsFormat,
        flags,
        targets=bool(flags["target"]),
        until=flags["to_time"] is not None,
        bodies=any(flags[each] for each in _OF_BODIES),
    )
    spec = contents(wanted)
    run(options_of(flags, spec), spec, terminal)

"""`kubectl spy ls`: what a recording holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from kubectl_spy.cli import options
from kubectl_spy.cli.params import command

if TYPE_CHECKING:
    from kubectl_spy.sinks.terminal import Terminal

_PARTS = (
    *("target", "namespace", "label_selector", "field_selector"),
    *("managers", "grep", "only", "ignore"),
)
_OF_BODIES = ("only", "ignore", "managers", "grep", "label_selector", "field_selector")
"""The flags that choose by what is in documents and patches."""
_TIMES = ("from_time", "to_time")


@command(
    "kubectl spy ls night.spy",
    "kubectl spy ls night.spy pods -n shop --sort time",
    "kubectl spy ls night.spy --by kubectl-edit --since 03:00 --until 03:30",
    "kubectl spy ls night.spy -o json | jq '.objects[] | select(.gone) | .name'",
    "kubectl spy ls night.spy --verify",
)
@options.recording
@options.targets
@options.namespace("Only objects of this namespace.")
@options.selectors
@options.narrowing
@options.excerpt
@options.times
@options.choice("--sort ORDER", "", "changes time name")
@options.choice("-o --output FORMAT", "", "text json")
@options.switch("--verify", "Instead check each line, for damage.")
@options.color
@options.debug
@click.pass_obj
def ls(terminal: Terminal, /, **flags: Any) -> None:
    """What does a recording hold?

    Print the times and the gaps of a recording, and for each object how often it
    changed and who likely changed it. Flags that choose objects or changes also limit
    the counts.

    With --verify, check every line: its checksum, its patch, its snapshot. The
    jsonpatch package applies patches a second time: the first 2,000, then each that
    moves a value, and one in 16 of the others. If a line is damaged, name the first
    one, and exit with 1. A recorder that was killed damages nothing: the last line may
    be cut short, or the end be missing. Both are reported, and the exit code is 0.

    TARGET selects among the recorded objects: pod/web-0, pods. FILE may be gzipped.
    """
    if flags["verify"]:
        _verify(flags, terminal)
        return
    from kubectl_spy.cli.parsed import format_of, run
    from kubectl_spy.cli.views.contents import ContentsFormat, contents

    wanted = format_of(
        ContentsFormat,
        flags,
        targets=bool(flags["target"]),
        until=flags["to_time"] is not None,
        bodies=any(flags[each] for each in _OF_BODIES),
    )
    run(flags, contents(wanted), terminal)


def _verify(flags: Mapping[str, Any], terminal: Terminal) -> None:
    """Check the whole FILE. Raises UsageError if flags choose a part of it."""
    from kubectl_spy.cli.views.contents import verify
    from kubectl_spy.errors import UsageError
    from kubectl_spy.sources.recording.segments import fetched

    parts = [each for each in _PARTS if flags[each]]
    if flags["file"] not in fetched:
        parts += [each for each in _TIMES if flags[each]]
    if parts or flags["output"] != "text":
        raise UsageError(
            "a file is verified as a whole", "leave out what chooses a part or a format"
        )
    verify(flags["file"], terminal)

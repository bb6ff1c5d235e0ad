"""`kubectl spy export`: a recording as a document."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import click

from kubectl_spy.cli import options
from kubectl_spy.cli.params import command
from kubectl_spy.errors import SpyError, UsageError
from kubectl_spy.private_files import check_private, replacing
from kubectl_spy.sinks.terminal import Terminal

_FORMATS = ("html", "otlp-json")
_PARTS = (
    *("target", "namespace", "label_selector", "field_selector"),
    *("managers", "grep", "from_time", "to_time"),
)
_CHOOSING = {
    "namespace": "-n",
    "label_selector": "-l",
    "field_selector": "--field-selector",
    "managers": "--by",
    "grep": "--grep",
}


@command(
    "kubectl spy export night.spy -o html -f incident.html",
    "kubectl spy export night.spy deploy,pods -n web -o html > web.html",
)
@options.recording
@options.targets
@options.namespace("Only objects of this namespace.")
@options.selectors
@options.narrowing
@options.times
@click.option(
    "-o",
    "--output",
    metavar="FORMAT",
    callback=lambda ctx, param, value: _format_of(ctx, value),
    help=f"{', '.join(_FORMATS)}.",
)
@options.file("-f --file outlet FILE", "the document")
@options.debug
@click.pass_obj
def export(terminal: Terminal, /, **flags: Any) -> None:
    """How can I give a recording to others?

    Print a recording as a document, for people and programs without kubectl spy.

    html is one page for a browser: what changed and failed when, each object, and each
    change with its patch. The page loads nothing. It has at most 5,000 changes, and
    says how many others there are. TARGET, -n, -l, --field-selector, --by, --grep,
    --since and --until choose a part, with html only.

    otlp-json is what record --otlp sends. FILE may be gzipped.
    """
    form = flags["output"]
    if form is None:
        raise UsageError(
            "export needs a format",
            f"add -o {' or -o '.join(_FORMATS)}",
        )
    if form != "html" and any(flags[each] for each in _PARTS):
        raise UsageError(
            f"-o {form} prints all of a recording", "choose a part with -o html"
        )

    with writing_to(flags["outlet"], flags["file"], terminal) as outlet:
        if form == "html":
            from kubectl_spy.cli.parsed import narrowing_of, run
            from kubectl_spy.extras.report.recording_page import recording_page

            page = recording_page(narrowing_of(flags), _chosen(flags))
            run(flags, page, outlet)
        else:
            from kubectl_spy.extras.otel.lines import print_otlp_json

            print_otlp_json(flags["file"], outlet)


def _format_of(context: click.Context, value: str | None) -> str | None:
    """Return the format. Raises UsageError if it is the name of a file."""
    if value is None or value in _FORMATS:
        return value
    known = f"-o {' or -o '.join(_FORMATS)}"
    raise click.UsageError(
        f"-o {value} names no format; write {known}, and -f {value} for a file", context
    )


def _chosen(flags: Mapping[str, Any]) -> list[str]:
    """Return the words of the command line that choose a part of the recording."""
    words = list(flags["target"])
    for name, flag in _CHOOSING.items():
        values = flags[name]
        for each in values if isinstance(values, tuple) else filter(None, [values]):
            words += [flag, each]
    return words


# Write an exported document to a file.


@contextmanager
def writing_to(
    name: str | None, recording: str, terminal: Terminal
) -> Iterator[Terminal]:
    """Give a terminal whose standard output is the file *name*, if there is a name.

    The file is there as a whole or not at all. Of a damaged recording it has what could
    be read. Raises SpyError if it cannot be written, or is the *recording* itself.
    """
    if name is None or name == "-":
        yield terminal
        return
    if os.path.realpath(name) == os.path.realpath(recording):
        raise UsageError("-f and the recording name the same file", "choose another")
    path, damage = Path(name), None
    check_private(path)
    try:
        with replacing(path) as raw:
            text = TextIOWrapper(raw, encoding="utf-8", newline="")
            outlet = Terminal(text, sys.stderr)
            outlet.stdout_name = name
            try:
                yield outlet
            except SpyError as error:
                if error.code != "damaged":
                    raise
                damage = error
            finally:
                text.detach()
    except OSError as error:
        raise SpyError(f"cannot write {name}: {error.strerror or error}") from None
    terminal.say(f"wrote {name}")
    if damage is not None:
        raise damage

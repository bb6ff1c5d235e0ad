"""The flags that commands share: kubectl's, and our own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from kubectl_spy.cli.completing import words
from kubectl_spy.cli.params import AWAITED, DURATION, POINTER, SIZE

F = TypeVar("F", bound=Callable[..., Any])


def value(names: str, text: str, complete: Any = None, **more: Any) -> Callable[[F], F]:
    """Return an option with a value. The last word of *names* is the metavar."""
    *flags, metavar = names.split()
    return click.option(
        *flags, metavar=metavar, help=text, shell_complete=complete, **more
    )


def switch(names: str, text: str, **more: Any) -> Callable[[F], F]:
    """Return an option without a value."""
    return click.option(*names.split(), is_flag=True, help=text, **more)


def choice(names: str, text: str, choices: str) -> Callable[[F], F]:
    """Return an option with one of *choices*, by default the first."""
    known = choices.split()
    text = f"{known[0]} (default), {', '.join(known[1:])}{text}."
    return value(names, text, type=click.Choice(known), default=known[0])


def pointers(names: str, text: str) -> Callable[[F], F]:
    """Return a repeatable option for JSON Pointers. *text* begins its help."""
    text += " this JSON Pointer; * is any segment."
    return value(names, text, type=POINTER, multiple=True)


def together(*options: Callable[[Any], Any]) -> Callable[[F], F]:
    """Return what adds *options*, in their order."""

    def add(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def awaited_by(flag: str, met: str) -> Callable[[F], F]:
    """Return the *flag* that names a condition, which is *met*."""
    text = (
        f"Stop when {met}: ready, failed, create, delete, condition=NAME[=VALUE], "
        "jsonpath=PATH[=VALUE]. 'A|B' is either. Repeated: all, in order."
    )
    names = f"{flag} awaited COND"
    return value(names, text, words.awaited, type=AWAITED, multiple=True)


def at(name: str = "at", **more: Any) -> Callable[[F], F]:
    """Return the flag that chooses a point of a recording, as the parameter *name*."""
    text = (
        "The recording as it was at 15:04:05, seq:12, rv:4711, first, last, last-5m, "
        "first+30s or an RFC 3339 time."
    )
    return value(f"--at {name} POINT", text, words.points, **more)


def namespace(sentence: str) -> Callable[[F], F]:
    """Return the namespace flag, with *sentence* as its help."""
    return value("-n --namespace NAME", sentence, words.namespaces)


def otlp(names: str, what: str) -> Callable[[F], F]:
    """Return the flag that names a collector. *what* begins its help."""
    return value(
        names, f"{what} to an OpenTelemetry collector; env: OTEL_EXPORTER_OTLP_*."
    )


def file(names: str, what: str) -> Callable[[F], F]:
    """Return the flag that names the file to write *what* to."""
    return value(names, f"Write {what} to FILE.", words.files)


connection = together(
    value("--kubeconfig FILE", "Path to the kubeconfig.", words.files),
    value("--context NAME", "The kubeconfig context.", words.of_kubeconfig("contexts")),
    value("--cluster NAME", "The kubeconfig cluster.", words.of_kubeconfig("clusters")),
    value("--user NAME", "The kubeconfig user.", words.of_kubeconfig("users")),
    value("-s --server URL", "The URL of the API server."),
    value("--as as_user USER", "Act as this user."),
    value(
        "--as-group as_groups GROUP",
        "Act as a member of this group; repeatable.",
        multiple=True,
    ),
    value("--as-uid UID", "Act with this uid."),
    value(
        "--request-timeout TIME",
        "The time to wait for one answer, except for watches: 30s, 1m.",
        type=DURATION,
    ),
    switch(
        "--insecure-skip-tls-verify",
        "Do not check the API server's certificate. Insecure.",
    ),
    value(
        "--cache-dir DIR",
        "The directory of the API discovery cache.",
        words.directories,
    ),
)
targets = click.argument("target", nargs=-1, shell_complete=words.targets)
selectors = together(
    value("-l --selector label_selector QUERY", "Select by labels: app=web,tier!=db."),
    value("--field-selector QUERY", "Select by fields: status.phase=Running."),
)
selection = together(
    namespace("The namespace; by default that of the context."),
    switch("-A --all-namespaces", "Look in every namespace."),
    selectors,
)
excerpt = together(
    pointers("--only POINTER", "Show only"), pointers("--ignore POINTER", "Leave out")
)
narrowing = together(
    value(
        "--by managers MANAGER",
        "Only changes that this field manager likely made; people: all but the "
        "control plane.",
        multiple=True,
    ),
    value("--grep REGEX", "Only changes with this in a pointer or a value."),
)
color = choice(
    "--color WHEN",
    ". auto uses colours on a terminal, unless NO_COLOR is set",
    "auto always never",
)
debug = switch("--debug", "Show tracebacks of bugs.")
output = together(
    choice(
        "-o --output FORMAT",
        ". short is a line a version",
        "text short json jsonpatch yaml",
    ),
    switch("--full", "Leave nothing out: times, ids and counts, too."),
    excerpt,
    narrowing,
    color,
    debug,
)
secrets = together(
    switch("--show-secrets", "Do not mask the values of Secrets."),
    value(
        "--redact KIND:POINTER|@FILE",
        "Also mask this field, as in Secrets: configmaps:/data/password; * is any "
        "segment. @FILE has one rule a line. Repeatable.",
        multiple=True,
    ),
)
owned_too = switch("--owned", "Also record what targets own, and all their Events.")
awaited = awaited_by("--for", "it is met")
timeout = value("--timeout TIME", "Stop after this time: 30s, 5m.", type=DURATION)
recorded_too = value(
    "--record FILE", "Also record everything to FILE, to read it later.", words.files
)
_WATCH = "Go on watching: summary ends without it, and others watch anyway."
goes_on = switch("-w --watch", _WATCH)
watch = switch("-w --watch", _WATCH, expose_value=False)
logs = click.option(
    "--logs",
    metavar="[=false]",
    type=click.BOOL,
    help="Take logs of failed containers. They are not masked.",
)
max_read = value(
    "--max-read SIZE",
    "Read at most this much from Loki, by default 1Gi.",
    type=SIZE,
    default="1Gi",
)
recording = together(click.argument("file", shell_complete=words.recordings), max_read)
source = together(
    value(
        "--from source FILE",
        "Read this recording: the long form of the first argument. - is standard "
        "input, loki+https://HOST a Loki, and FILE#ID one of several in FILE.",
        words.recordings,
    ),
    max_read,
)
since = value("--since TIME", "Begin so long ago, or at a time: 1h, 15:04, RFC 3339.")
times = together(since, value("--until to_time TIME", "End a recording at this time."))
audit = value(
    "--audit FILE",
    "Name the user of each recorded change, from this audit log of the API server.",
    words.files,
)
watching = together(secrets, awaited, timeout, recorded_too, source, times, watch)
"""The flags of all commands that watch, and of what they record."""
live = together(
    switch("--watch-only", "Print only changes, not the current state."),
    watching,
    audit,
)
owned = together(color, debug, watching)

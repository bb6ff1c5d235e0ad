"""The flags that commands share: kubectl's, and our own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from kubectl_spy.cli.completing import words
from kubectl_spy.cli.params import Awaited, Duration, Pointer, Size, Speed

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
    *flags, metavar = names.split()
    kind = click.Choice(known)
    return click.option(*flags, metavar=metavar, help=text, type=kind, default=known[0])


def pointers(names: str, text: str) -> Callable[[F], F]:
    """Return a repeatable option for JSON Pointers. *text* begins its help."""
    text += " this JSON Pointer; * is any segment."
    return value(names, text, type=Pointer(), multiple=True)


def connection(command: F) -> F:
    """Add the flags that choose the cluster and the user."""
    name = words.of_kubeconfig
    return stacked(
        command,
        value("--kubeconfig FILE", "Path to the kubeconfig.", words.files),
        value("--context NAME", "The kubeconfig context.", name("contexts")),
        value("--cluster NAME", "The kubeconfig cluster.", name("clusters")),
        value("--user NAME", "The kubeconfig user.", name("users")),
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
            type=Duration(),
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


def selection(command: F) -> F:
    """Add the flags that select objects."""
    return stacked(
        command,
        namespace("The namespace; by default that of the context."),
        switch("-A --all-namespaces", "Look in every namespace."),
        selectors,
    )


def selectors(command: F) -> F:
    """Add the flags that select objects by what they hold."""
    return stacked(
        command,
        value(
            "-l --selector label_selector QUERY", "Select by labels: app=web,tier!=db."
        ),
        value("--field-selector QUERY", "Select by fields: status.phase=Running."),
    )


def awaited_by(flag: str, met: str) -> Callable[[F], F]:
    """Return the *flag* that names a condition, which is *met*."""
    text = (
        f"Stop when {met}: ready, failed, create, delete, condition=NAME[=VALUE], "
        "jsonpath=PATH[=VALUE]. 'A|B' is either. Repeated: all, in order."
    )
    names = f"{flag} awaited COND"
    return value(names, text, words.awaited, type=Awaited(), multiple=True)


owned_too = switch("--owned", "Also record what targets own, and all their Events.")
awaited = awaited_by("--for", "it is met")
stop_on = awaited_by("--stop-on", "it is met")


def output(command: F) -> F:
    """Add the flags that choose what to show, and how."""
    return stacked(
        command,
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


def excerpt(command: F) -> F:
    """Add the flags that choose a part of each object."""
    return stacked(
        command,
        pointers("--only POINTER", "Show only"),
        pointers("--ignore POINTER", "Leave out"),
    )


def narrowing(command: F) -> F:
    """Add the flags that choose among changes."""
    return stacked(
        command,
        value(
            "--by managers MANAGER",
            "Only changes that this field manager likely made; people: all but the "
            "control plane.",
            multiple=True,
        ),
        value("--grep REGEX", "Only changes with this in a pointer or a value."),
    )


def live(command: F) -> F:
    """Add the flags of `status` and `changes`."""
    return stacked(
        command,
        secrets,
        redact,
        switch("--watch-only", "Print only changes, not the current state."),
        awaited,
        timeout,
        recorded_too,
        source,
        speed,
        audit,
        times,
        watch,
    )


def owned(command: F) -> F:
    """Add the flags of `trace`, `events` and `spans`."""
    return stacked(
        command,
        color,
        debug,
        secrets,
        redact,
        awaited,
        timeout,
        recorded_too,
        source,
        times,
        watch,
    )


targets = click.argument("target", nargs=-1, shell_complete=words.targets)
color = choice(
    "--color WHEN",
    ". auto uses colours on a terminal, unless NO_COLOR is set",
    "auto always never",
)
debug = switch("--debug", "Show tracebacks of bugs.")
secrets = switch("--show-secrets", "Do not mask the values of Secrets.")
redact = value(
    "--redact KIND:POINTER|@FILE",
    "Also mask this field, as in Secrets: configmaps:/data/password; * is any segment. "
    "@FILE has one rule a line. Repeatable.",
    multiple=True,
)
recorded_too = value(
    "--record FILE", "Also record everything to FILE, to read it later.", words.files
)
timeout = value("--timeout TIME", "Stop after this time: 30s, 5m.", type=Duration())
_WATCH = "Go on watching: summary ends without it, and others watch anyway."
goes_on = switch("-w --watch", _WATCH)
watch = switch("-w --watch", _WATCH, expose_value=False)
logs = click.option(
    "--logs",
    metavar="[=false]",
    type=click.BOOL,
    help="Take logs of failed containers. They are not masked.",
)
since = value("--since TIME", "Begin so long ago, or at a time: 1h, 15:04, RFC 3339.")
audit = value(
    "--audit FILE",
    "Name the user of each recorded change, from this audit log of the API server.",
    words.files,
)
speed = value(
    "--speed X",
    "Play a recording, X times as fast as it was.",
    type=Speed(),
)


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


def times(command: F) -> F:
    """Add the flags that choose a time: a part of a recording, or how far back."""
    until = value("--until to_time TIME", "End a recording at this time.")
    return stacked(command, since, until)


def otlp(names: str, what: str) -> Callable[[F], F]:
    """Return the flag that names a collector. *what* begins its help."""
    return value(
        names, f"{what} to an OpenTelemetry collector; env: OTEL_EXPORTER_OTLP_*."
    )


def file(names: str, what: str) -> Callable[[F], F]:
    """Return the flag that names the file to write *what* to."""
    return value(names, f"Write {what} to FILE.", words.files)


def source(command: F) -> F:
    """Add the long form of a recording as the first argument."""
    named = value(
        "--from source FILE",
        "Read this recording: the long form of the first argument. - is standard "
        "input, loki+https://HOST a Loki, and FILE#ID one of several in FILE.",
        words.recordings,
    )
    return stacked(command, named, max_read)


def recording(command: F) -> F:
    """Add the argument that names a recording."""
    named = click.argument("file", shell_complete=words.recordings)
    return stacked(command, named, max_read)


max_read = value(
    "--max-read SIZE",
    "Read at most this much from Loki, by default 1Gi.",
    type=Size(),
    default="1Gi",
)


def stacked(command: F, *options: Callable[[F], F]) -> F:
    """Add *options* in their order."""
    for option in reversed(options):
        command = option(command)
    return command

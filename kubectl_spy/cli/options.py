"""The flags that commands share: kubectl's, and our own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from kubectl_spy.cli.completing import words
from kubectl_spy.cli.params import Awaited, Duration, Pointer, Size

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
    more: dict[str, Any] = {
        "type": click.Choice(known),
        "default": known[0],
        "show_default": True,
    }
    return click.option(*names.split(), help=text, **more)


def pointers(names: str, text: str) -> Callable[[F], F]:
    """Return a repeatable option for JSON Pointers. *text* begins its help."""
    text += " at this JSON Pointer; * matches one segment. Repeatable."
    return value(names, text, type=Pointer(), multiple=True)


def connection(command: F) -> F:
    """Add the flags of `cluster`, and those that kubectl users type all the same."""
    return stacked(
        command,
        cluster,
        # As in kubectl get. The commands that take it always watch.
        click.option("-w", "--watch", is_flag=True, hidden=True, expose_value=False),
    )


def cluster(command: F) -> F:
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
        f"Stop when {met}: ready, failed, create, delete, condition=NAME[=VALUE] or "
        f"jsonpath=PATH[=VALUE]. 'A|B' waits for either. Repeat {flag} to wait for "
        "all, in order."
    )
    names = f"{flag} awaited COND"
    return value(names, text, words.awaited, type=Awaited(), multiple=True)


owned_too = switch(
    "--owned", "Also record the objects that targets own, and Events about all of them."
)
awaited = awaited_by("--for", "this condition is met")
stop_on = awaited_by("--stop-on", "this condition is met")


def output(command: F) -> F:
    """Add the flags that choose what to show, and how."""
    return stacked(
        command,
        choice(
            "-o --output",
            "text is for people, short is one line a version, json and yaml are "
            "change records, jsonpatch is RFC 6902 patches.",
            "text short json jsonpatch yaml",
        ),
        switch(
            "--full",
            "Show every operation, also of times, of ids, and of counts that the first "
            "line of a version tells.",
        ),
        excerpt,
        narrowing,
        color,
        debug,
    )


def excerpt(command: F) -> F:
    """Add the flags that choose a part of each object."""
    return stacked(
        command,
        pointers("--only POINTER", "Show only what is"),
        pointers("--ignore POINTER", "Leave out what is"),
    )


def narrowing(command: F) -> F:
    """Add the flags that choose among changes."""
    return stacked(
        command,
        value(
            "--by managers MANAGER",
            "Show only changes that this field manager likely made. Repeatable.",
            multiple=True,
        ),
        value("--grep REGEX", "Show only changes with this in a pointer or a value."),
    )


def live(command: F) -> F:
    """Add the flags of `status` and `changes`."""
    return stacked(
        command,
        secrets,
        redact,
        switch("--show-managed-fields", "Also show managedFields and resourceVersion."),
        switch("--watch-only", "Print only changes, not the current state."),
        awaited,
        timeout,
        recorded_too,
        source("Read this recording instead of a cluster"),
        audit("With a recording: "),
        times,
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
        source("Read this recording instead of a cluster"),
        times,
    )


targets = click.argument("target", nargs=-1, shell_complete=words.targets)
color = choice(
    "--color",
    "Use colours. auto uses them on a terminal, unless NO_COLOR is set.",
    "auto always never",
)
debug = switch("--debug", "Show tracebacks of bugs.")
secrets = switch("--show-secrets", "Do not mask the values of Secrets.")
redact = value(
    "--redact KIND:POINTER|@FILE",
    "Also mask this field, as in Secrets: configmaps:/data/password; * matches one "
    "segment. @FILE has one rule a line. Repeatable.",
    multiple=True,
)
since = value(
    "--since TIME",
    "Begin so long before now, with what the API server remembers: 30m, 1h, or a time.",
)
recorded_too = value(
    "--record FILE", "Also record everything to FILE, to read it later.", words.files
)
timeout = value("--timeout TIME", "Stop after this time: 30s, 5m.", type=Duration())


def namespace(sentence: str) -> Callable[[F], F]:
    """Return the namespace flag, with *sentence* as its help."""
    return value("-n --namespace NAME", sentence, words.namespaces)


def at(what: str) -> Callable[[F], F]:
    """Return the flag that chooses a point of a recording, to do *what*."""
    points = "15:04:05.170, seq:12, rv:4711, last-5m, first+30s or an RFC 3339 time."
    return value("--at POINT", f"With a recording: {what}: {points}", words.points)


def audit(when: str) -> Callable[[F], F]:
    """Return the flag that names an audit log. *when* begins its help."""
    what = f"{when}name the user of each change, from this audit log of the API server."
    return value("--audit FILE", what, words.files)


def until(sentence: str) -> Callable[[F], F]:
    """Return the flag that ends a part of a recording, with *sentence* as its help."""
    return value("--until to_time TIME", sentence)


def window(begin: str, end: str) -> Callable[[F], F]:
    """Return the flags that choose a part of a recording."""
    times = "5m (before the end), 15:04, 15:04:05, first+30s (after the beginning)"
    since = value("--since TIME", f"{begin} at this time: {times}, or RFC 3339.")
    return lambda command: stacked(command, since, until(f"{end} at this time."))


def times(command: F) -> F:
    """Add the flags that choose a part of a recording, or how far back to look."""
    return stacked(
        command,
        value(
            "--since TIME",
            "Begin so long before now, with what the API server remembers, or before "
            "the end of a recording: 30m, 1h; or at a time: 15:04, RFC 3339.",
        ),
        until("With a recording: end at this time."),
    )


def otlp(names: str, what: str) -> Callable[[F], F]:
    """Return the flag that names a collector. *what* begins its help."""
    return value(
        names,
        f"{what} to this OpenTelemetry collector. env reads the variables "
        "OTEL_EXPORTER_OTLP_*.",
    )


def source(what: str) -> Callable[[F], F]:
    named = value(
        "--from source FILE",
        f"{what}; - is standard input, and loki+https://HOST is a Loki.",
        words.recordings,
    )
    return lambda command: stacked(command, named, of_several)


def recording(command: F) -> F:
    """Add the argument that names a recording."""
    named = click.argument("file", shell_complete=words.recordings)
    return stacked(command, named, of_several)


_ID = value("--recording of_file ID", "Read this one of several recordings in FILE.")
_MOST = value(
    "--max-read SIZE",
    "Read at most this much from Loki.",
    type=Size(),
    default="1Gi",
    show_default=True,
)
_MASKED = switch("--only-masked", "Refuse a Loki with Secrets.", hidden=True)


def of_several(command: F) -> F:
    """Add the flags that choose what of a FILE to read. `mcp` passes the hidden one."""
    return stacked(command, _ID, _MOST, _MASKED)


def stacked(command: F, *options: Callable[[F], F]) -> F:
    """Add *options* in their order."""
    for option in reversed(options):
        command = option(command)
    return command

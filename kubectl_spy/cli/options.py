"""The flags that commands share: kubectl's, and our own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from kubectl_spy.cli.completing import words
from kubectl_spy.cli.params import Awaited, Duration, Pointer, Size

F = TypeVar("F", bound=Callable[..., Any])


def connection_options(command: F) -> F:
    """Add the flags that choose the cluster and the user."""
    return _stacked(
        command,
        click.option(
            "--kubeconfig",
            metavar="FILE",
            shell_complete=words.files,
            help="Path to the kubeconfig.",
        ),
        click.option(
            "--context",
            metavar="NAME",
            shell_complete=words.of_kubeconfig("contexts"),
            help="The kubeconfig context.",
        ),
        click.option(
            "--cluster",
            metavar="NAME",
            shell_complete=words.of_kubeconfig("clusters"),
            help="The kubeconfig cluster.",
        ),
        click.option(
            "--user",
            metavar="NAME",
            shell_complete=words.of_kubeconfig("users"),
            help="The kubeconfig user.",
        ),
        click.option(
            "-s", "--server", metavar="URL", help="The URL of the API server."
        ),
        click.option("--as", "as_user", metavar="USER", help="Act as this user."),
        click.option(
            "--as-group",
            "as_groups",
            metavar="GROUP",
            multiple=True,
            help="Act as a member of this group; repeatable.",
        ),
        click.option("--as-uid", metavar="UID", help="Act with this uid."),
        click.option(
            "--request-timeout",
            type=Duration(),
            metavar="TIME",
            help="The time to wait for one answer, except for watches: 30s, 1m.",
        ),
        click.option(
            "--insecure-skip-tls-verify",
            is_flag=True,
            help="Do not check the API server's certificate. Insecure.",
        ),
        click.option(
            "--cache-dir",
            metavar="DIR",
            shell_complete=words.directories,
            help="The directory of the API discovery cache.",
        ),
        # As in kubectl get. The commands that take it always watch.
        click.option("-w", "--watch", is_flag=True, hidden=True, expose_value=False),
    )


def selection_options(command: F) -> F:
    """Add the flags that select objects."""
    return _stacked(
        command,
        namespace_option("The namespace; by default that of the context."),
        click.option(
            "-A", "--all-namespaces", is_flag=True, help="Look in every namespace."
        ),
        selector_options,
    )


def selector_options(command: F) -> F:
    """Add the flags that select objects by what they hold."""
    return _stacked(
        command,
        click.option(
            "-l",
            "--selector",
            "label_selector",
            metavar="QUERY",
            help="Select by labels: app=web,tier!=db.",
        ),
        click.option(
            "--field-selector",
            metavar="QUERY",
            help="Select by fields: status.phase=Running.",
        ),
    )


def output_options(command: F) -> F:
    """Add the flags that choose what to show, and how."""
    return _stacked(
        command,
        click.option(
            "-o",
            "--output",
            type=click.Choice(["text", "short", "json", "jsonpatch", "yaml"]),
            default="text",
            show_default=True,
            help="text is for people, short is one line a version, json and yaml are "
            "change records, jsonpatch is RFC 6902 patches.",
        ),
        click.option(
            "--full",
            is_flag=True,
            help="Show every operation: also times, ids, and the counts that the first "
            "line of a version tells.",
        ),
        excerpt_options,
        narrowing_options,
        color_option,
        debug_option,
    )


def excerpt_options(command: F) -> F:
    """Add the flags that choose a part of each object."""
    return _stacked(
        command,
        click.option(
            "--only",
            type=Pointer(),
            multiple=True,
            metavar="POINTER",
            help="Show only what is at this JSON Pointer; * matches one segment. "
            "Repeatable.",
        ),
        click.option(
            "--ignore",
            type=Pointer(),
            multiple=True,
            metavar="POINTER",
            help="Leave out what is at this JSON Pointer; * matches one segment. "
            "Repeatable.",
        ),
    )


def narrowing_options(command: F) -> F:
    """Add the flags that choose among changes."""
    return _stacked(
        command,
        click.option(
            "--by",
            "managers",
            metavar="MANAGER",
            multiple=True,
            help="Show only changes that this field manager likely made. Repeatable.",
        ),
        click.option(
            "--grep",
            metavar="REGEX",
            help="Show only changes with this in a pointer or a value.",
        ),
    )


def live_options(command: F) -> F:
    """Add the flags of `status` and `changes`."""
    return _stacked(
        command,
        secrets_option,
        click.option(
            "--show-managed-fields",
            is_flag=True,
            help="Also show managedFields and resourceVersion.",
        ),
        click.option(
            "--watch-only",
            is_flag=True,
            help="Print only changes, not the current state.",
        ),
        for_option,
        timeout_option,
        _record_option("replay"),
        from_option("Read this recording instead of a cluster"),
        audit_option("With --from: "),
        window_options("With --from: begin", "With --from: end"),
    )


def owned_options(command: F) -> F:
    """Add the flags of `trace`, `events` and `spans`."""
    return _stacked(
        command,
        color_option,
        debug_option,
        secrets_option,
        for_option,
        timeout_option,
        _record_option("--from"),
        from_option("Read this recording, made with --owned, instead of a cluster"),
        window_options("With --from: begin", "With --from: end"),
    )


def recording_options(command: F) -> F:
    """Add the flags that choose the file to record to, and its segments."""
    return _stacked(
        command,
        click.option(
            "-f",
            "--file",
            "record",
            metavar="FILE",
            required=True,
            shell_complete=words.files,
            help="The file to record to.",
        ),
        click.option(
            "--owned",
            is_flag=True,
            help="Also record what the targets own, and the Events about all of it.",
        ),
        click.option(
            "--append", is_flag=True, help="Continue FILE if it is there already."
        ),
        click.option(
            "--max-size",
            type=Size(),
            metavar="SIZE",
            help="Begin a new segment at this size, and gzip the old one: 100M, 1Gi.",
        ),
        click.option(
            "--max-age",
            type=Duration(),
            metavar="TIME",
            help="Begin a new segment after this time: 1h.",
        ),
        secrets_option,
        timeout_option,
        debug_option,
    )


target_argument = click.argument("target", nargs=-1, shell_complete=words.targets)
recording_argument = click.argument("file", shell_complete=words.recordings)
color_option = click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    show_default=True,
    help="Use colours. auto uses them on a terminal, unless NO_COLOR is set.",
)
debug_option = click.option("--debug", is_flag=True, help="Show tracebacks of bugs.")
secrets_option = click.option(
    "--show-secrets", is_flag=True, help="Do not mask the values of Secrets."
)
for_option = click.option(
    "--for",
    "awaited",
    type=Awaited(),
    multiple=True,
    metavar="COND",
    shell_complete=words.awaited,
    help="Stop when this is met: ready, failed, create, delete, condition=NAME[=VALUE] "
    "or jsonpath=PATH[=VALUE]. 'A|B' waits for either. Repeat --for to wait for all, "
    "in order.",
)
timeout_option = click.option(
    "--timeout", type=Duration(), metavar="TIME", help="Stop after this time: 30s, 5m."
)


def namespace_option(sentence: str) -> Callable[[F], F]:
    """Return the namespace flag, with *sentence* as its help."""
    return click.option(
        "-n",
        "--namespace",
        metavar="NAME",
        shell_complete=words.namespaces,
        help=sentence,
    )


def at_option(what: str) -> Callable[[F], F]:
    """Return the flag that chooses a point of a recording, to do *what*."""
    return click.option(
        "--at",
        metavar="POINT",
        shell_complete=words.points,
        help=f"With --from: {what}: 15:04:05.170, seq:12, rv:4711, last-5m, first+30s "
        "or an RFC 3339 time.",
    )


def audit_option(when: str) -> Callable[[F], F]:
    """Return the flag that names an audit log. *when* it applies comes first."""
    return click.option(
        "--audit",
        metavar="FILE",
        shell_complete=words.files,
        help=f"{when}say which user made each change, by the audit log of the API "
        "server.",
    )


def window_options(begin: str, end: str) -> Callable[[F], F]:
    """Return the flags that choose a part of a recording."""

    def add(command: F) -> F:
        return _stacked(
            command,
            click.option(
                "--from-time",
                metavar="TIME",
                help=f"{begin} at this time: 15:04, 15:04:05, last-5m (before the "
                "end), first+30s (after the beginning), or RFC 3339.",
            ),
            click.option("--to-time", metavar="TIME", help=f"{end} at this time."),
        )

    return add


def _record_option(later: str) -> Callable[[F], F]:
    return click.option(
        "--record",
        metavar="FILE",
        shell_complete=words.files,
        help=f"Also record everything to FILE, for {later}.",
    )


def from_option(what: str) -> Callable[[F], F]:
    return click.option(
        "--from",
        "source",
        metavar="FILE",
        shell_complete=words.recordings,
        help=f"{what}; - is standard input.",
    )


def _stacked(command: F, *options: Callable[[F], F]) -> F:
    for option in reversed(options):
        command = option(command)
    return command

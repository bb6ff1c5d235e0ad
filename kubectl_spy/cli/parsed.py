"""What click parsed, as values. Nothing after this knows a flag by its name."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from kubectl_spy.cli.run.options import (
    OfCluster,
    OfRecording,
    Options,
    RecordingRequest,
    check_awaited,
)
from kubectl_spy.cli.run.view import ViewSpec
from kubectl_spy.core.changes.masking import Rule, parse_rule
from kubectl_spy.core.changes.narrowing import Narrowing
from kubectl_spy.core.changes.projection import Excerpt
from kubectl_spy.errors import UsageError
from kubectl_spy.private_files import read_private
from kubectl_spy.sinks.closed_segments import Rotation
from kubectl_spy.sinks.terminal import Terminal
from kubectl_spy.sources.connection.access import ConnectionSettings
from kubectl_spy.sources.resolution.target import parse_targets
from kubectl_spy.terms import option

if TYPE_CHECKING:
    from kubectl_spy.cli.views.state import OneObject
    from kubectl_spy.core.cluster.selectors import Selectors

F = TypeVar("F")
Flags = Mapping[str, Any]  # click's parameters, by name

_SEGMENTS = 6  # of a recording with --keep, but for the one that is written
_LEAST = 1.0  # seconds of a segment
_KEY = 32  # bytes
_AFTER = 60.0  # seconds to record after --stop-on is met
_REFRESH = 3600.0  # seconds between two snapshots of all objects in a log store
_FOR_PEOPLE = ("text", "lines", "short")  # formats in the locale's encoding

_OF_RECORDINGS = {
    "to_time": "--until",
    "at": "--at",
    "audit": "--audit",
}
_OF_CLUSTERS = {
    "show_secrets": "--show-secrets",
    "redact": "--redact",
    "record": "--record",
}


def run(flags: Flags, spec: ViewSpec, terminal: Terminal) -> None:
    """Show, and record, what *flags* ask for of a recording, or else of a cluster.

    *flags* are parameters of click as `cli/options.py` names them, any of them: `file`
    is a recording, without it a cluster is asked for `target`.

    Raises UsageError if flags contradict each other, or a target is missing that *spec*
    needs; SpyError if it cannot be had, or a recording is damaged; TimedOut if
    --timeout is over; WaitFailed if what --for waits for cannot come any more;
    StdoutClosed if nobody reads the output any more.
    """
    options = Options(
        words=flags.get("target", ()),
        namespace=flags.get("namespace"),
        timeout=flags.get("timeout"),
        awaited=flags.get("awaited") or (),
    )
    if flags.get("output", "text") not in _FOR_PEOPLE:
        terminal.write_utf8()
    file = flags.get("source") or flags.get("file")
    if file is None:
        cluster = _of_cluster(flags, spec)
        from kubectl_spy.cli.run.live import follow

        follow(options, cluster, spec, terminal)
    else:
        recording = _of_file(flags, file)
        from kubectl_spy.cli.run.recorded import replay

        replay(options, recording, spec, terminal)


def _of_file(flags: Flags, file: str) -> OfRecording:
    """Return what *flags* ask of the recording *file*.

    Raises UsageError if one of them is only for a cluster.
    """
    for name, flag in _OF_CLUSTERS.items():
        if flags.get(name):
            raise UsageError(
                f"{flag} is for a cluster, and not for recordings", "leave it out"
            )
    if flags.get("awaited") and flags.get("from_time"):
        raise UsageError(
            "--for needs to know what was before --since", "leave out one of them"
        )
    return OfRecording(
        file=file,
        selectors=selectors_of(flags),
        since=flags.get("from_time"),
        until=flags.get("to_time"),
        at=flags.get("at"),
        audit=flags.get("audit"),
    )


def _of_cluster(flags: Flags, spec: ViewSpec) -> OfCluster:
    for name, flag in _OF_RECORDINGS.items():
        if flags.get(name) is not None:
            raise UsageError(f"{flag} is for recordings", "name one first: FILE TARGET")
    names = ("all_namespaces", "label_selector", "field_selector")
    selecting: dict[str, Any] = {name: flags.get(name) for name in names}
    targets = parse_targets(
        flags.get("target", ()),
        namespace=flags.get("namespace"),
        optional=spec.everything,
        **selecting,
    )
    if not (targets or spec.whole or spec.silent):
        check_awaited(flags.get("awaited") or (), everything=True)
    back_to = flags.get("back_to")
    if back_to is not None:
        _check_past(flags)
    return OfCluster(
        connection=connection_of(flags),
        targets=targets,
        recording=_recording(flags),
        # A recording of everything also holds what explains it, as the views need it.
        owned=spec.owned or flags.get("owned", False) or (spec.silent and not targets),
        noise=spec.noise,
        show_secrets=flags.get("show_secrets", False),
        redact=_rules(flags.get("redact", ())),
        mask_key=_mask_key(flags.get("mask_key_file")),
        back_to=back_to,
        further=back_to is not None and flags.get("further", True),
        **selecting,
    )


def format_of(kind: type[F], flags: Flags, **other: Any) -> F:
    """Return a *kind* of named tuple or data class. Its fields are flags, or *other*.

    Raises UsageError if the flags leave nothing to show.
    """
    made: dict[str, Callable[[Flags], Any]]
    made = {"excerpt": excerpt_of, "narrowing": narrowing_of}
    of: Any = kind
    names = of._fields if issubclass(of, tuple) else of.__dataclass_fields__
    own = {
        name: made[name](flags) if name in made else flags[name]
        for name in names
        if name not in other
    }
    return kind(**own, **other)


def connection_of(flags: Flags) -> ConnectionSettings:
    """Return which cluster *flags* choose, and how to ask it."""
    names = ConnectionSettings._fields
    return ConnectionSettings(**{name: flags[name] for name in names if name in flags})


def _check_past(flags: Flags) -> None:
    """Raise UsageError for a flag that does not go with --since."""
    reasons = {
        "label_selector": "the server remembers what stopped matching as deleted",
        "field_selector": "the server remembers what stopped matching as deleted",
        "awaited": "it waits for what comes, not for what was",
        "append": "the recording has later lines already",
        "resume": "the recording has later lines already",
    }
    flag_of = {"label_selector": "--selector", "awaited": "--for or --stop-on"}
    for name, reason in reasons.items():
        if flags.get(name):
            flag = flag_of.get(name, f"--{name.replace('_', '-')}")
            raise UsageError(
                f"--since does not go with {flag}: {reason}", f"leave out {flag}"
            )


def _mask_key(file: str | None) -> bytes:
    return read_private(Path(file), _KEY) if file else os.urandom(_KEY)


def _rules(words: Sequence[str]) -> tuple[Rule, ...]:
    """Return the rules in *words*, each KIND:POINTER or @FILE with a rule a line.

    Raises UsageError if one is none, or if a file cannot be read.
    """
    rules: list[Rule] = []
    for word in words:
        lines = [word]
        if word.startswith("@"):
            try:
                lines = Path(word[1:]).read_text(encoding="utf-8").splitlines()
            except (OSError, ValueError) as error:
                reason = getattr(error, "strerror", None) or "it is not UTF-8"
                raise UsageError(f"cannot read {word[1:]}: {reason}") from None
            lines = [each for each in lines if each.strip() and each[0] != "#"]
        try:
            rules += map(parse_rule, lines)
        except ValueError as error:
            raise UsageError(
                str(error), "write it as configmaps:/data/password; * is any one step"
            ) from None
    return tuple(rules)


def _recording(flags: Flags) -> RecordingRequest | None:
    """Return where *flags* record to, or None if nothing is recorded.

    Raises UsageError if the file is standard output, or flags contradict each other.
    """
    file, otlp = flags.get("record"), collector_of(flags.get("lines_to"))
    if file is None and otlp is None and "lines_to" not in flags:
        return None
    _check_outlets(flags, file, otlp)
    if file == "":
        raise UsageError("the name of the file is empty", "name a file")
    file = "" if file is None and otlp is None else file
    if file == "-":
        raise UsageError("a recording is a file", "for standard output use -o json")
    keep, age = flags.get("keep"), flags.get("max_age")
    if keep is not None and keep < _LEAST:
        raise UsageError(
            "--keep is too short a time", "give at least a second: --keep 30m"
        )
    after = flags.get("after")
    if after is not None and not flags["awaited"]:
        raise UsageError("--after goes on after --stop-on", "add --stop-on COND")
    if after is None and "after" in flags:
        after = _AFTER
    age = max(keep / _SEGMENTS, _LEAST) if keep and age is None else age
    return RecordingRequest(
        file=file,
        otlp=otlp,
        resume=flags.get("resume"),
        refresh=None if otlp is None else flags.get("snapshots") or _REFRESH,
        append=flags.get("append", False),
        rotation=Rotation(size=flags.get("max_size"), age=age, keep=keep),
        logs=flags.get("logs") is True,
        after=after,
    )


def collector_of(value: str | None) -> str | None:
    """Return what `--otlp` names: "" is the collector of the environment.

    Raises UsageError if it names none.
    """
    if value is not None and not value.strip():
        # An unset variable must not become wherever the environment leads.
        raise UsageError(
            "--otlp names no collector",
            "give a URL, or env for the one that OTEL_EXPORTER_OTLP_* name",
        )
    return "" if value == "env" else value


def _check_outlets(flags: Flags, file: str | None, otlp: str | None) -> None:
    """Raise UsageError for a flag of `record` that needs a file or a collector."""
    if otlp is None and flags.get("snapshots") is not None:
        raise UsageError("--snapshots is for a collector", "add --otlp URL")
    if flags.get("resume") and (file is not None or otlp is None):
        raise UsageError("--resume is for --otlp without -f", "with -f use --append")
    for name in ("append", "max_size", "max_age", "keep"):
        named = file is not None or (otlp is None and name != "append")
        if flags.get(name) and not named:
            flag = f"--{name.replace('_', '-')}"
            raise UsageError(f"{flag} is for a file", "add -f FILE")


def selectors_of(flags: Flags) -> Selectors:
    """Return what -l and --field-selector select in a recording. Raises UsageError."""
    from kubectl_spy.core.cluster.selectors import Selectors  # few runs need it

    try:
        return Selectors(flags.get("label_selector"), flags.get("field_selector"))
    except ValueError as error:
        raise UsageError(str(error), "write app=web or status.phase=Failed") from None


def one_object(flags: Flags, words: tuple[str, ...]) -> OneObject:
    """Return the object of a recording that *words* and *flags* choose."""
    from kubectl_spy.cli.views.state import OneObject

    namespace = flags["namespace"]
    return OneObject(flags["file"], words, namespace, selectors_of(flags))


def excerpt_of(flags: Flags, *, status: bool = False) -> Excerpt:
    """Return which part of each object *flags* choose.

    Raises UsageError if they leave nothing to show.
    """
    if () in flags["ignore"]:
        raise UsageError(
            f'{option("--ignore")} "" is the whole object: nothing is left to show',
            f"name a part of it, as in {option('--ignore')} /metadata",
        )
    return Excerpt(status=status, only=flags["only"], ignore=flags["ignore"])


def narrowing_of(flags: Flags) -> Narrowing:
    """Return which changes *flags* choose.

    Raises UsageError if --grep is no regular expression.
    """
    pattern = flags["grep"]
    try:
        compiled = re.compile(pattern) if pattern else None
    except re.error as error:
        raise UsageError(
            f'{option("--grep")} "{pattern}" is no regular expression: {error}',
            "write special characters with a backslash, as in \\.",
        ) from None
    return Narrowing(frozenset(flags["managers"]), compiled)

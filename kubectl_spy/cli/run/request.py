"""The flags of a live command, as values."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from kubectl_spy.core.changes.redaction import Rule, parse_rule
from kubectl_spy.errors import UsageError
from kubectl_spy.private_files import read_private
from kubectl_spy.sinks.rotation import Rotation
from kubectl_spy.sources.connection.access import ConnectionSettings
from kubectl_spy.sources.resolution.target import TargetSpec, parse_targets

if TYPE_CHECKING:
    from kubectl_spy.core.waiting.awaited import Step

_SEGMENTS = 6  # of a recording with --keep, but for the one that is written
_LEAST = 1.0  # seconds of a segment
_KEY = 32  # bytes
_AFTER = 60.0  # seconds to record after --stop-on is met
_REFRESH = 3600.0  # seconds between two snapshots of all objects in a log store


class RecordingRequest(NamedTuple):
    """Where to record to, and when to begin a new segment."""

    file: str | None
    otlp: str | None  # The collector. "" is the one in OTEL_EXPORTER_OTLP_*.
    resume: str | None  # the file that says where a recording that is sent left off
    refresh: float | None  # seconds after which all objects are recorded again
    append: bool
    rotation: Rotation
    logs: bool  # whether to write down the logs of containers that failed
    after: float | None
    """Seconds to go on after any target meets --stop-on. None: --for asks for all."""

    @classmethod
    def from_flags(cls, flags: Mapping[str, Any]) -> RecordingRequest | None:
        """Return the request in click's *flags*, or None if nothing is recorded.

        Raises UsageError if the file is standard output, or flags contradict each
        other.
        """
        file, otlp = flags.get("record"), collector_of(flags.get("lines_to"))
        if file is None and otlp is None and "lines_to" not in flags:
            return None
        _check_outlets(flags, file, otlp)
        if file == "-":
            raise UsageError("a recording is a file", "for standard output use -o json")
        logs, append = flags.get("logs") is True, flags.get("append", False)
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
        rotation = Rotation(size=flags.get("max_size"), age=age, keep=keep)
        refresh = None if otlp is None else flags.get("snapshots") or _REFRESH
        return cls(
            file=file,
            otlp=otlp,
            resume=flags.get("resume"),
            refresh=refresh,
            append=append,
            rotation=rotation,
            logs=logs,
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


def _check_outlets(
    flags: Mapping[str, Any], file: str | None, otlp: str | None
) -> None:
    """Raise UsageError for a flag of `record` that needs a file or a collector."""
    if file is None and otlp is None:
        raise UsageError("record needs a place", "add -f FILE or --otlp URL")
    if otlp is None and flags.get("snapshots") is not None:
        raise UsageError("--snapshots is for a collector", "add --otlp URL")
    if flags.get("resume") and (file is not None or otlp is None):
        raise UsageError("--resume is for --otlp without -f", "with -f use --append")
    for name in ("append", "max_size", "max_age", "keep"):
        if file is None and flags.get(name):
            flag = f"--{name.replace('_', '-')}"
            raise UsageError(f"{flag} is for a file", "add -f FILE")


class Request(NamedTuple):
    """What a live command asks for."""

    connection: ConnectionSettings
    targets: tuple[TargetSpec, ...]
    words: tuple[str, ...]  # the targets as typed
    all_namespaces: bool
    label_selector: str | None
    field_selector: str | None
    recording: RecordingRequest | None
    owned: bool  # whether to watch what the targets own, and the Events about all of it
    noise: bool  # whether to keep managedFields and resourceVersion
    show_secrets: bool
    redact: tuple[Rule, ...]  # fields to mask besides Secrets
    mask_key: bytes
    timeout: float | None
    awaited: tuple[Step, ...]  # the steps of `--for` or `--stop-on`
    back_to: float | None = None
    """Begin with what the server remembers of so many seconds before."""

    @property
    def at_once(self) -> bool:
        """Whether to look only once, as `kubectl wait --timeout 0` does."""
        return self.timeout == 0 and bool(self.awaited)

    @property
    def needs_ticks(self) -> bool:
        """Whether something is to be done even if nothing happens."""
        rotation = self.recording.rotation if self.recording else Rotation()
        refreshes = self.recording is not None and self.recording.refresh is not None
        return bool(self.awaited) or rotation.age is not None or refreshes

    @classmethod
    def from_flags(cls, flags: Mapping[str, Any], *, owned: bool) -> Request:
        """Return the request in click's *flags*.

        Raises UsageError if the targets or their flags contradict each other.
        """
        connection = {name: flags[name] for name in ConnectionSettings._fields}
        selecting = {
            name: flags[name]
            for name in ("all_namespaces", "label_selector", "field_selector")
        }
        targets = parse_targets(
            flags["target"], namespace=flags["namespace"], **selecting
        )
        noise = flags.get("show_managed_fields", False)  # of blame
        recording = RecordingRequest.from_flags(flags)
        back_to = flags.get("back_to")
        if back_to is not None:
            _check_past(flags)
        return cls(
            back_to=back_to,
            connection=ConnectionSettings(**connection),
            targets=targets,
            words=flags["target"],
            recording=recording,
            owned=owned or flags.get("owned", False),
            noise=noise,
            show_secrets=flags["show_secrets"],
            redact=_rules(flags.get("redact", ())),
            mask_key=_mask_key(flags.get("mask_key_file")),
            timeout=flags["timeout"],
            awaited=flags.get("awaited", ()),
            **selecting,
        )


def _check_past(flags: Mapping[str, Any]) -> None:
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

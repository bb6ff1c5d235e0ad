"""What the command line asks for, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from kubectl_spy.core.view import View
from kubectl_spy.errors import UsageError
from kubectl_spy.sinks.recorder import Rotation
from kubectl_spy.sources.connection.settings import ConnectionSettings
from kubectl_spy.sources.resolution.target import TargetSpec, parse_targets

if TYPE_CHECKING:
    from kubectl_spy.core.awaiting.awaited import Step


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """How to show what happens."""

    view: View
    output: str
    color: str
    watch_only: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnedFormat:
    """How to show something of an object and of all under it."""

    output: str
    """text or json; a trace has lines, too."""
    color: str
    once: bool
    """Whether to show what there is, and end."""
    live: bool = True
    """Whether it happens now, and not in a recording."""
    tick: float = 1.0
    """Seconds after which to look again, though nothing happened."""
    within: float = 60.0
    """Seconds within which `once` needs something new of the lists, without a timeout.

    An API server gives up on a request after as long (--request-timeout).
    https://kubernetes.io/docs/reference/command-line-tools-reference/kube-apiserver/
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceFormat(OwnedFormat):
    """How to show what an object and all under it is doing."""

    probe: bool = False
    """Whether to ask Services for an answer, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventFormat(OwnedFormat):
    """How to show what was reported of an object and all under it."""

    types: frozenset[str]
    """normal, warning; none is all."""
    since: float | None
    """Seconds: what is older, of what is there already, is left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanFormat(OwnedFormat):
    """How to show the spans of what an object's changes led to."""

    otlp: str | None = None
    """The collector to send them to; "" is what OTEL_EXPORTER_OTLP_* say."""
    html: str | None = None
    """The file that gets a page of them at the end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordingSettings:
    """Where to write down what happens, and in which pieces."""

    file: str
    append: bool
    rotation: Rotation

    @classmethod
    def from_flags(cls, flags: Mapping[str, Any]) -> RecordingSettings | None:
        """Return the settings for click's *flags*, None if nothing is recorded."""
        file = flags.get("record")
        if file is None:
            return None
        if file == "-":
            raise UsageError(
                "a recording is a file", "for standard output there is -o json"
            )
        rotation = Rotation(size=flags.get("max_size"), age=flags.get("max_age"))
        return cls(file=file, append=flags.get("append", False), rotation=rotation)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """One run of a live command."""

    connection: ConnectionSettings
    targets: tuple[TargetSpec, ...]
    all_namespaces: bool
    label_selector: str | None
    field_selector: str | None
    words: tuple[str, ...]
    """The targets as typed."""
    format: Format | None
    """How to show it; None shows nothing."""
    recording: RecordingSettings | None
    trace: TraceFormat | None
    """How to show it as a trace, instead."""
    events: EventFormat | None
    """How to show the Events about all of it, instead."""
    spans: SpanFormat | None
    """How to show what all of it led to as spans, instead."""
    owned: bool
    """Whether to follow what the targets own, too, and the Events about all of it."""
    noise: bool
    """Whether what the server writes with each version counts, too."""
    show_secrets: bool
    timeout: float | None
    awaited: tuple[Step, ...] = ()
    """What ends it when it comes, or cannot come any more."""

    @classmethod
    def from_flags(
        cls,
        flags: Mapping[str, Any],
        *,
        status: bool | None,
        trace: TraceFormat | None = None,
        events: EventFormat | None = None,
        spans: SpanFormat | None = None,
    ) -> Settings:
        """Return the settings for click's *flags*; *status* None shows no records.

        Raises:
            UsageError: the targets or their flags cannot mean anything.
        """
        connection = {
            field.name: flags[field.name] for field in fields(ConnectionSettings)
        }
        selecting = {
            name: flags[name]
            for name in ("all_namespaces", "label_selector", "field_selector")
        }
        targets = parse_targets(
            flags["target"], namespace=flags["namespace"], **selecting
        )
        noise = flags.get("show_managed_fields", False)
        recording = RecordingSettings.from_flags(flags)
        if noise and recording is not None:
            raise UsageError(
                "a recording never holds managedFields",
                "leave out --show-managed-fields",
            )
        return cls(
            connection=ConnectionSettings(**connection),
            targets=targets,
            words=flags["target"],
            format=None if status is None else format_of(flags, status=status),
            recording=recording,
            trace=trace,
            events=events,
            spans=spans,
            owned=bool(trace or events or spans) or flags.get("owned", False),
            noise=noise,
            show_secrets=flags["show_secrets"],
            timeout=flags["timeout"],
            awaited=flags.get("awaited", ()),
            **selecting,
        )


def format_of(flags: Mapping[str, Any], *, status: bool) -> Format:
    """Return how to show, for click's *flags*.

    Raises:
        UsageError: nothing would be left to show.
    """
    if () in flags["ignore"]:
        raise UsageError(
            '--ignore "" is the whole object: nothing is left to show',
            "name a part of it, as in --ignore /metadata",
        )
    return Format(
        view=View(status=status, only=flags["only"], ignore=flags["ignore"]),
        output=flags["output"],
        color=flags["color"],
        watch_only=flags["watch_only"],
    )

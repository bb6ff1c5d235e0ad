"""What a command asks for: of a cluster, or of a recording."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from kubectl_spy.core.changes.masking import Rule
from kubectl_spy.errors import UsageError
from kubectl_spy.sinks.closed_segments import Rotation
from kubectl_spy.sources.connection.access import ConnectionSettings
from kubectl_spy.sources.resolution.target import TargetSpec

if TYPE_CHECKING:
    from kubectl_spy.core.cluster.selectors import Selectors
    from kubectl_spy.core.waiting.awaited import Step


class RecordingRequest(NamedTuple):
    """Where to record to, and when to begin a new segment."""

    file: str | None  # "" is named after the context, the namespace and the time
    otlp: str | None  # The collector. "" is the one in OTEL_EXPORTER_OTLP_*.
    resume: str | None  # the file that says where a recording that is sent left off
    refresh: float | None  # seconds after which all objects are recorded again
    append: bool
    rotation: Rotation
    logs: bool  # whether to write down the logs of containers that failed
    after: float | None
    """Seconds to go on after any target meets --stop-on. None: --for asks for all."""


class OfCluster(NamedTuple):
    """What is asked of a cluster."""

    connection: ConnectionSettings
    targets: tuple[TargetSpec, ...]  # if empty, everything of the namespace
    all_namespaces: bool
    label_selector: str | None
    field_selector: str | None
    recording: RecordingRequest | None
    owned: bool  # whether to watch what the targets own, and the Events about all of it
    noise: bool  # whether to keep managedFields and resourceVersion
    show_secrets: bool
    redact: tuple[Rule, ...]  # fields to mask besides Secrets
    mask_key: bytes
    back_to: float | None
    """Begin with what the server remembers since this time."""
    further: bool  # whether to ask for more that tells of that time

    @property
    def everything(self) -> bool:
        """Whether no target was named: it is about everything of the namespace."""
        return not self.targets


class OfRecording(NamedTuple):
    """What is asked of a recording."""

    file: str
    selectors: Selectors  # what -l and --field-selector select
    since: str | None = None  # the time from which to show, as typed
    until: str | None = None  # the time up to which to show, as typed
    at: str | None = None  # the point up to which to read, as typed
    audit: str | None = None  # the file of an audit log


class Options(NamedTuple):
    """What a command asks for, of a cluster or of a recording. It was checked."""

    words: tuple[str, ...] = ()  # the targets as typed; none is all of a recording
    namespace: str | None = None
    timeout: float | None = None
    awaited: tuple[Step, ...] = ()  # the steps of `--for` or `--stop-on`

    @property
    def at_once(self) -> bool:
        """Whether to look only once, as `kubectl wait --timeout 0` does."""
        return self.timeout == 0 and bool(self.awaited)


def check_awaited(awaited: Sequence[Step], *, everything: bool) -> None:
    """Raise UsageError if something is waited for of *everything*."""
    if awaited and everything:
        raise UsageError("--for waits for targets", "name one, as in deploy/web")

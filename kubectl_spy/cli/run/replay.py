"""The flags of a command on a recording, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kubectl_spy.core.cluster.selectors import Selectors
from kubectl_spy.errors import UsageError

if TYPE_CHECKING:
    from kubectl_spy.core.waiting.awaiting import Step


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """What to show of a recording."""

    file: str
    words: tuple[str, ...]  # the targets as typed; () is all that was recorded
    namespace: str | None
    speed: float | None = None
    """How many times as fast as it happened; None does not wait at all."""
    since: str | None = None  # the time from which to show, as typed
    until: str | None = None  # the time up to which to show, as typed
    at: str | None = None  # the point up to which to read, as typed
    audit: str | None = None  # the file of an audit log
    timeout: float | None = None
    selectors: Selectors = field(default_factory=lambda: Selectors(None, None))
    """What -l and --field-selector select."""
    awaited: tuple[Step, ...] = ()  # the steps of `--for`

    @classmethod
    def from_flags(cls, flags: Mapping[str, Any]) -> Replay:
        """Return what click's *flags* ask of a recording.

        Raises UsageError if one of them is only for a cluster.
        """
        names = {
            "show_secrets": "--show-secrets",
            "redact": "--redact",
            "record": "--record",
        }
        for name, flag in names.items():
            if flags.get(name):
                raise UsageError(
                    f"{flag} is for a cluster, and not for recordings", "leave it out"
                )
        if flags.get("awaited") and flags.get("from_time"):
            raise UsageError(
                "--for needs to know what was before --since",
                "leave out one of them",
            )
        return cls(
            file=flags["source"],
            words=flags["target"],
            namespace=flags["namespace"],
            speed=flags.get("speed") or None,
            since=flags.get("from_time"),
            until=flags.get("to_time"),
            at=flags.get("at"),
            audit=flags.get("audit"),
            timeout=flags.get("timeout"),
            awaited=flags.get("awaited", ()),
            selectors=selectors_of(flags),
        )

    @property
    def narrows(self) -> bool:
        """Whether not all objects are to be shown."""
        return bool(self.words or self.namespace or self.selectors)


def selectors_of(flags: Mapping[str, Any]) -> Selectors:
    """Return what -l and --field-selector select. Raises UsageError."""
    try:
        return Selectors(flags["label_selector"], flags["field_selector"])
    except ValueError as error:
        raise UsageError(str(error), "write app=web or status.phase=Failed") from None

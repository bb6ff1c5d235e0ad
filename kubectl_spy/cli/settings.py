"""What the command line asks for, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from kubectl_spy.core.view import View
from kubectl_spy.errors import UsageError
from kubectl_spy.sources.connection.settings import ConnectionSettings
from kubectl_spy.sources.resolution.target import TargetSpec, parse_targets


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """One run of `status` or `changes`."""

    connection: ConnectionSettings
    targets: tuple[TargetSpec, ...]
    all_namespaces: bool
    label_selector: str | None
    field_selector: str | None
    view: View
    noise: bool
    """Whether what the server writes with each version is shown, too."""
    output: str
    color: str
    show_secrets: bool
    watch_only: bool
    timeout: float | None

    @classmethod
    def from_flags(cls, flags: Mapping[str, Any], *, status: bool) -> Settings:
        """Return the settings for click's *flags*.

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
        if () in flags["ignore"]:
            raise UsageError(
                '--ignore "" is the whole object: nothing is left to show',
                "name a part of it, as in --ignore /metadata",
            )
        targets = parse_targets(
            flags["target"], namespace=flags["namespace"], **selecting
        )
        return cls(
            connection=ConnectionSettings(**connection),
            targets=targets,
            view=View(
                status=status,
                only=flags["only"],
                ignore=flags["ignore"],
            ),
            noise=flags["show_managed_fields"],
            output=flags["output"],
            color=flags["color"],
            show_secrets=flags["show_secrets"],
            watch_only=flags["watch_only"],
            timeout=flags["timeout"],
            **selecting,
        )

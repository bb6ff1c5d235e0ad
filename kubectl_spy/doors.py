"""The doors: what extras bring. Nothing outside `extras/` imports one.

The table is static: importing importlib.metadata takes 13 ms, and krew's archive has no
entry points. Other packages bring commands by those (`cli/brought.py`).
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

COMMANDS = {
    "demo": "demo",
    "export": "report",
    "mcp": "mcp",
    "review": "review",
    "serve": "serve",
    "spans": "spans",
}
"""The extra that brings each command."""

_PARTS = {
    "fetch recordings": "otel.fetching:fetch_all",
    "read log records": "otel.otlp_file:lines_in",
    "send lines": "otel.sending:sending",
}
"""The functions of extras that others call, by what they do."""


def part(name: str) -> Any:
    """Import the extra now, and return its function for *name*, a key of `_PARTS`."""
    module, _, function = _PARTS[name].partition(":")
    return getattr(import_module(f"kubectl_spy.extras.{module}"), function)

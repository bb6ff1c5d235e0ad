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
"""The commands that extras bring, and which."""

_PARTS = {
    "fetch recordings": "otel.fetching:fetch_all",
    "read log records": "otel.otlp_file:lines_in",
    "send lines": "otel.sending:sending",
}
"""What commands of the core need of an extra, by what it does."""


def part(name: str) -> Any:
    """Return the function that an extra brings for *name*. Import it now."""
    module, _, function = _PARTS[name].partition(":")
    return getattr(import_module(f"kubectl_spy.extras.{module}"), function)

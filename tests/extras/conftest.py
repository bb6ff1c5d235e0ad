"""The fixtures of `tests/cli`, for commands that an extra brings."""

from __future__ import annotations

from tests.cli.conftest import directory, serve, spy

__all__ = ["directory", "serve", "spy"]

"""Pages of recordings, made by the real command."""

from __future__ import annotations

from pathlib import Path

from tests.cli.command import Ended, Spy


def exported(spy: Spy, file: Path, *flags: str) -> tuple[Path, Ended]:
    """Return the page of the recording in *file*, and how the command ended."""
    ended = spy.run("export", str(file), "-o", "html", *flags)
    page = spy.home / "exported.html"
    page.write_bytes(ended.stdout)
    return page, ended

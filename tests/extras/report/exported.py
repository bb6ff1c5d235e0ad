"""Pages of recordings, made by the real command."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.sources.recording.notes import Note, write_notes
from kubectl_spy.sources.recording.recording import Recording
from tests.cli.command import Ended, Spy


def versions(file: Path) -> list[ChangeRecord]:
    """Return the change records of the recording in *file*."""
    return [each for each in Recording(str(file)) if isinstance(each, ChangeRecord)]


def bookmark(file: Path, noted: Iterable[tuple[ChangeRecord, str]]) -> None:
    """Set bookmarks with notes, as `review` does."""
    notes = [
        Note(
            of.seq, of.time, of.gvk.api_version, of.gvk.kind, of.namespace, of.name, it
        )
        for of, it in noted
    ]
    write_notes(str(file), Recording(str(file)).header, notes)


def exported(spy: Spy, file: Path, *flags: str) -> tuple[Path, Ended]:
    """Return the page of the recording in *file*, and how the command ended."""
    ended = spy.run("export", str(file), "-o", "html", *flags)
    page = spy.home / "exported.html"
    page.write_bytes(ended.stdout)
    return page, ended

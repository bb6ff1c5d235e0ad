"""The recordings that tools may read: files in directories that the user names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from kubectl_spy.core.changes.recording_format import BadLine, decode
from kubectl_spy.errors import SpyError, UsageError
from kubectl_spy.render.inert import inert
from kubectl_spy.render.moments import local
from kubectl_spy.render.values import byte_size
from kubectl_spy.sources.recording.recording import HEADERS, Recording
from kubectl_spy.sources.recording.segments import lines_of, segments_of

_MOST = 200  # recordings to list
_TARGETS = 5  # to name of each
_TYPE = 128  # bytes of a line within which its type stands


class Recordings:
    """The recordings in *directories*. The first one of a name is meant."""

    def __init__(self, directories: Sequence[str]) -> None:
        """Raises UsageError if one is no directory."""
        self._roots = [Path(each).resolve() for each in directories]
        for given, root in zip(directories, self._roots, strict=True):
            if not root.is_dir():
                raise UsageError(
                    f"{given} is no directory", "name one with --recordings"
                )

    def path(self, name: str) -> Path:
        """Return the file of the recording *name*, all of whose Secrets are masked.

        Raises SpyError if there is none.
        """
        found = next(filter(None, (_inside(root, name) for root in self._roots)), None)
        if found is None:
            raise SpyError(f"there is no recording {name}", "call list_recordings")
        check_masked(found, name)
        return found

    def listed(self) -> str:
        """Return a line for each recording, the newest first. Times are local."""
        found: dict[str, Path] = {}
        for root in self._roots:
            for name in _names(root):
                if path := _inside(root, name):
                    found.setdefault(name, path)
        newest = sorted(found, key=lambda name: -found[name].stat().st_mtime)
        lines = [_line(name, found[name]) for name in newest[:_MOST]]
        if len(newest) > _MOST:
            lines.append(f"… {len(newest) - _MOST} older ones")
        return "\n".join(lines) or "no recordings (*.spy or *.spy.gz) are here"


def check_masked(path: Path, name: str) -> None:
    """Raise SpyError unless each run of the recording at *path* masked Secrets."""
    headers = 0
    for line in lines_of(str(path)):
        if not any(each.encode() in line.raw for each in HEADERS):
            continue
        try:
            header = decode(line.raw)
        except BadLine:
            start = line.raw[:_TYPE]
            if any(f'"type":"{each}"'.encode() in start for each in HEADERS):
                raise SpyError(
                    f"{name} has a damaged header: it may hold Secrets", _REMEDY
                ) from None
            continue
        if header["type"] not in HEADERS:
            continue
        headers += 1
        if not _is_masked(header):
            raise SpyError(
                f"{name} was recorded with --show-secrets: it may hold Secrets", _REMEDY
            )
    if not headers:
        raise SpyError(f"{name} has no header that says how it was recorded", _REMEDY)


_REMEDY = "the tools read only recordings with masked Secrets"


def _is_masked(header: Mapping[str, Any]) -> bool:
    redaction = header.get("redaction")
    return isinstance(redaction, dict) and redaction.get("secrets") == "masked"


def _inside(root: Path, name: str) -> Path | None:
    """Return the file *name* of *root*, or None if it or a segment is elsewhere."""
    path = root / name
    if Path(name).name != name or "#" in name or not path.is_file():
        return None
    real = path.resolve()
    ours = all(each.resolve().parent == root for each in (path, *segments_of(real)))
    return real if ours else None


def _names(root: Path) -> Iterator[str]:
    try:
        yield from (
            each.name
            for each in root.iterdir()
            if each.name.endswith((".spy", ".spy.gz"))
        )
    except OSError as error:
        raise SpyError(f"cannot read {root}: {error.strerror}") from None


def _line(name: str, path: Path) -> str:
    try:
        recording = Recording(str(path))
    except SpyError as error:
        return inert(f"{name}  cannot be read: {error.message}")
    header = recording.header
    if not _is_masked(header):
        return inert(f"{name}  is not read: it may hold Secrets")
    targets = header.get("targets")
    asked = [str(each) for each in targets] if isinstance(targets, list) else []
    what = ", ".join(asked[:_TARGETS]) + (" …" if len(asked) > _TARGETS else "")
    if header.get("owned") is True:
        what += " with what they own"
    parts = (
        name,
        f"from {local(recording.began):%Y-%m-%d %H:%M:%S}",
        byte_size(path.stat().st_size),
        f"context {header.get('context') or 'unknown'}",
        what,
    )
    return inert("  ".join(parts))

"""The recordings that tools may read: files in directories that the user names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kubectl_spy.core.changes.recording_format import BadLine, decode
from kubectl_spy.errors import SpyError, UsageError
from kubectl_spy.render.columns import cut
from kubectl_spy.render.inert import inert
from kubectl_spy.render.moments import local
from kubectl_spy.render.values import byte_size
from kubectl_spy.sources.recording.recording import HEADERS, Recording
from kubectl_spy.sources.recording.segments import lines_of, segments_of

_ENDS = (".spy", ".spy.gz")
_MOST = 200  # recordings to list
_TARGETS = 60  # characters of the targets of each
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
        """Return a line for each recording, the newest first. Times are local.

        Raises SpyError if a directory cannot be read.
        """
        found: dict[str, tuple[float, Path]] = {}
        for root in self._roots:
            try:
                names = [each.name for each in root.iterdir()]
                for name in names:
                    if name.endswith(_ENDS) and (path := _inside(root, name)):
                        found.setdefault(name, (-path.stat().st_mtime, path))
            except OSError as error:
                raise SpyError(f"cannot read {root}: {error.strerror}") from None
        newest = sorted(found, key=found.__getitem__)
        lines = [_line(name, found[name][1]) for name in newest[:_MOST]]
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


def _line(name: str, path: Path) -> str:
    try:
        recording, size = Recording(str(path)), path.stat().st_size
    except (SpyError, OSError) as error:
        return inert(f"{name}  cannot be read: {error}")
    header = recording.header
    if not _is_masked(header):
        return inert(f"{name}  is not read: it may hold Secrets")
    targets = header.get("targets")
    asked = map(str, targets) if isinstance(targets, list) else ()
    what = cut(" ".join(asked), _TARGETS, "…")
    if header.get("owned") is True:
        what += " with what they own"
    parts = (
        name,
        f"from {local(recording.began):%Y-%m-%d %H:%M:%S}",
        byte_size(size),
        f"context {header.get('context') or 'unknown'}",
        what,
    )
    return inert("  ".join(parts))

"""The recordings that tools may read: files in directories that the user names.

And in each Loki that the user names. Tools take names, never addresses.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from kubectl_spy.errors import SpyError, UsageError
from kubectl_spy.render.columns import cut
from kubectl_spy.render.inert import inert
from kubectl_spy.render.moments import local
from kubectl_spy.render.values import byte_size
from kubectl_spy.sources.recording.recording import Recording, check_masked, is_masked
from kubectl_spy.sources.recording.segments import segments_of

_ENDS = (".spy", ".spy.gz")
_MOST = 200  # recordings to list
_TARGETS = 60  # characters of the targets of each
_LOKI = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)=(loki\+[^#]+(?:#[0-9a-f]+)?)")
_OF_LOKI = "the last hour, or up to 24 hours that from, to and at choose"


class Place(NamedTuple):
    """Where a recording is.

    Commands take it as *argument*, and print it as *printed*. Tools call it *name*.
    """

    argument: str
    printed: str
    name: str


class Recordings:
    """The recordings in *directories* and in *lokis*, which are NAME=URL.

    The first one of a name is meant.
    """

    def __init__(self, directories: Sequence[str], lokis: Sequence[str] = ()) -> None:
        """Raises UsageError if one is no directory or no Loki."""
        self._lokis = dict(map(_loki, lokis))
        self._roots = [Path(each).resolve() for each in directories]
        for given, root in zip(directories, self._roots, strict=True):
            if not root.is_dir():
                raise UsageError(f"{given} is no directory", "name one with recordings")

    def place(self, name: str) -> Place:
        """Return where the recording *name* is.

        All Secrets in a file are masked. For Loki, the command checks this itself.
        Raises SpyError if there is none.
        """
        source, *recording = name.split("#")
        if loki := self._lokis.get(source):
            argument = "#".join((loki.argument, *recording))
            if re.fullmatch("[^#]+(#[0-9a-f]+)?", argument):
                return loki._replace(argument=argument)
        found = next(filter(None, (_inside(root, name) for root in self._roots)), None)
        if found is None:
            what = f"there is no recording {name}"
            raise SpyError(what, "call list_recordings", code="not-found")
        check_masked(str(found), name)
        return Place(str(found), str(found), name)

    def listed(self) -> str:
        """Return a line for each Loki and recording, the newest first. Times are local.

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
        lines = [
            f"{each.name}  in {each.printed}  {_OF_LOKI}"
            for each in self._lokis.values()
        ]
        lines += [_line(name, found[name][1]) for name in newest[:_MOST]]
        if len(newest) > _MOST:
            lines.append(f"… {len(newest) - _MOST} older ones")
        return "\n".join(lines) or "no recordings (*.spy or *.spy.gz) are here"


def _loki(given: str) -> tuple[str, Place]:
    """Return the name and the place of NAME=URL. Raises UsageError if it is none."""
    from kubectl_spy.extras.otel.loki_client import LokiClient

    found = _LOKI.fullmatch(given)
    try:
        client = LokiClient(found[2].partition("#")[0], os.environ) if found else None
    except UsageError:
        client = None
    if found is None or client is None:
        raise UsageError("this is no Loki", "use NAME=loki+https://HOST[:PORT]")
    name = found[1]
    return name, Place(found[2], client.name, name)


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
    if not is_masked(header):
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

"""The user's entries of kinds: YAML files in the form of docs/knowledge.md."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kubectl_spy.knowledge.form import Kind

VARIABLE = "KUBECTL_SPY_KNOWLEDGE"
_ENDINGS = (".yaml", ".yml")

Say = Callable[[str], None]


def folders(environ: Mapping[str, str]) -> list[Path]:
    """Return the folders with entries: those that *environ* names, and the user's own.

    Every command asks. It costs one look at the file system.
    """
    named = environ.get(VARIABLE, "").split(os.pathsep)
    config = environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")  # noqa: PTH111
    own = os.path.join(config, "kubectl-spy", "knowledge")  # noqa: PTH118
    found = [*filter(None, named), *([own] if os.path.isdir(own) else [])]  # noqa: PTH112
    return [Path(each) for each in found]


def read_all(folders: Sequence[Path], say: Say) -> dict[tuple[str, str], Kind]:
    """Return the entries in *folders*, by group and kind. The first of several counts.

    *say* gets a line for each file that cannot be used.
    """
    from kubectl_spy.errors import SpyError
    from kubectl_spy.render.inert import inert

    found: dict[tuple[str, str], Kind] = {}
    for folder in folders:
        try:
            for file in _files(folder):
                try:
                    found = _entries(file) | found
                except SpyError as error:
                    say(f"warning: {inert(str(error))}; the file is not used")
        except OSError as error:
            why = error.strerror or "it is no folder"
            say(f"warning: {inert(str(folder))}: {why}; nothing in it is used")
    return found


def _files(folder: Path) -> Iterator[Path]:
    """Yield the YAML files in *folder* by name. Raises OSError."""
    for name in sorted(os.listdir(folder)):  # noqa: PTH208
        # Editors keep others beside a file while it is edited: `.#widget.yaml`.
        if name.endswith(_ENDINGS) and not name.startswith("."):
            yield folder / name


def _entries(file: Path) -> dict[tuple[str, str], Kind]:
    """Return the entries in *file*. Raises SpyError with its place in the file."""
    from kubectl_spy.errors import SpyError
    from kubectl_spy.knowledge.kinds import kinds_in
    from kubectl_spy.knowledge.problem import BadEntry
    from kubectl_spy.sources.yaml_file import Malformed, read_placed

    if not file.is_file():
        raise SpyError(f"{file}: it is no file")  # a pipe would never end
    try:
        document = read_placed(file)
    except Malformed as error:
        raise SpyError(_at(file, error.place, error.why)) from None
    try:
        return kinds_in(document.data, str(file))
    except BadEntry as bad:
        place = document.place(bad.where, at_key=bad.at_key)
        raise SpyError(_at(file, place, bad.expected)) from None


def _at(file: Path, place: tuple[int, int] | None, what: str) -> str:
    return ":".join([str(file), *map(str, place or ())]) + f": {what}"

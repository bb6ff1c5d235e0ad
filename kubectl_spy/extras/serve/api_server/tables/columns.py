"""The columns of the kinds of Kubernetes itself, as kinds.txt has them."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from importlib import resources
from typing import NamedTuple

from kubectl_spy.core.objects import JSON
from kubectl_spy.extras.serve.api_server.tables import contents, network, workloads
from kubectl_spy.extras.serve.api_server.tables.cells import FUNCTIONS, Cell, value
from kubectl_spy.knowledge.paths import path_of

_COMPUTED: dict[str, Cell] = {**vars(contents), **vars(network), **vars(workloads)}
_CELL = re.compile(r"(?:(\w+)\((.*)\)|(.+?))(?: or (.+))?")
_SPACES = re.compile(r"\s{2,}")


class Column(NamedTuple):
    """A column of a table."""

    name: str
    cell: Cell
    type: str = "string"
    wide: bool = False  # whether only `-o wide` shows it
    format: str = ""

    def as_json(self) -> JSON:
        """Return the definition of the column. Its description is left out."""
        return {
            "name": self.name,
            "type": self.type,
            "format": self.format,
            "description": "",
            "priority": int(self.wide),
        }


Columns = tuple[Column, ...]


def cell_of(text: str) -> Cell:
    """Return the cell that *text* describes.

    >>> cell_of("status.phase or <none>")({"status": {"phase": "Bound"}}, 0)
    'Bound'
    >>> cell_of("age(status.began) or <none>")({}, 0)
    '<none>'
    """
    found = _CELL.fullmatch(text)
    assert found is not None, text
    function, arguments, path, default = found.groups()
    if function and not arguments:
        return _COMPUTED[function]
    paths = [path_of(each, ()) for each in (arguments or path).split(", ")]
    make = FUNCTIONS[function] if function else value
    return make(paths) if default is None else make(paths, _default(default))


def _default(text: str) -> JSON:
    """Return what *text* is in JSON, or else itself."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _column(line: str) -> Column:
    name, kind, cell = _SPACES.split(line[2:])
    form = "name" if name == "Name" else ""
    return Column(name, cell_of(cell), kind, line.startswith("*"), form)


NAME_AGE: Columns = (
    _column("  Name  string  metadata.name"),
    _column("  Age  string  age(metadata.creationTimestamp)"),
)


@lru_cache(None)
def _by_kind() -> dict[str, Columns]:
    """Return all columns by `Deployment.apps`."""
    file = resources.files("kubectl_spy.extras.serve.api_server.tables") / "kinds.txt"
    found: dict[str, Columns] = {}
    kinds: list[str] = []
    for line in file.read_text("utf-8").splitlines():
        if line.startswith(("  ", "* ")):
            column = _column(line)
            found |= {kind: (*found.get(kind, ()), column) for kind in kinds}
        elif not line.startswith("#"):
            kinds = line.split(", ")
    return found


def columns_of(group: str, kind: str) -> Columns | None:
    """Return the columns of a kind of Kubernetes itself."""
    return _by_kind().get(f"{kind}.{group}" if group else kind)

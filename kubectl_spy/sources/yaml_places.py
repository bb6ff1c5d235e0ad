"""Reads YAML files of the user, and knows where in them each value stands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from kubectl_spy.sources.yaml_file import TRUE, documents, malformed, read_bytes


class Placed(NamedTuple):
    """A parsed document, and where its values stand."""

    data: Any
    node: Any  # as PyYAML composes it; None if the document is empty

    def place(self, steps: Iterable[str | int], *, at_key: bool) -> tuple[int, int]:
        """Return line and column of what *steps* lead to, as far as they lead."""
        node = self.node
        mark = node and node.start_mark
        for step in steps:
            key, node = _member(node, step)
            if node is None:
                break
            mark = key.start_mark if at_key and key else node.start_mark
        return (mark.line + 1, mark.column + 1) if mark else (1, 1)


def read_placed(path: Path) -> Placed:
    """Return the only document of *path*. No mapping in it may have a key twice.

    Raises SpyError; Malformed, with the place, for what stands in the file.
    """
    text = read_bytes(path, missing_ok=False)
    found = documents(text or b"", path, _placed_of)
    if len(found) > 1:
        mark = found[1].node and found[1].node.start_mark
        raise malformed(path, "it holds more than one document", mark)
    return found[0] if found else Placed(None, None)


def _placed_of(loader: Any, path: Path) -> Iterator[Placed]:
    while loader.check_node():
        node = loader.get_node()
        _check_keys(node, path)
        yield Placed(loader.construct_document(node), node)


def _check_keys(node: Any, path: Path) -> None:
    """Refuse a key that stands twice in a mapping: only its last value would count."""
    seen: set[int] = set()
    left = [node]
    while left:
        each = left.pop()
        if id(each) in seen or isinstance(each.value, str):
            continue
        seen.add(id(each))
        if each.id == "sequence":
            left += each.value
            continue
        keys: dict[tuple[str, str], Any] = {}
        for key, value in each.value:
            left += (key, value)
            if not isinstance(key.value, str):
                continue
            first = keys.setdefault((key.tag, key.value), key)
            if first is not key:
                line = first.start_mark.line + 1
                why = f"this key is in line {line} already"
                raise malformed(path, why, key.start_mark)


def _member(node: Any, step: str | int) -> tuple[Any, Any]:
    """Return the nodes of a key and its value, or of an item and no key."""
    if node.id == "sequence" and isinstance(step, int) and step < len(node.value):
        return None, node.value[step]
    # Of merged mappings PyYAML has put the members first.
    for key, value in reversed(node.value if node.id == "mapping" else []):
        word = key.value
        if key.tag.endswith(":bool"):
            word = str(word in TRUE)
        if word == step:
            return key, value
    return None, None

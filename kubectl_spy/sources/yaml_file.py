"""Reads YAML files of the user, within bounds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from kubectl_spy.errors import SpyError

T = TypeVar("T")

_LARGEST = 8 << 20
"""The most bytes of a file."""
_DEPTH_LIMIT = 100
_ALIAS_LIMIT = 20
_TOO_DEEP = "it is nested too deeply or has too many aliases"
_OPENINGS = (b"[", b"{", b"- ", b"? ")
_OTHERWISE = (":bool", ":int", ":float", ":timestamp", ":value")
"""The types of plain words that go-yaml recognizes in another way, or not at all."""
TRUE = frozenset(
    ["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"]
)
_FALSE = frozenset(
    ["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"]
)
_INT = "[-+]?(?:0|[1-9][0-9_]*|0[oO]?[0-7_]+|0[xX][0-9a-fA-F_]+|0[bB][01_]+)$"
_FLOAT = (
    r"[-+]?(?:\.[0-9_]+|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9]+)?$"
    r"|[-+]?\.(?:inf|Inf|INF)$|\.(?:nan|NaN|NAN)$"
)
_OCTAL = "[-+]?0[0-7]+"


class Malformed(SpyError):
    """The content of a file is not as it should be. *place*: its line and column."""

    def __init__(self, path: Path, why: str, mark: Any = None) -> None:
        where = f", line {mark.line + 1}" if mark else ""
        super().__init__(f"{path} cannot be used: {why}{where}", "correct the file")
        self.why = why
        self.place = (mark.line + 1, mark.column + 1) if mark else None


def read_yaml(path: Path, *, missing_ok: bool) -> Any:
    """Return the parsed YAML of *path*, or None if it is missing and may be.

    Raises SpyError that names the file and, for bad YAML, the line.
    """
    text = read_bytes(path, missing_ok=missing_ok)
    found = [] if text is None else documents(text, path, _all_of)
    if len(found) > 1:
        raise malformed(path, "it holds more than one document")
    return found[0] if found else None


def read_bytes(path: Path, *, missing_ok: bool) -> bytes | None:
    """Return what is in *path*; None if it is missing and may be. Raises SpyError."""
    try:
        with path.open("rb") as file:
            return file.read(_LARGEST + 1)
    except FileNotFoundError:
        if missing_ok:
            return None
        raise SpyError(f"{path} does not exist", "check the path") from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "this is no path"
        raise SpyError(
            f"cannot read {path}: {why}", "check the path and its mode"
        ) from None


def documents(
    text: bytes, path: Path, of: Callable[[Any, Path], Iterator[T]]
) -> list[T]:
    """Return the YAML documents in *text*, the content of *path*. Dates stay texts.

    *of* takes them from a Loader.
    """
    if len(text) > _LARGEST:
        raise SpyError(f"{path} is larger than {_LARGEST >> 20} MiB", "check the path")
    import yaml

    loader = _loader()
    try:
        _check_shape(yaml.parse(text, Loader=loader), path)
        return list(of(loader(text), path))
    except yaml.MarkedYAMLError as error:
        why = _reason(error, text)
        mark = None if why == _TOO_DEEP else error.problem_mark
        raise malformed(path, why, mark) from None
    except (yaml.YAMLError, ValueError, TypeError):
        raise malformed(path, "it is not YAML") from None


def _all_of(loader: Any, _: Path) -> Iterator[Any]:
    while loader.check_data():
        yield loader.get_data()


def _reason(error: Any, text: bytes) -> str:
    """Return why *text* cannot be read. What PyYAML says may quote a password."""
    import yaml

    mark = error.problem_mark
    if isinstance(error, yaml.constructor.ConstructorError):
        return "it has a tag or a key that is not allowed"
    if isinstance(error, yaml.composer.ComposerError):
        return "its anchors and aliases do not fit"
    for line in text.split(b"\n")[mark.line : mark.line + 1] if mark else ():
        # libyaml also has a limit, and reads ahead: its error may come before ours.
        if sum(map(line[: mark.column].count, _OPENINGS)) > _DEPTH_LIMIT:
            return _TOO_DEEP
    return "it is not YAML"


def malformed(path: Path, why: str, mark: Any = None) -> SpyError:
    """Return the error that the content of *path* is not as it should be."""
    return Malformed(path, why, mark)


@cache
def _loader() -> Any:
    """Return a Loader that takes plain words for what kubectl takes them for.

    PyYAML reads 22:30 as a number to the base of 60, and 1e3 as a text. Dates are
    texts.
    https://github.com/kubernetes-sigs/yaml/blob/v1.4.0/goyaml.v2/resolve.go
    """
    import yaml

    # libyaml parses a kubeconfig ten times faster; it is not in every build.
    base = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class Loader(base):  # type: ignore[misc, valid-type]
        yaml_implicit_resolvers = {  # noqa: RUF012
            first: [each for each in found if not each[0].endswith(_OTHERWISE)]
            for first, found in base.yaml_implicit_resolvers.items()
        }

    tag = "tag:yaml.org,2002:{}".format
    Loader.add_implicit_resolver(tag("bool"), _Words(TRUE | _FALSE), list("yYnNtTfFoO"))
    for kind, pattern in (("int", _INT), ("float", _FLOAT)):
        Loader.add_implicit_resolver(
            tag(kind), _Pattern(pattern), list("+-.0123456789")
        )
    Loader.add_constructor(tag("bool"), _as_bool)
    Loader.add_constructor(tag("int"), _as_int)
    return Loader


_LONGEST_NUMBER = 40


class _Words(frozenset[str]):
    match = frozenset.__contains__


class _Pattern(NamedTuple):
    """A regular expression that is compiled when it is first used.

    A kubeconfig has no numbers, and every command reads one. A longer word than 40
    characters is no number: Python prints none of more than 4,300 digits.
    """

    text: str

    def match(self, word: str) -> re.Match[str] | None:
        return re.match(self.text, word) if len(word) <= _LONGEST_NUMBER else None


def _as_bool(loader: Any, node: Any) -> bool:
    return loader.construct_scalar(node) in TRUE


def _as_int(loader: Any, node: Any) -> int:
    text = loader.construct_scalar(node).replace("_", "")
    return int(text, 8 if re.fullmatch(_OCTAL, text) else 0)


def _check_shape(events: Iterable[object], path: Path) -> None:
    """Refuse deep nesting, which overruns libyaml's C stack, and many aliases."""
    from yaml import events as kinds

    around: list[str | None] = []
    aliases = 0
    for event in events:
        if isinstance(event, kinds.CollectionStartEvent):
            around.append(event.anchor)
        elif isinstance(event, kinds.CollectionEndEvent):
            around.pop()
        elif isinstance(event, kinds.AliasEvent):
            aliases += 1
            if event.anchor in around:
                raise malformed(path, "it contains itself by an alias")
        if len(around) > _DEPTH_LIMIT or aliases > _ALIAS_LIMIT:
            raise malformed(path, _TOO_DEEP)


# Reads YAML files of the user, and knows where in them each value stands.


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

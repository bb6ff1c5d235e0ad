"""Whatever is discovered, or found in the cache file, can be used or is ignored."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.errors import SpyError
from kubectl_spy.sources.resolution.discovery import Catalogue, discover
from kubectl_spy.sources.resolution.discovery_cache import (
    cache_path,
    read_cache,
    write_cache,
)
from kubectl_spy.sources.resolution.resolve import resolve
from kubectl_spy.sources.resolution.target import parse_targets
from tests.examples import examples
from tests.json_documents import hostile_json
from tests.sources.api_server import DISCOVERY

WORDS: tuple[str, ...] = (
    "items",
    "groups",
    "versions",
    "version",
    "resources",
    "resource",
    "metadata",
)
WORDS += ("name", "verbs", "shortNames", "categories", "responseKind", "kind", "scope")
REAL = {path.removesuffix(" (aggregated)"): path for path in DISCOVERY if "(" in path}
SEGMENT = re.compile(r"[A-Za-z0-9.-]+")
wrong = hostile_json(*WORDS)


def small(path: str) -> Any:
    """Return a real answer with two of everything, so that a place in it matters."""

    def cut(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: cut(member) for key, member in value.items()}
        return [cut(each) for each in value[:2]] if isinstance(value, list) else value

    return cut(DISCOVERY[path])


AGGREGATED = {path: small(key) for path, key in REAL.items()}
PLAIN = {path: small(path) for path in DISCOVERY if "(" not in path}


def places(document: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the place of everything in *document*."""
    pairs = document.items() if isinstance(document, dict) else enumerate(document)
    for key, value in pairs:
        yield (*at, key)
        if isinstance(value, dict | list):
            yield from places(value, (*at, key))


class Served(NamedTuple):
    """A server that serves what it is said to."""

    discovered: Catalogue
    namespace: str = "default"

    def catalogue(self, *, refresh: bool = False) -> Catalogue:
        return self.discovered


def checked(catalogue: Catalogue) -> Catalogue:
    """Return *catalogue*, having used it as everybody does."""
    assert len(set(catalogue.resources)) <= len(catalogue.resources)
    for item in catalogue.resources:
        for part in (item.gvk.version, item.plural, item.gvk.kind, item.gvk.group):
            assert SEGMENT.fullmatch(part) or part == item.gvk.group == ""
    assert ", ".join(catalogue.failed) is not None
    for words in (["po/web"], ["all"], ["v1", "Pod", "web"], ["deploymnt"]):
        with suppress(SpyError):
            resolve(Served(catalogue), parse_targets(words))
    return catalogue


@pytest.mark.parametrize("documents", [AGGREGATED, PLAIN], ids=["aggregated", "plain"])
@given(data=st.data())
@examples(150)
def test_wrong_members_drop_one_type(
    documents: dict[str, Any], data: st.DataObject
) -> None:
    answers = deepcopy(documents)
    for _ in range(data.draw(st.integers(1, 2))):
        at = data.draw(st.sampled_from([*places(answers)]))
        inner: Any = answers
        for key in at[:-1]:
            inner = inner[key]
        inner[at[-1]] = data.draw(wrong)
    with suppress(SpyError):
        checked(discover(lambda path, accept: answers.get(path, {})))


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache file with what a real server serves, in part."""
    file = cache_path(tmp_path_factory.mktemp("cache"), "https://server")
    write_cache(file, discover(lambda path, accept: AGGREGATED[path]))
    assert read_cache(file)
    return file


@given(data=st.data())
@examples(150)
def test_odd_caches_are_used_or_ignored(path: Path, data: st.DataObject) -> None:
    whole = path.read_text()
    saved = json.loads(whole)
    at = data.draw(st.sampled_from([*places(saved)]))
    inner = saved
    for key in at[:-1]:
        inner = inner[key]
    inner[at[-1]] = data.draw(wrong)
    try:
        path.write_text(json.dumps(saved))
        if (catalogue := read_cache(path)) is not None:
            checked(catalogue)
    finally:
        path.write_text(whole)


@given(st.integers(0, 3000), st.integers(0, 4), st.binary(max_size=4))
def test_damaged_caches_are_ignored(
    path: Path, at: int, length: int, damage: bytes
) -> None:
    whole = path.read_bytes()
    try:
        path.write_bytes(whole[:at] + damage + whole[at + length :])
        if (catalogue := read_cache(path)) is not None:
            checked(catalogue)
    finally:
        path.write_bytes(whole)

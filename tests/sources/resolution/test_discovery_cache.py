"""The discovery cache: private, whole, fresh, or ignored."""

from __future__ import annotations

import json
import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from kubectl_spy.sources.resolution.discovery import Catalogue, discover
from kubectl_spy.sources.resolution.discovery_cache import (
    cache_path,
    read_cache,
    write_cache,
)
from tests.sources.api_server import DISCOVERY

CATALOGUE = discover(lambda path, accept: DISCOVERY[f"{path} (aggregated)"])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return cache_path(tmp_path / "cache", "https://server", "PEM")


def rewrite(path: Path, **members: Any) -> None:
    """Change members of the cache file in place."""
    path.write_text(json.dumps({**json.loads(path.read_text()), **members}))


def test_what_is_written_is_read(path: Path) -> None:
    assert read_cache(path) is None
    write_cache(path, CATALOGUE._replace(failed=("apps/v1 (503)",)))
    found = read_cache(path)
    assert found == Catalogue(CATALOGUE.resources, ("apps/v1 (503)",), cached=True)


def test_directory_and_file_are_the_users_alone(path: Path) -> None:
    previous = os.umask(0)
    try:
        write_cache(path, CATALOGUE)
    finally:
        os.umask(previous)
    assert path.parent.name == "spy"
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert path.stat().st_mode & 0o777 == 0o600
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_each_server_has_its_own_file(tmp_path: Path) -> None:
    identities = [("a", "b"), ("ab", ""), ("a", "c"), ("a",)]
    assert len({cache_path(tmp_path, *identity) for identity in identities}) == 4


def test_a_partial_catalogue_is_kept_for_a_minute_only(path: Path) -> None:
    write_cache(path, CATALOGUE._replace(failed=("apps/v1 (503)",)))
    rewrite(path, time=time.time() - 61)
    assert read_cache(path) is None
    rewrite(path, failed=[])
    assert read_cache(path) is not None


@pytest.mark.parametrize("age", [601, 10**9, -5])
def test_a_stale_or_future_file_is_ignored(path: Path, age: float) -> None:
    write_cache(path, CATALOGUE)
    rewrite(path, time=time.time() - age)
    assert read_cache(path) is None


@pytest.mark.parametrize(
    "members",
    [
        {"format": 2},
        {"key": "other"},
        {"resources": 5},
        {"resources": [[]]},
        {"resources": [["g", "v", "k", "p", "s", 1, 5, "", "", 1]]},
        {"time": "now"},
        {"failed": None},
    ],
)
def test_a_file_of_another_make_is_ignored(path: Path, members: dict[str, Any]) -> None:
    write_cache(path, CATALOGUE)
    rewrite(path, **members)
    assert read_cache(path) is None


@pytest.mark.parametrize("text", [b"", b"{", b"\xff", b"[]", b"null", b"[" * 10**5])
def test_a_broken_file_is_ignored(path: Path, text: bytes) -> None:
    write_cache(path, CATALOGUE)
    path.write_bytes(text)
    assert read_cache(path) is None


def test_a_torn_file_is_ignored_wherever_it_ends(path: Path) -> None:
    write_cache(path, CATALOGUE)
    whole = path.read_bytes()
    for end in range(0, len(whole), 97):
        path.write_bytes(whole[:end])
        assert read_cache(path) is None


def test_a_symlink_is_not_followed_and_is_replaced(path: Path, tmp_path: Path) -> None:
    write_cache(path, CATALOGUE)
    elsewhere = tmp_path / "elsewhere"
    path.rename(elsewhere)
    before = elsewhere.read_bytes()
    path.symlink_to(elsewhere)
    assert read_cache(path) is None
    write_cache(path, CATALOGUE)
    assert not path.is_symlink()
    assert elsewhere.read_bytes() == before


def test_a_symlinked_directory_is_not_used(path: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    path.parent.parent.mkdir()
    path.parent.symlink_to(tmp_path / "elsewhere")
    write_cache(path, CATALOGUE)
    assert list((tmp_path / "elsewhere").iterdir()) == []
    assert read_cache(path) is None


def test_what_others_could_have_written_is_ignored(path: Path) -> None:
    write_cache(path, CATALOGUE)
    path.chmod(0o666)
    assert read_cache(path) is None
    path.chmod(0o600)
    path.parent.chmod(0o777)
    assert read_cache(path) is None


def test_a_fifo_does_not_block(path: Path) -> None:
    write_cache(path, CATALOGUE)
    path.unlink()
    os.mkfifo(path)
    assert read_cache(path) is None


def test_a_cache_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    write_cache(cache_path(tmp_path / "file", "x"), CATALOGUE)
    write_cache(cache_path(Path("/proc/none"), "x"), CATALOGUE)


def test_many_writers_and_readers_see_only_whole_files(path: Path) -> None:
    write_cache(path, CATALOGUE)

    def use(number: int) -> bool:
        if number % 2:
            write_cache(path, CATALOGUE)
        return read_cache(path) is not None

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(use, range(60)))

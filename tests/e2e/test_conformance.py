"""`kubectl spy serve` answers as the kube-apiserver whose objects were recorded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.conftest import absent
from tests.e2e.controlplane import find_binary
from tools.conformance.both import Server, both
from tools.conformance.compare import EXPLAINED, SOMETIMES, differences
from tools.conformance.requests import asked

DOCS = Path(__file__).parents[2] / "docs" / "serve.md"


@pytest.fixture(scope="module")
def servers(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[Server, Server, Path]]:
    missing = [each for each in ("etcd", "kube-apiserver") if not find_binary(each)]
    if missing:
        absent(*missing)
    with both(tmp_path_factory.mktemp("conformance")) as pair:
        yield pair


def test_every_answer_is_the_same_or_explained(
    servers: tuple[Server, Server, Path],
) -> None:
    real, ours, _ = servers
    requests = list(asked())
    assert len(requests) > 1000
    found = differences(real, ours, requests)
    unexplained = [each for each in found if not each.reason]
    assert not unexplained, "\n\n".join(map(str, unexplained[:10]))
    needed = {each.reason for each in found} | {SOMETIMES}
    assert needed == EXPLAINED.keys()


def test_what_is_explained_is_in_the_documents() -> None:
    text = " ".join(DOCS.read_text().split())
    assert [each for each in EXPLAINED if each not in text] == []

"""An informer of client-go gets every version from `kubectl spy serve` once."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.sources.recording.recording import Recording
from tests import processes
from tests.cli.command import Spy
from tests.e2e.built import find_built
from tests.e2e.conftest import absent
from tests.recordings import record_stream

Told = tuple[str, str, str]


@pytest.fixture(scope="module")
def informer() -> str:
    found = find_built("informer", "k8s.io/client-go", "informer")
    if found is None:
        absent("informer", remedy="run scripts/informer")
    return found


@contextmanager
def served(spy: Spy, *words: str) -> Iterator[Path]:
    with spy.running("serve", *words) as running:
        running.wait_for_lines(1)
        (path,) = shlex.split(running.stdout.decode().partition("=")[2])
        yield Path(path)
        running.end()  # it removes the kubeconfig


def versions(file: Path) -> list[Told]:
    """Return all versions of Pods in a recording, by name, in order."""
    records = [
        each
        for each in Recording(str(file))
        if isinstance(each, ChangeRecord) and each.gvk.kind == "Pod"
    ]
    found = [(each.type.value, each.name, each.resource_version) for each in records]
    return sorted(found, key=lambda each: (each[1], int(each[2])))


@pytest.mark.parametrize("name", ["deploy-rollout", "recreate", "pod-crashloop"])
def test_an_informer_gets_every_version_once(
    informer: str, name: str, tmp_path: Path
) -> None:
    file = tmp_path / "it.spy"
    record_stream(name, file)
    expected = versions(file)
    assert len(expected) > 5
    with served(Spy(tmp_path), str(file), "--speed", "50") as kubeconfig:
        ended = processes.run(
            [informer, str(len(expected))],
            env={"KUBECONFIG": str(kubeconfig)},
            capture_output=True,
            text=True,
        )
    assert ended.returncode == 0, ended.stderr
    lines = [json.loads(line) for line in ended.stdout.splitlines()]
    told = [(each["type"], each["name"], each["version"]) for each in lines]
    assert sorted(told, key=lambda each: (each[1], int(each[2]))) == expected

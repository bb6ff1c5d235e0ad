"""k9s shows a served recording, and docs/k9s-plugins.yaml gives it our keys."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from tests.cli.command import Spy
from tests.cli.screen import Screen, on_a_terminal
from tests.e2e.built import find_built
from tests.e2e.cluster import kubectl
from tests.e2e.test_informer import served
from tests.recordings import record_stream

Look = Callable[..., AbstractContextManager[tuple[Screen, Path]]]

KEYS = Path(__file__).parents[2] / "docs" / "k9s-plugins.yaml"


@pytest.fixture(scope="module")
def k9s() -> str:
    found = find_built("k9s", "github.com/derailed/k9s", "k9s")
    if found is None:
        pytest.skip("k9s is not built; run scripts/k9s")
    return found


@contextmanager
def looking(k9s: str, kubeconfig: Path, home: Path) -> Iterator[Screen]:
    """Run k9s on a terminal, with our keys. Recorded streams have no short names."""
    config = home / "config"
    config.mkdir(parents=True)
    shutil.copy(KEYS, config / "plugins.yaml")
    (config / "config.yaml").write_text("k9s: {skipLatestRevCheck: true}\n")
    # k9s opens /dev/tty. kubectl finds the plugin next to this Python.
    program = Spy(home, ("setsid", "--ctty", "--wait", k9s))
    path = [str(Path(sys.executable).parent), str(kubectl().parent), os.environ["PATH"]]
    environ = {
        "PATH": os.pathsep.join(path),
        "K9S_CONFIG_DIR": str(config),
        "K9S_LOGS_DIR": str(home),
        "KUBECONFIG": str(kubeconfig),
    }
    words = ("--readonly", "--all-namespaces", "--command", "pods")
    shown = on_a_terminal(program, *words, columns=160, rows=45, environ=environ)
    with shown as (screen, process):
        yield screen
        process.kill()


@pytest.fixture
def look(k9s: str, tmp_path: Path) -> Look:
    """Serve a rollout with some flags, and look into it with k9s."""
    file = tmp_path / "rollout.spy"
    record_stream("deploy-rollout", file)

    @contextmanager
    def looked(*flags: str) -> Iterator[tuple[Screen, Path]]:
        with (
            served(Spy(tmp_path), str(file), *flags) as kubeconfig,
            looking(k9s, kubeconfig, tmp_path / "k9s") as screen,
        ):
            yield screen, kubeconfig

    return looked


def ask(kubeconfig: Path, path: str, *, body: bytes | None = None) -> dict[str, Any]:
    """Return what the server answers; with a *body*, to a POST."""
    config = json.loads(kubeconfig.read_text())
    url = config["clusters"][0]["cluster"]["server"]
    with urlopen(f"{url}{path}", body) as answer:
        document: dict[str, Any] = json.load(answer)
    return document


def seek(kubeconfig: Path, point: str) -> None:
    ask(kubeconfig, f"/spy/seek?at={point}", body=b"")


def test_k9s_shows_what_was_recorded(look: Look) -> None:
    with look() as (screen, _):
        screen.wait_for_text("pods(all)")
        screen.wait_for_text("nginx-")
        screen.type("d")
        screen.wait_for_text("Controlled By:  ReplicaSet/nginx-")
        screen.type("\x1b")
        screen.wait_for_text("pods(all)")
        screen.type(":deployments\r")
        screen.wait_for_text("deployments(all)[1]")
        screen.wait_for_text("nginx")
        screen.type("y")
        screen.wait_for_text("kind: Deployment")


def test_k9s_follows_a_seek(look: Look) -> None:
    with look("--at", "first") as (screen, kubeconfig):
        screen.wait_for_text("pods(all)[0]")
        seek(kubeconfig, "last")
        count = len(ask(kubeconfig, "/api/v1/pods")["items"])
        assert count > 0
        screen.wait_for_text(f"pods(all)[{count}]")
        seek(kubeconfig, "first")
        screen.wait_for_text("pods(all)[0]")


def test_our_keys_run_our_commands(look: Look) -> None:
    with look() as (screen, _):
        screen.wait_for_text("pods(all)")
        screen.type(":deployments\r")
        screen.wait_for_text("deployments(all)[1]")
        screen.type("T")
        screen.wait_for_text("✓ deployment.apps/nginx  Complete")
        screen.type("\x03")
        screen.wait_for_text("deployments(all)[1]")
        screen.type("Y")
        screen.wait_for_text("ADDED     deployment.apps/nginx")
        screen.type("\x03")
        screen.wait_for_text("deployments(all)[1]")
        screen.type("B")
        screen.wait_for_text("kind: Deployment")
        screen.type("q")
        screen.wait_for_text("deployments(all)[1]")
        screen.type("V")
        screen.wait_for_text("● live  deployments/nginx")
        screen.type("q")
        screen.wait_for_text("deployments(all)[1]")

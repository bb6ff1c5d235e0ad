"""Through krew itself: install, use, upgrade, uninstall."""

from __future__ import annotations

import re
import shutil
import signal
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import yaml

from krew.release import version
from tests import processes
from tests.cli.command import PATIENCE, Spy
from tests.extras.serve.api_server.server import ApiServer


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def downloads(archive: Path) -> Iterator[str]:
    """The URL of a server that has the archives."""
    handler = partial(Quiet, directory=str(archive.parent))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def install(kubectl: Spy, archive: Path, manifest: Path) -> None:
    """Install from the two files."""
    words = (f"--manifest={manifest}", f"--archive={archive}")
    ended = kubectl.run("krew", "install", *words)
    assert ended.code == 0, ended.err


def test_from_manifest_and_archive_it_is_kubectl_spy(
    kubectl: Spy, archive: Path, manifests: Path
) -> None:
    install(kubectl, archive, manifests / "plugin.yaml")
    assert kubectl.run("spy", "--version").out == f"kubectl-spy {version()}\n"
    assert kubectl.run("spy", "--help").out.startswith("Usage: kubectl spy [OPTIONS]")
    demo = kubectl.run("spy", "demo", "--speed", "0")
    assert demo.code == 0, demo.err
    assert "  MODIFIED  deployment.apps/nginx" in demo.out


@pytest.mark.parametrize(
    ("name", "plugin"),
    [
        ("plugin.yaml", "spy"),
        ("krew/krew-index/plugins/spy-changes.yaml", "spy-changes"),
    ],
)
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_tab_works_after_the_two_lines_that_krew_shows(
    kubectl: Spy, archive: Path, manifests: Path, name: str, plugin: str, shell: str
) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    install(kubectl, archive, manifests / name)
    caveats = yaml.safe_load((manifests / name).read_text())["spec"]["caveats"]
    lines = [line for line in caveats.splitlines() if line.startswith("  ")]
    assert len(lines) == 2
    for line in lines:
        processes.run([shell, "-c", line], env=kubectl.environ, check=True)
    offered = kubectl.run("__complete", plugin, "stat").out
    assert offered.startswith("status\t"), offered


def test_it_watches_and_ctrl_c_ends_it(
    kubectl: Spy, archive: Path, manifests: Path
) -> None:
    install(kubectl, archive, manifests / "plugin.yaml")
    with ApiServer(("deploy-rollout",), speed=0) as server:
        server.write_kubeconfig(kubectl.kubeconfig)
        with kubectl.running("spy", "status", "deploy/nginx") as running:
            server.wait_until_played(PATIENCE)
            running.wait_until(lambda seen: seen.stdout.count(b"MODIFIED") > 20)
            ended = running.end(signal.SIGINT)
    assert ended.code == 130, ended.err
    assert "  ready 2→3 of 3" in ended.out


def test_the_name_for_the_central_index_works_too(
    kubectl: Spy, archive: Path, manifests: Path
) -> None:
    name = "krew/krew-index/plugins/spy-changes.yaml"
    install(kubectl, archive, manifests / name)
    ended = kubectl.run("spy-changes", "trace", "--help")
    assert ended.out.startswith("Usage: kubectl spy-changes trace [OPTIONS]")


def test_from_a_custom_index_it_is_installed_upgraded_and_uninstalled(
    kubectl: Spy, manifests: Path, downloads: str
) -> None:
    index = manifests / "krew" / "index"
    manifest = index / "plugins" / "spy.yaml"
    text = re.sub(r"https://\S+/v[0-9.]+(?=/)", downloads, manifest.read_text())
    manifest.write_text(text)
    git(index, "init", "-q")
    commit(index)
    krew(kubectl, "index", "add", "kubectl-spy", f"file://{index}")
    krew(kubectl, "install", "kubectl-spy/spy")
    program = Path(kubectl.environ["KREW_ROOT"]) / "bin" / "kubectl-spy"
    assert f"/v{version()}/" in str(program.readlink())
    assert kubectl.run("spy", "--version").out == f"kubectl-spy {version()}\n"

    manifest.write_text(text.replace(f"version: v{version()}", "version: v99.0.0"))
    commit(index)
    krew(kubectl, "update")
    krew(kubectl, "upgrade", "spy")
    assert "/v99.0.0/" in str(program.readlink())
    assert kubectl.run("spy", "demo", "--speed", "0").code == 0

    krew(kubectl, "uninstall", "spy")
    assert not program.is_symlink()
    assert [*(program.parent.parent / "store").iterdir()] == []


def test_krew_refuses_an_archive_that_is_another_than_was_released(
    kubectl: Spy, archive: Path, manifests: Path, tmp_path: Path
) -> None:
    other = tmp_path / archive.name
    other.write_bytes(archive.read_bytes() + b"\0")
    words = (f"--manifest={manifests / 'plugin.yaml'}", f"--archive={other}")
    ended = kubectl.run("krew", "install", *words)
    assert ended.code != 0
    assert "checksum" in ended.err


def krew(kubectl: Spy, *words: str) -> None:
    ended = kubectl.run("krew", *words)
    assert ended.code == 0, ended.err


def commit(directory: Path) -> None:
    git(directory, "add", "-A")
    identity = ("-c", "user.name=test", "-c", "user.email=test@example.com")
    git(directory, *identity, "commit", "-q", "-m", "test")


def git(directory: Path, *words: str) -> None:
    processes.run(["git", "-C", str(directory), *words], check=True)

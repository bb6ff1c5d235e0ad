"""The archive that krew/build left in dist/, and krew itself, in an empty home."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tarfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NoReturn

import pytest

from krew.release import DIST, ROOT, this_platform
from tests import processes
from tests.cli.command import Spy
from tests.extras.serve.api_server.server import ApiServer


def absent(text: str) -> NoReturn:
    """Skip, or fail where the tests are required to run (.ci/run with Go)."""
    if os.environ.get("E2E_REQUIRED"):
        pytest.fail(text)
    pytest.skip(text)


@pytest.fixture(scope="session")
def archive() -> Path:
    """The archive for this platform, built from these sources."""
    path = DIST / this_platform().archive
    if not path.is_file():
        absent("no archive in dist; run krew/build")
    sources = [*ROOT.glob("krew/*"), *ROOT.glob("kubectl_spy/**/*.py")]
    changed = max(each.stat().st_mtime for each in sources if each.is_file())
    if path.stat().st_mtime < changed:
        absent("the archive in dist is older than the sources; run krew/build")
    return path


@pytest.fixture(scope="session")
def unpacked(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program of the archive, unpacked."""
    directory = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(archive) as tar:
        tar.extractall(directory)
    return directory / this_platform().program


@pytest.fixture
def spy(unpacked: Path, tmp_path: Path) -> Spy:
    """`kubectl-spy` as krew links it, in an empty home."""
    home = tmp_path / "home"
    home.mkdir()
    link = tmp_path / "bin" / "kubectl-spy"
    link.parent.mkdir()
    link.symlink_to(unpacked)
    spy = Spy(home, (str(link),))
    # Python's variables mean nothing to the archive; these would break it if they did.
    spy.environ |= {"PYTHONPATH": str(home), "PYTHONHOME": str(home)}
    del spy.environ["PYTHONUTF8"]
    (home / "click.py").write_text("raise SystemExit('PYTHONPATH was heeded')")
    return spy


@pytest.fixture
def serve(spy: Spy) -> Iterator[Callable[..., ApiServer]]:
    """Start an API server that plays at full speed; *spy*'s kubeconfig leads to it."""
    with ExitStack() as servers:

        def start(*recordings: str, **more: Any) -> ApiServer:
            server = servers.enter_context(ApiServer(recordings, speed=0, **more))
            server.write_kubeconfig(spy.kubeconfig)
            return server

        yield start


@pytest.fixture(scope="session")
def tools() -> Path:
    """The directory that scripts/krew built krew and its validator into."""
    pins = (ROOT / "tests" / "e2e" / "krew" / "go.mod").read_text()
    pin = re.search(r"^\s*(?:require )?sigs\.k8s\.io/krew (v\S+)", pins, re.MULTILINE)
    assert pin is not None
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    directory = cache / "kubectl-spy" / "krew" / pin[1]
    if not (directory / "kubectl-krew").is_file():
        absent("krew is not built; run scripts/krew")
    for needed in ("kubectl", "git"):
        if shutil.which(needed) is None:
            absent(f"{needed} is not installed")
    return directory


@pytest.fixture
def kubectl(tools: Path, tmp_path: Path) -> Spy:
    """`kubectl` where krew is the only plugin, its root and the home are empty."""
    home = tmp_path / "home"
    home.mkdir()
    root = home / ".krew"  # where krew puts it by itself
    kubectl = Spy(home, ("kubectl",))
    kubectl.environ |= {
        "KREW_ROOT": str(root),
        "KREW_NO_UPGRADE_CHECK": "1",
        "PATH": os.pathsep.join([str(root / "bin"), str(tools), os.environ["PATH"]]),
    }
    for unwanted in ("PYTHONPATH", "PYTHONUTF8"):
        del kubectl.environ[unwanted]
    return kubectl


@pytest.fixture
def manifests(tmp_path: Path) -> Path:
    """The manifests of the archives in dist, below a directory."""
    target = tmp_path / "manifests"
    command = [sys.executable, str(ROOT / "krew" / "manifest"), "--to", str(target)]
    processes.run(command, check=True)
    return target

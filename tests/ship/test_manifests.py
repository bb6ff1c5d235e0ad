"""The manifests that are checked in."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from krew.release import ROOT, this_platform
from tests import processes

MANIFESTS = (
    "plugin.yaml",
    "krew/index/plugins/spy.yaml",
    "krew/krew-index/plugins/spy-changes.yaml",
)


def write(to: Path, dist: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run krew/manifest on the archives in *dist*."""
    script = str(ROOT / "krew" / "manifest")
    command = [sys.executable, script, "--to", str(to), "--dist", str(dist), *words]
    return processes.run(command, capture_output=True, text=True)


@pytest.mark.parametrize("name", MANIFESTS)
def test_it_is_what_is_made_of_plugin_yaml(tmp_path: Path, name: str) -> None:
    assert write(tmp_path, tmp_path).returncode == 0
    assert (tmp_path / name).read_text() == (ROOT / name).read_text(), (
        "run krew/manifest --dist /nonexistent"
    )


@pytest.mark.parametrize("name", MANIFESTS)
def test_a_plugin_is_called_as_its_file_is(name: str) -> None:
    """krew takes the name from the file in the index."""
    plugin = yaml.safe_load((ROOT / name).read_text())["metadata"]["name"]
    assert plugin == ("spy" if name == "plugin.yaml" else Path(name).stem)


def test_an_archive_in_dist_gives_its_checksum(tmp_path: Path) -> None:
    (tmp_path / this_platform().archive).write_bytes(b"archive")
    assert write(tmp_path, tmp_path).returncode == 0
    platforms = yaml.safe_load((tmp_path / "plugin.yaml").read_text())["spec"][
        "platforms"
    ]
    sums = {each["uri"]: each["sha256"] for each in platforms}
    # sha256sum of those seven bytes
    expected = "0eb3e36bfb24dcd9bb1d1bece1531216b59539a8fde17ee80224af0653c92aa3"
    assert sums[this_platform().uri] == expected


def test_a_release_wants_all_six(tmp_path: Path) -> None:
    ended = write(tmp_path, tmp_path, "--complete")
    assert ended.returncode != 0
    assert ended.stderr.count("kubectl-spy_v") == 6

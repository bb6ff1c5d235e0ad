"""Some scenes of the labelled incidents, played again."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tests.core.summary.test_labels import check_label
from tests.e2e.conftest import absent
from tests.e2e.controlplane import missing_binaries
from tools.incidents.scenes import SCENES
from tools.incidents.theatre import theatre

PLAYED = {  # what the recording shows, and what the label says
    "bad-tag-edit": ("ImagePullBackOff", "Deployment"),
    "map-key-removed": ("couldn't find key DB_HOST in ConfigMap", "ConfigMap"),
    "before-image": ("ImagePullBackOff", None),
}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if missing := missing_binaries():
        absent(*missing)
    directory = tmp_path_factory.mktemp("incidents")
    root = tmp_path_factory.mktemp("theatre")
    with theatre(root, directory) as opened:
        scenes = [each for each in SCENES if each.name in PLAYED]
        assert opened.play_all(scenes) == []
    return directory


@pytest.mark.parametrize("name", PLAYED)
def test_a_scene_is_recorded_with_its_cause(recorded: Path, name: str) -> None:
    text, cause = PLAYED[name]
    label = recorded / f"{name}.json"
    check_label(label)
    [failure] = json.loads(label.read_text())["failures"]
    assert failure["name"] == "web"
    assert (failure["by"] or {}).get("kind") == cause
    recording = gzip.decompress(label.with_suffix(".spy.gz").read_bytes()).decode()
    assert text in recording


def test_the_names_of_scenes_differ() -> None:
    names = [each.name for each in SCENES]
    assert len(set(names)) == len(names)

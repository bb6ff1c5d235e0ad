"""What the repository promises about itself."""

from __future__ import annotations

import ast
import os
import re
import shutil
import sys
from configparser import ConfigParser
from pathlib import Path

import click
import pytest
import yaml
from packaging.version import Version

from kubectl_spy import __version__
from kubectl_spy.cli.main import cli
from tests import processes

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "kubectl_spy"
SOURCES = sorted(PACKAGE.rglob("*.py"))
PROGRAMS = [
    f"{folder}/{path.name}"
    for folder in (".ci", "krew", "scripts")
    for path in sorted((ROOT / folder).iterdir())
    if path.is_file() and path.read_bytes().startswith(b"#!")
]
"""What people and CI run in a checkout."""


def manifest() -> dict[str, object]:
    loaded: dict[str, object] = yaml.safe_load((ROOT / "plugin.yaml").read_text())
    return loaded


def test_the_version_is_the_same_in_the_package_and_the_manifests() -> None:
    deployed = yaml.safe_load((ROOT / "deploy" / "kustomization.yaml").read_text())
    assert [each["newTag"] for each in deployed["images"]] == [__version__]
    spec = manifest()["spec"]
    assert isinstance(spec, dict)
    assert spec["version"] == f"v{__version__}"
    for platform in spec["platforms"]:
        assert f"/v{__version__}/" in platform["uri"]


def test_the_manifest_is_one_that_krew_takes() -> None:
    """Rules of sigs.k8s.io/krew/internal/index/validation, v0.4.5."""
    document = manifest()
    assert document["apiVersion"] == "krew.googlecontainertools.github.com/v1alpha2"
    assert document["kind"] == "Plugin"
    spec = document["spec"]
    assert isinstance(spec, dict)
    assert "\n" not in spec["shortDescription"] and len(spec["shortDescription"]) <= 50
    seen = []
    for platform in spec["platforms"]:
        labels = platform["selector"]["matchLabels"]
        assert set(labels) == {"os", "arch"} and labels not in seen
        seen.append(labels)
        assert re.fullmatch(r"[0-9a-f]{64}", platform["sha256"])
        assert re.search(r"\.(zip|tar\.gz)$", platform["uri"])
        assert platform["bin"].endswith(".exe") == (labels["os"] == "windows")
    assert len(seen) == 6


def test_the_changelog_tells_of_this_version_or_of_what_is_to_come() -> None:
    text = (ROOT / "CHANGELOG.md").read_text()
    assert f"## {__version__} (" in text


def test_every_command_is_shown_and_every_long_option_there_exists() -> None:
    pages = (ROOT / "README.md", ROOT / "docs" / "guide.md")
    text = "\n".join(page.read_text() for page in pages)
    assert [name for name in cli.commands if f"kubectl spy {name}" not in text] == []
    options = {
        option
        for command in cli.commands.values()
        for parameter in command.params
        if isinstance(parameter, click.Option)
        for option in parameter.opts
    }
    for line in re.findall(rf"kubectl spy (?:{'|'.join(cli.commands)}) (.*)", text):
        words = line.partition("|")[0].partition("#")[0]
        for option in re.findall(r"(?<!\S)--[a-z-]+", words):
            assert option in options, line


def test_files_know_one_thing() -> None:
    sizes = {str(path): path.read_text().count("\n") for path in SOURCES}
    assert {name: size for name, size in sizes.items() if size > 600} == {}


@pytest.mark.parametrize("page", ["traps.md", "reliability.md"])
def test_the_tests_that_a_table_names_exist(page: str) -> None:
    tests = "".join(path.read_text() for path in (ROOT / "tests").rglob("test_*.py"))
    named = re.findall(
        r"`(test_\w+)`", (ROOT / "docs" / "development" / page).read_text()
    )
    assert len(named) > 30
    assert [name for name in named if f"def {name}(" not in tests] == []


def test_everything_that_is_not_code_is_packaged_too() -> None:
    """A wheel without it would lack it; tests in the repository would not notice."""
    settings = ConfigParser()
    settings.read(ROOT / "setup.cfg")
    packaged = {
        path
        for package, patterns in settings["options.package_data"].items()
        for pattern in patterns.split(",")
        for path in ROOT.joinpath(*package.split(".")).glob(pattern.strip())
    }
    there = {
        path
        for path in (ROOT / "kubectl_spy").rglob("*")
        if path.is_file() and path.suffix != ".py" and path.parent.name != "__pycache__"
    }
    assert there - packaged == set()


def test_the_oldest_version_that_is_allowed_is_tested() -> None:
    """Otherwise a bound is a guess: another package needs a newer version."""
    settings = ConfigParser()
    settings.read(ROOT / "setup.cfg")
    extras = settings["options.extras_require"]
    asked = [settings["options"]["install_requires"], extras["review"], extras["mcp"]]
    bounds = re.findall(r"^([\w-]+) >=([\d.]+)", "\n".join(asked), re.M)
    text = (ROOT / "scripts" / "packages" / "oldest.txt").read_text()
    oldest = re.findall(r"^([\w-]+)==(\S+)", text, re.M)
    assert len(bounds) == len("\n".join(asked).split("\n")) - len(asked)
    tested = {(name, Version(version)) for name, version in oldest}
    asked_for = {(name.lower(), Version(bound)) for name, bound in bounds}
    assert asked_for - tested == set()


def test_the_programs_are_found() -> None:
    assert {".ci/run", "krew/build", "scripts/control-plane"} <= {*PROGRAMS}


@pytest.mark.skipif(os.name == "nt", reason="they are POSIX's programs")
@pytest.mark.parametrize("flag", ["--help", "-h"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_that_is_asked_for_help_does_nothing_else(
    tmp_path: Path, program: str, flag: str
) -> None:
    """It has no other program, and a checkout without anything else."""
    for folder in {Path(each).parent for each in PROGRAMS}:
        shutil.copytree(ROOT / folder, tmp_path / folder)
    text = (ROOT / program).read_text()
    if program.startswith(".ci"):
        interpreter = shutil.which("bash")
        first = re.search(r"^# (.*)", text, re.M)
    else:
        interpreter = sys.executable
        first = re.match(r"(.*)", ast.get_docstring(ast.parse(text)) or "")
    before = sorted(tmp_path.rglob("*"))
    ended = processes.run(
        [interpreter, tmp_path / program, flag],
        env={"HOME": str(tmp_path), "PATH": "", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert first and first[1] in " ".join(ended.stdout.split())
    assert re.search(r"\b(takes?|minutes?)\b", ended.stdout)
    assert sorted(tmp_path.rglob("*")) == before

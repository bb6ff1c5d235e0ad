"""Commands that other packages bring: the one of the documentation, and bad ones."""

from __future__ import annotations

import os
import re
import sys
from importlib import import_module
from pathlib import Path

import pytest

from tests.cli.command import Ended, Spy
from tests.recordings import record_stream

DOCUMENT = Path(__file__).parents[2] / "docs/development/extending.md"
TEXT = DOCUMENT.read_text()
BUSIEST = re.search(r"```python\n(.*?)```", TEXT, re.DOTALL)


class Installed:
    """A folder on Python's path, with packages that bring commands."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def bring(self, module: str, code: str, name: str = "") -> None:
        """Install *module* with *code*, which brings the command *name*."""
        (self._root / f"{module}.py").write_text(code)
        about = self._root / f"{module}-1.0.dist-info"
        about.mkdir()
        metadata = f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n"
        (about / "METADATA").write_text(metadata)
        entry = f"{name or module} = {module}:{module}"
        (about / "entry_points.txt").write_text(f"[kubectl_spy.commands]\n{entry}\n")

    def run(self, *words: str) -> Ended:
        """Run `kubectl-spy` with *words*."""
        path = os.pathsep.join([str(self._root), *sys.path])
        return Spy(self._root).run(*words, environ={"PYTHONPATH": path})


@pytest.fixture
def installed(tmp_path: Path) -> Installed:
    return Installed(tmp_path)


def test_the_command_of_the_documentation_runs(
    installed: Installed, tmp_path: Path
) -> None:
    assert BUSIEST is not None
    installed.bring("busiest", BUSIEST[1])
    file = tmp_path / "rollout.spy"
    record_stream("deploy-rollout", file)
    ended = installed.run("busiest", str(file))
    assert (ended.code, ended.err) == (0, "")
    head, first, *rest = ended.out.splitlines()
    assert head == "object,namespace,changes"
    assert first.startswith("deployment.apps/nginx,") and len(rest) == 9
    assert "Of other packages: busiest." in installed.run("help").out
    assert "Which objects change most?" in installed.run("help", "busiest").out


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("raise RuntimeError('no')", "of the package broken cannot be loaded: no"),
        ("broken = 5", "of the package broken is no command"),
        ("", "cannot be loaded: module 'broken' has no attribute 'broken'"),
    ],
)
def test_a_bad_one_ends_with_one_line_that_names_its_package(
    installed: Installed, code: str, told: str
) -> None:
    installed.bring("broken", code)
    ended = installed.run("broken")
    assert ended.code == 1
    (line,) = ended.err.splitlines()
    assert line.startswith("error: ") and told in line
    assert installed.run("ls", "--help").code == 0


def test_a_bug_of_one_is_not_called_ours(installed: Installed) -> None:
    code = "import click\n@click.command()\ndef broken(): [][1]\n"
    installed.bring("broken", code)
    ended = installed.run("broken")
    assert ended.code == 3
    assert ended.err.startswith("error: this is a bug in the package broken: Index")


def test_all_that_is_promised_is_there() -> None:
    rows = re.findall(r"^\| `(kubectl_spy[\w.]+)` \| (.*) \|$", TEXT, re.MULTILINE)
    assert len(rows) > 10
    for name, offers in rows:
        module = import_module(name)
        for each in re.findall(r"`([A-Z]\w+|[a-z]+(?=\())", offers.partition(":")[0]):
            assert hasattr(module, each), (name, each)


def test_ours_wins(installed: Installed) -> None:
    installed.bring("other", "raise RuntimeError", name="ls")
    assert installed.run("ls", "--help").code == 0


def test_a_start_does_not_look_for_them(tmp_path: Path) -> None:
    code = (
        "import sys; from kubectl_spy.cli.main import cli; "
        "cli.main(['ls', '--help'], standalone_mode=False); "
        "assert 'importlib.metadata' not in sys.modules"
    )
    ended = Spy(tmp_path, (sys.executable, "-c", code)).run()
    assert (ended.code, ended.err) == (0, "")

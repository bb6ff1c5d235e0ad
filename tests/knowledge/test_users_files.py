"""Entries in files of users: what they do, and what is said if they are wrong."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kubectl_spy.core.objects import Selection
from kubectl_spy.core.readiness.readiness import readiness
from kubectl_spy.knowledge.kinds import known, makers, use, users
from kubectl_spy.sources.knowledge_files import folders, read_all
from tests.builders import obj, resource
from tests.cli.changing import config_map
from tests.cli.command import Spy
from tests.extras.serve.api_server.server import ApiServer
from tests.recordings import ORIGIN, START, first_list, record

PAGE = Path(__file__).parents[2] / "docs" / "knowledge.md"
WIDGETS = Selection(resource("Widget", "example.org"), "shop")
BLOCKS = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(), re.DOTALL)


def widget(name: str = "w0", **status: Any) -> dict[str, Any]:
    made = {"creationTimestamp": "2026-11-21T15:00:00Z", "generation": 1}
    found = obj("Widget", name, spec={"size": 1}, status=status, metadata=made)
    return found | {"apiVersion": "example.org/v1"}


def recorded(file: Path, *objects: dict[str, Any]) -> str:
    events = first_list(*objects, time=START, selection=WIDGETS)
    record(file, events, selections=[WIDGETS], origin=ORIGIN._replace(owned=True))
    return str(file)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of the user's own files, in a home of its own."""
    made = tmp_path / ".config" / "kubectl-spy" / "knowledge"
    made.mkdir(parents=True)
    return made


@pytest.fixture
def spy(tmp_path: Path) -> Spy:
    return Spy(tmp_path)


@pytest.fixture
def used(folder: Path) -> Iterator[list[str]]:
    """Let the files in *folder* be used in this process. Holds what is said."""
    said: list[str] = []
    use(lambda: read_all([folder], said.append))
    yield said
    use(dict)


def test_the_example_of_the_page_works_as_it_is_written(
    spy: Spy, folder: Path, tmp_path: Path
) -> None:
    file = recorded(tmp_path / "a.spy", widget(phase="Jammed", place="the gearbox"))
    plain = spy.run("trace", "widget/w0", "--from", file)
    assert "jammed at" not in plain.out
    (folder / "widget.yaml").write_text(BLOCKS[0])
    ended = spy.run("trace", "widget/w0", "--from", file)
    assert ended.err == plain.err
    assert "✗ widget.example.org/w0  jammed at the gearbox" in ended.out
    assert "kubectl get widget w0 -n shop -o yaml" in ended.out
    waits = ("status", "widget/w0", "--for", "ready", "--from")
    assert spy.run(*waits, file).code == 1
    well = recorded(tmp_path / "b.spy", widget(phase="Spinning"))
    assert spy.run(*waits, well).code == 0


def test_each_block_of_the_page_is_in_the_form(folder: Path) -> None:
    pytest.importorskip("celpy")
    said: list[str] = []
    for number, block in enumerate(BLOCKS):
        if block.startswith(" "):
            block = f"group: a\nkinds:\n  A{number}:\n{block}"
        (folder / f"{number}.yaml").write_text(block)
    assert read_all([folder], said.append) and said == []


def test_folders_are_named_by_the_environment(
    spy: Spy, folder: Path, tmp_path: Path
) -> None:
    file = recorded(tmp_path / "a.spy", widget(phase="Jammed", place="a"))
    other, third = tmp_path / "other", tmp_path / "third"
    for each, text in ((other, "here"), (third, "there")):
        each.mkdir()
        written = BLOCKS[0].replace("jammed at {status.place}", f"broken {text}")
        (each / "w.yml").write_text(written)
    (folder / "w.yaml").write_text(BLOCKS[0])

    def traced(*paths: Path) -> str:
        value = os.pathsep.join(map(str, paths))
        environ = {"KUBECTL_SPY_KNOWLEDGE": value}
        return spy.run("trace", "widget/w0", "--from", file, environ=environ).out

    assert "✗ widget.example.org/w0  broken here" in traced(other, third)
    assert "✗ widget.example.org/w0  broken there" in traced(third)
    assert "✗ widget.example.org/w0  jammed at a" in traced()
    moved = {"XDG_CONFIG_HOME": str(tmp_path / "else")}
    ended = spy.run("trace", "widget/w0", "--from", file, environ=moved)
    assert "jammed" not in ended.out


def test_without_a_folder_nothing_is_read(tmp_path: Path) -> None:
    assert folders({"XDG_CONFIG_HOME": str(tmp_path)}) == []
    code = (
        "import sys, os; from kubectl_spy.sources import knowledge_files as it; "
        f"it.folders({{'XDG_CONFIG_HOME': {str(tmp_path)!r}}}); "
        "print('yaml' in sys.modules, 'kubectl_spy.knowledge.kinds' in sys.modules)"
    )
    spy = Spy(tmp_path, (sys.executable, "-c", code))
    assert spy.run().out.split() == ["False", "False"]


def test_what_judges_nothing_reads_nothing(spy: Spy, folder: Path) -> None:
    (folder / "bad.yaml").write_text("group: a: b")
    for words in (["version"], ["help"], ["completion", "bash"], ["--help"]):
        assert spy.run(*words).err == ""
    assert spy.run("help", "kinds").err.count("bad.yaml:1:9: it is not YAML") == 1


def test_an_entry_of_the_user_replaces_a_shipped_one(
    folder: Path, used: list[str]
) -> None:
    text = "group: cert-manager.io\nkinds: {Certificate: {health: [{warned: {}}]}}"
    (folder / "a.yaml").write_text(text)
    assert len(known("cert-manager.io", "Certificate").health) == 1
    assert known("cert-manager.io", "Issuer").health
    assert used == []
    assert [each.origin for each in users().values()] == [str(folder / "a.yaml")]


def test_the_makers_of_the_user_come_first(folder: Path, used: list[str]) -> None:
    text = "group: a\nkinds:\n  A:\n    makes: {spec.target: Secret}"
    (folder / "a.yaml").write_text(text)
    found = makers("", "Secret")
    assert found[0] == ("a", "A") and len(found) > 1 and used == []


def test_expressions_judge_as_flux_means_them(folder: Path, used: list[str]) -> None:
    pytest.importorskip("celpy")
    (flux,) = (each for each in BLOCKS if each.startswith("healthCheckExprs"))
    (folder / "a.yaml").write_text(flux)

    def state(**status: Any) -> str:
        return readiness(widget(**status)).state.value

    jammed = [{"type": "Jammed", "status": "True"}]
    assert state(phase="Spinning") == "current"
    assert state(phase="Starting") == "in progress"
    assert state(phase="Starting", conditions=jammed) == "failed"
    assert used == []


NESTED = "[1,2,3,4,5,6,7,8,9].all({}, {})"
SLOW = "true"
for _name in "abcdefg":
    SLOW = NESTED.format(_name, SLOW)
"""An expression that takes an hour."""


def slow_rules(folder: Path, group: str = "example.org", kind: str = "Widget") -> None:
    rules = f"health: [{{failed: {{expression: '{SLOW}'}}}}, {{current: {{}}}}]"
    text = f"group: '{group}'\nkinds: {{{kind}: {{{rules}}}}}"
    (folder / "a.yaml").write_text(text)


def test_an_object_whose_rules_cost_too_much_is_not_called_well(
    spy: Spy, folder: Path, tmp_path: Path
) -> None:
    """The rule that is not computed says that it failed; the next, that it is well."""
    pytest.importorskip("celpy")
    slow_rules(folder)
    file = recorded(tmp_path / "a.spy", widget(phase="Spinning"))
    said = "not judged: the expressions of its entry take too many steps"
    assert f"· widget.example.org/w0  Spinning  {said}" in spy.run("trace", file).out
    assert (
        "widget" in spy.run("summary", file, "-o", "json").out.partition("unjudged")[2]
    )
    ended = spy.run("status", file, "widget/w0", "--for", "ready")
    assert ended.code == 1 and said in ended.err


def test_a_timeout_ends_expressions(spy: Spy, folder: Path, tmp_path: Path) -> None:
    """Each of many objects takes as long as one may, which is a second or two."""
    pytest.importorskip("celpy")
    slow_rules(folder, "", "ConfigMap")
    with ApiServer((), speed=0) as server:
        server.write_kubeconfig(spy.kubeconfig)
        for number in range(400):
            server.put(config_map(number, f"m{number}"))
        live = spy.run("trace", "cm", "--timeout", "3s")
    assert live.code == 124 and live.took < 20, live.err
    slow_rules(folder)
    widgets = [widget(f"w{number}", phase="Spinning") for number in range(400)]
    file = recorded(tmp_path / "a.spy", *widgets)
    ended = spy.run("trace", file, "--timeout", "3s")
    assert ended.code == 124 and ended.took < 20, ended.err


def test_an_expression_says_what_to_install(tmp_path: Path, folder: Path) -> None:
    """The package stands before others in the path, and cannot be imported."""
    (tmp_path / "celpy.py").write_text("raise ImportError('not here')")
    (folder / "a.yaml").write_text(BLOCKS[0])
    flux = next(each for each in BLOCKS if each.startswith("healthCheckExprs"))
    (folder / "b.yaml").write_text(flux)
    spy = Spy(tmp_path)
    paths = os.pathsep.join([str(tmp_path), spy.environ["PYTHONPATH"]])
    ended = spy.run("help", "kinds", "widget", environ={"PYTHONPATH": paths})
    assert ended.out.startswith(f"# from {folder / 'a.yaml'}\n")
    assert ended.err == (
        f"warning: {folder / 'b.yaml'}:4:11: an expression needs one more package: "
        "pip install cel-python, or pipx inject kubectl-spy cel-python; "
        "the file is not used\n"
    )

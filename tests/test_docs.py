"""Pages that are written from the code are as the code is."""

from __future__ import annotations

import re
from collections.abc import Callable
from configparser import ConfigParser
from pathlib import Path

import yaml

from kubectl_spy.cli.main import cli
from kubectl_spy.core.changes.record import Actor, ChangeRecord, ChangeType
from tests.builders import ALL_PODS, PODS
from tests.cli_reference import reference
from tests.findings_page import findings_page
from tests.format_page import format_page

DOCS = Path(__file__).resolve().parent.parent / "docs"
PACKAGE = DOCS.parent / "kubectl_spy"
ARCHITECTURE = DOCS / "development" / "architecture.md"


def test_the_reference_says_what_the_commands_take(
    golden: Callable[[str, str], None],
) -> None:
    golden("../../docs/cli.md", reference())


def test_the_page_of_findings_has_all_codes(
    golden: Callable[[str, str], None],
) -> None:
    golden("../../docs/findings.md", findings_page())


def test_the_page_of_the_format_has_the_members_of_lines(
    golden: Callable[[str, str], None],
) -> None:
    page = (DOCS / "recording-format.md").read_text()
    golden("../../docs/recording-format.md", format_page(page))


def test_the_page_of_the_change_record_has_its_members_and_no_others() -> None:
    text = (DOCS / "change-record.md").read_text()
    rows = re.findall(r"^\| (`.*?`) \|", text, re.MULTILINE)
    told = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    record = ChangeRecord(
        seq=1,
        time=0.0,
        type=ChangeType.ADDED,
        selection=ALL_PODS,
        gvk=PODS.gvk,
        namespace="shop",
        name="web",
        initial=True,
        inferred=True,
        listed=True,
        previous="1",
        since=1.0,
        until=2.0,
        written=1.0,
        actor=Actor("jane", "kubectl", "192.0.2.7"),
        bound=True,
        first=True,
    )
    kinds = [record._replace(type=each) for each in ChangeType]
    kinds.append(record._replace(type=ChangeType.GAP, name=""))
    assert told == {member for each in kinds for member in each.as_json()}


def test_the_files_that_the_architecture_names_exist() -> None:
    named = re.findall(r"`([a-z_/]+/[a-z_]*(?:\.py)?)`", ARCHITECTURE.read_text())
    assert len(named) > 30
    assert [each for each in named if not (PACKAGE / each).exists()] == []


def test_the_layers_of_the_architecture_are_those_of_the_contracts() -> None:
    settings = ConfigParser()
    settings.read(DOCS.parent / "setup.cfg")
    contracts = {
        section["containers"].rpartition(".")[2]: section["layers"].split("\n")[1:]
        for name, section in settings.items()
        if name.startswith("importlinter:contract:") and "containers" in section
    }
    (picture,) = re.findall(
        r"^    __main__\n(?:    .*\n)+", ARCHITECTURE.read_text(), re.M
    )
    drawn: dict[str, list[str]] = {"kubectl_spy": []}
    for line in picture.splitlines():
        layer = re.split(" {2,}", line.strip())[0]
        if line.startswith("     "):
            drawn.setdefault(drawn["kubectl_spy"][-1].split()[-1], []).append(layer)
        else:
            drawn["kubectl_spy"].append(layer)
    assert drawn == {
        name: contracts[name] for name in ("kubectl_spy", "extras", "core")
    }
    folders = {each.parent.name for each in PACKAGE.glob("*/__init__.py")}
    assert folders <= set(re.findall(r"\w+", "\n".join(drawn["kubectl_spy"])))


def test_the_keys_for_k9s_run_commands_that_there_are() -> None:
    plugins = yaml.safe_load((DOCS / "k9s-plugins.yaml").read_text())["plugins"]
    shown = (DOCS / "kubectl-diff.md").read_text()
    for name, plugin in plugins.items():
        assert {"shortCut", "description", "scopes", "command"} <= plugin.keys()
        assert f"| {plugin['shortCut']} |" in shown
        words = " ".join(plugin["args"])
        command = re.search(r"spy,? (\w+)", words)
        assert command is not None and name == f"spy-{command[1]}"
        flags = {flag for each in cli.commands[command[1]].params for flag in each.opts}
        used = re.findall(r"(?<!\S)(--?[a-z][\w-]*)", words.partition("|")[0])
        assert set(used) - {"-c"} <= flags


def test_the_list_of_pages_has_every_page_once() -> None:
    listed = re.findall(
        r"^- \[.*?\]\((.*?)\): ", (DOCS / "README.md").read_text(), re.M
    )
    there = [str(each.relative_to(DOCS)) for each in DOCS.rglob("*.md")]
    assert sorted([*listed, "README.md"]) == sorted(there)


def test_links_between_pages_lead_to_files_and_headings() -> None:
    root = DOCS.parent
    pages = [*root.glob("*.md"), *DOCS.rglob("*.md"), root / "krew/README.md"]
    links = [
        (page, link, heading)
        for page in pages
        for link, heading in re.findall(
            r"\]\(([\w./-]+\.\w+)?(?:#([\w-]+))?\)", page.read_text()
        )
    ]
    assert len([heading for _, _, heading in links if heading]) > 20
    broken = []
    for page, link, heading in links:
        target = page.parent / link if link else page
        if not target.exists() or (heading and heading not in anchors(target)):
            broken.append((page.name, link, heading))
    assert broken == []


def anchors(page: Path) -> set[str]:
    """Return what GitHub calls the headings of *page*."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(), re.M)
    return {re.sub(r"[^\w -]", "", each).lower().replace(" ", "-") for each in titles}

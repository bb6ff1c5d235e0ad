"""`help kinds`: what is known of kinds, and drafts where nothing is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from kubectl_spy.knowledge.kinds import every, kinds_in
from kubectl_spy.sources.yaml_file import read_placed
from tests.cli.command import Spy
from tests.knowledge.widgets import WIDGETS, definition
from tests.sources.api_server import DISCOVERY, Answer, ApiServer, as_json, serve
from tests.sources.connection.kubeconfigs import kubeconfig, write

CRD = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.org"
OBJECTS = "/apis/example.org/v1/widgets"
OF_SHOP = "/apis/example.org/v1/namespaces/shop/widgets"
MINE = """\
group: example.org
docs: https://example.org/widgets
kinds:
  Widget:
    health:
    - failed: {status.phase: Jammed}
    - current: {conditions: {Ready: True}}
"""


@pytest.fixture
def spy(tmp_path: Path) -> Spy:
    return Spy(tmp_path)


def answers(**more: Any) -> dict[str, Answer]:
    """Return the answers of a cluster that has Widgets."""
    row = {
        "resource": "widgets",
        "singularResource": "widget",
        "responseKind": {"group": "example.org", "version": "v1", "kind": "Widget"},
        "scope": "Namespaced",
        "verbs": ["list", "watch"],
        "subresources": [{"subresource": "status"}],
    }
    group = {
        "metadata": {"name": "example.org"},
        "versions": [{"version": "v1", "resources": [row]}],
    }
    groups = DISCOVERY["/apis (aggregated)"]
    return {
        "/api": as_json(DISCOVERY["/api (aggregated)"]),
        "/apis": as_json(groups | {"items": [*groups["items"], group]}),
        CRD: as_json(definition()),
        OBJECTS: as_json({"items": WIDGETS}),
        **more,
    }


@pytest.fixture
def cluster(spy: Spy) -> Iterator[ApiServer]:
    with serve(answers()) as api:
        write(spy.kubeconfig, kubeconfig({"server": api.url}, namespace="shop"))
        yield api


def refused(what: str) -> Answer:
    said = {"kind": "Status", "code": 403, "reason": "Forbidden", "message": what}
    return Answer(403, as_json(said).body)


def test_the_list_fits_and_begins_with_the_users_kinds(
    spy: Spy, tmp_path: Path
) -> None:
    (tmp_path / "w.yaml").write_text(MINE)
    environ = {"KUBECTL_SPY_KNOWLEDGE": str(tmp_path)}
    ended = spy.run("help", "kinds", environ=environ)
    assert (ended.code, ended.err) == (0, "")
    lines = ended.out.splitlines()
    assert max(map(len, lines)) <= 100
    assert lines[0] == f"from {tmp_path}/w.yaml:"
    assert lines[1].split() == ["example.org", "Widget"]
    assert lines[2] == "from kubectl-spy:"
    words = set(re.findall(r"[\w.*-]+", ended.out))
    missing = {kind for _, kind, _ in every() if kind != "*"} - words
    assert missing == set()
    assert "Certificate" in words and "cert-manager.io" in words


@pytest.mark.parametrize(
    "word",
    ["widgets.example.org", "Widget.example.org", "widget.example.org", "widgets"],
)
def test_an_entry_is_printed_with_its_origin(
    spy: Spy, tmp_path: Path, word: str
) -> None:
    (tmp_path / "w.yaml").write_text(MINE)
    environ = {"KUBECTL_SPY_KNOWLEDGE": str(tmp_path)}
    ended = spy.run("help", "kinds", word, environ=environ)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith(f"# from {tmp_path}/w.yaml\n")
    assert yaml.safe_load(ended.out) == yaml.safe_load(MINE)


def test_a_kind_of_several_groups_has_several_entries(spy: Spy) -> None:
    ended = spy.run("help", "kinds", "clusters")
    assert len({each["group"] for each in yaml.safe_load_all(ended.out)}) > 1


def test_the_entry_of_all_kinds_of_a_group_counts(spy: Spy) -> None:
    ended = spy.run("help", "kinds", "buckets.s3.services.k8s.aws")
    assert list(yaml.safe_load(ended.out)["kinds"]) == ["*"]


def test_what_is_printed_of_shipped_entries_means_the_same(
    spy: Spy, tmp_path: Path
) -> None:
    for word in ("certificates.cert-manager.io", "kafkas.kafka.strimzi.io", "pods"):
        ended = spy.run("help", "kinds", word)
        file = tmp_path / "again.yaml"
        file.write_text(ended.out)
        ((of, entry),) = kinds_in(read_placed(file).data, "").items()
        (known,) = (each for group, kind, each in every() if (group, kind) == of)
        assert entry.docs == known.docs
        for member in ("conditions", "references", "makes", "owns"):
            assert getattr(entry, member) == getattr(known, member)
        assert [rule._replace(tests=()) for rule in entry.health] == [
            rule._replace(tests=()) for rule in known.health
        ]


def test_a_draft_comes_from_the_definition_and_the_objects(
    spy: Spy, cluster: ApiServer, golden: Any
) -> None:
    ended = spy.run("help", "kinds", "widgets.example.org")
    assert (ended.code, ended.err) == (0, "")
    golden("draft.yaml", ended.out)
    assert "hunter2" not in ended.out and "db.example" not in ended.out
    (asked,) = (each for each in cluster.requests if each.path == OBJECTS)
    assert asked.query["limit"] == ["50"]
    for word in ("widget.example.org", "Widget.example.org"):
        assert spy.run("help", "kinds", word).out == ended.out
    assert list(kinds_in(yaml.safe_load(ended.out), "")) == [("example.org", "Widget")]


def test_a_draft_says_what_it_lacks(spy: Spy) -> None:
    more = {CRD: refused("crds"), OBJECTS: refused("all"), OF_SHOP: as_json({})}
    with serve(answers(**more)) as api:
        write(spy.kubeconfig, kubeconfig({"server": api.url}, namespace="shop"))
        ended = spy.run("help", "kinds", "widgets.example.org")
        assert ended.code == 0
        assert ended.err.startswith("note: the draft lacks its definition: ")
        assert ended.err.count("\n") == 1
        assert "# A draft for Widget, from 0 objects in the cluster." in ended.out
        assert "# No condition, and no word such as a phase, was found." in ended.out
        api.answers[OF_SHOP] = refused("shop")
        ended = spy.run("help", "kinds", "widgets.example.org")
        assert "note: the draft lacks objects: " in ended.err and ended.code == 0


def test_without_a_cluster_one_line_says_what_to_do(spy: Spy) -> None:
    ended = spy.run("help", "kinds", "widgets.example.org")
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.startswith(
        "error: nothing is known of widgets.example.org, and nothing can be drafted: "
        "no kubeconfig: looked for "
    )
    assert ended.err.endswith("set KUBECONFIG, or use --kubeconfig or --server\n")


def test_a_type_that_is_not_there_is_told(spy: Spy, cluster: ApiServer) -> None:
    ended = spy.run("help", "kinds", "widgts.example.org")
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.endswith(
        'the server has no resource type "widgts.example.org"; did you mean widgets?\n'
    )


def test_kinds_is_no_command_and_takes_one_kind(spy: Spy) -> None:
    assert spy.run("kinds").code == 2
    ended = spy.run("help", "kinds", "a", "b")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == (
        "error: help kinds takes one kind; write widgets.example.org\n"
    )

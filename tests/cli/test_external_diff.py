"""`diff` of two directories: what `kubectl diff` runs, as the tests of e2e do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from tests.builders import manifest, pod
from tests.cli.command import Ended, Spy

APP = {"spec": {"containers": [{"name": "app", "image": "web:1.0"}]}}
DEPLOYMENT = manifest(
    "Deployment", metadata={"generation": 3}, spec={"replicas": 3, "template": APP}
)
SECRET = manifest("Secret", "db", None)


class Directories:
    """The directories that kubectl makes: what is there, and what would be there."""

    def __init__(self, spy: Spy, root: Path) -> None:
        self._spy = spy
        self.live, self.merged = root / "LIVE-1", root / "MERGED-1"
        for each in (self.live, self.merged):
            each.mkdir()

    def write(self, name: str, live: str = "", merged: str = "") -> None:
        (self.live / name).write_text(live)
        (self.merged / name).write_text(merged)

    def add(self, live: object, merged: object) -> None:
        """Add an object; None if it is not there."""
        texts = (
            "" if each is None else yaml.safe_dump(each) for each in (live, merged)
        )
        self.write(f"v1.X.shop.{len(list(self.live.iterdir()))}", *texts)

    def diff(self, *flags: str) -> Ended:
        """Run what kubectl runs: it names the directories first."""
        names = str(self.live), str(self.merged)
        return self._spy.run(*names, "diff", *flags)


@pytest.fixture
def directories(spy: Spy, tmp_path: Path) -> Directories:
    return Directories(spy, tmp_path)


def test_plain_words_are_read_as_kubectl_reads_them(directories: Directories) -> None:
    """`kubectl apply --dry-run=client -o json` of v1.36 says so."""
    read = {
        "22:30": "22:30",
        "2222:22": "2222:22",
        "190:20:30.15": "190:20:30.15",
        "2024-01-02": "2024-01-02",
        "=": "=",
        "1e3": 1000,
        "1_000.5": 1000.5,
        "-.5": -0.5,
        "0644": 420,
        "0o644": 420,
        "-012": -10,
        "09": 9,
        "0X1F": 31,
        "-0b1": -1,
        "0b12": "0b12",
        "0x": "0x",
        "y": True,
        "Off": False,
        "oN": "oN",
    }
    named = "kind: X\nmetadata: {name: a}\n"
    directories.write("X", named, f"{named}read: [{', '.join(read)}]\n")
    (operation,) = json.loads(directories.diff("-o", "jsonpatch").out)
    assert operation["value"] == list(read.values())
    assert [type(each) is bool for each in operation["value"]] == [
        type(each) is bool for each in read.values()
    ]


def test_each_object_is_compared_folded(directories: Directories) -> None:
    changed = json.loads(json.dumps(DEPLOYMENT))
    changed["spec"]["replicas"], changed["metadata"]["generation"] = 5, 4
    directories.add(DEPLOYMENT, changed)
    directories.add(pod("same"), pod("same"))
    directories.add(None, pod("new"))
    directories.add(pod("old"), None)
    ended = directories.diff()
    assert (ended.code, ended.err) == (1, "")
    assert ended.out.splitlines() == [
        "~ deployment.apps/web -n shop  replicas 3 → 5",
        "  replace  /spec/replicas  3 → 5",
        "  … 1 more: generations (--full)",
        "- pod/old -n shop",
        "+ pod/new -n shop",
        "  node: node1",
    ]
    full = directories.diff("--full").out
    assert "/metadata/generation" in full and " more" not in full


def test_what_is_alike_is_no_difference(directories: Directories) -> None:
    directories.add(DEPLOYMENT, DEPLOYMENT)
    ended = directories.diff()
    assert (ended.code, ended.out, ended.err) == (0, "", "")


def test_values_of_secrets_are_masked(directories: Directories) -> None:
    before, after = (
        {**SECRET, "data": {"password": password, "same": "c2FtZQ=="}}
        for password in ("aHVudGVyMg==", "bmV3")
    )
    directories.add(before, after)
    directories.add(None, after)
    ended = directories.diff()
    assert "/data/password" in ended.out and "/data/same" not in ended.out
    assert "  keys: password, same" in ended.out
    assert "aHVudGVyMg==" not in ended.out and "bmV3" not in ended.out


def test_nothing_of_an_object_reaches_the_terminal_unescaped(
    directories: Directories,
) -> None:
    changed = {**pod("web"), "spec": {"image": "\x1b[2Jweb"}}
    directories.add({**pod("web"), "spec": {"image": "web:1.0"}}, changed)
    ended = directories.diff()
    assert "~ pod/web -n shop" in ended.out
    assert "\x1b[2J" not in ended.out and "LIVE-1" not in ended.out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: [", "cannot be used"),
        ("- 1", "something else than a Kubernetes object"),
        ("kind: Pod", "has no metadata.name"),
        ("kind: Pod\nmetadata: {name: a}\nx: &a [*a]", "contains itself"),
        ("kind: Pod\nmetadata: {name: a}\nx: !!binary aGk=", "JSON does not have"),
        ("kind: Pod\nmetadata: {name: a}\nx: .nan", "JSON does not have"),
        ("kind: Pod\nmetadata: {name: a}\nx: {1: a}", "JSON does not have"),
        ("kind: Pod\n---\nkind: Pod", "more than one document"),
        ("[" * 200, "nested too deeply"),
    ],
)
def test_what_is_no_object_is_said_in_one_line(
    directories: Directories, text: str, said: str
) -> None:
    directories.write("v1.X.shop.a", "", text)
    ended = directories.diff()
    assert ended.code == 2 and said in ended.err
    assert ended.err.startswith("error: ") and ended.err.count("\n") == 1


def test_other_words_than_two_directories_are_refused(
    spy: Spy, tmp_path: Path, directories: Directories
) -> None:
    one = spy.run("diff", str(tmp_path))
    assert one.code == 1 and "is a directory" in one.err
    file = tmp_path / "a.yaml"
    file.write_text("")
    manifests = spy.run("diff", str(file), str(file))
    assert manifests.code == 1 and "is no recording" in manifests.err
    who = directories.diff("-o", "wide")
    assert who.code == 2 and "are for recordings" in who.err

"""`diff a.yaml b.yaml`: manifests are compared object by object."""

from __future__ import annotations

import json
import os
import random
import threading
from pathlib import Path

import jsonpatch
import pytest
import yaml

from tests.builders import pod
from tests.cli.command import Spy

DEPLOYMENT = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web", "namespace": "shop", "generation": 3},
    "spec": {
        "replicas": 3,
        "template": {"spec": {"containers": [{"name": "app", "image": "web:1.0"}]}},
    },
}


def written(file: Path, *documents: object) -> str:
    file.write_text(yaml.safe_dump_all(documents))
    return str(file)


def test_plain_words_are_read_as_kubectl_reads_them(spy: Spy, tmp_path: Path) -> None:
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
    file = tmp_path / "a.yaml"
    words = ", ".join(read)
    file.write_text(f"kind: X\nmetadata: {{name: a}}\nread: [{words}]\n")
    other = written(tmp_path / "b.yaml", {"kind": "X", "metadata": {"name": "a"}})
    ended = spy.run("diff", other, str(file), "-o", "jsonpatch")
    (operation,) = json.loads(ended.out)
    assert operation["value"] == list(read.values())
    assert [type(each) is bool for each in operation["value"]] == [
        type(each) is bool for each in read.values()
    ]


def test_objects_are_found_by_their_names(spy: Spy, tmp_path: Path) -> None:
    changed = json.loads(json.dumps(DEPLOYMENT))
    changed["spec"]["replicas"], changed["metadata"]["generation"] = 5, 4
    before = written(tmp_path / "a.yaml", DEPLOYMENT, pod("old"), pod("same"))
    after = written(
        tmp_path / "b.yaml",
        {"apiVersion": "v1", "kind": "List", "items": [pod("same"), pod("new")]},
        None,
        changed,
    )
    ended = spy.run("diff", before, after)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.splitlines() == [
        "~ deployment.apps/web -n shop  replicas 3 → 5",
        "  replace  /spec/replicas  3 → 5",
        "  … 1 more: generations (--full)",
        f"- pod/old -n shop  only in {before}",
        f"+ pod/new -n shop  only in {after}",
        "  node: node1",
    ]
    assert spy.run("diff", before, after, "--exit-code").code == 1
    same = spy.run("diff", before, before, "--exit-code")
    assert (same.code, same.out) == (0, "")
    full = spy.run("diff", before, after, "--full").out
    assert "/metadata/generation" in full and " more" not in full


def test_two_objects_are_a_pair_whatever_their_names(spy: Spy, tmp_path: Path) -> None:
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "one"},
        "data": {"password": "aHVudGVyMg==", "same": "c2FtZQ=="},
    }
    other = {**secret, "metadata": {"name": "two"}}
    other["data"] = {"password": "bmV3", "same": "c2FtZQ=="}
    files = [
        written(tmp_path / f"{n}.yaml", each) for n, each in enumerate((secret, other))
    ]
    ended = spy.run("diff", *files, "-o", "jsonpatch")
    paths = sorted(step["path"] for step in json.loads(ended.out))
    assert paths == ["/data/password", "/metadata/name"]
    assert "aHVudGVyMg==" not in ended.out and "bmV3" not in ended.out


@pytest.mark.parametrize("seed", range(6))
def test_the_patch_applies(spy: Spy, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    objects = []
    for _ in range(2):
        each = json.loads(json.dumps(DEPLOYMENT))
        names = chance.sample("abcdef", 3)
        each["spec"]["template"]["spec"]["containers"] = [
            {"name": name, "image": f"web:{chance.randrange(3)}"} for name in names
        ]
        each["metadata"]["annotations"] = {"on": "yes", "day": "2026-01-01"}
        objects.append(each)
    files = [written(tmp_path / f"{n}.yaml", each) for n, each in enumerate(objects)]
    patch = json.loads(spy.run("diff", *files, "-o", "jsonpatch").out)
    assert jsonpatch.apply_patch(objects[0], patch) == objects[1]


def test_a_new_secret_names_all_its_keys(spy: Spy, tmp_path: Path) -> None:
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "db"},
        "data": {"user": "YQ=="},
        "stringData": {"password": "hunter2", "user": "root"},
    }
    before = written(tmp_path / "a.yaml", DEPLOYMENT)
    ended = spy.run("diff", before, written(tmp_path / "b.yaml", DEPLOYMENT, secret))
    assert ended.out.splitlines()[1] == "  keys: user, password"
    assert "hunter2" not in ended.out


def test_directories_and_standard_input(spy: Spy, tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for each in (one, other):
        each.mkdir()
        (each / "README.md").write_text("no: [manifest")
    written(one / "web.yaml", DEPLOYMENT)
    (other / "all.json").write_text(json.dumps({**DEPLOYMENT, "spec": {"replicas": 4}}))
    ended = spy.run("diff", str(one), str(other))
    assert "replicas 3 → 4" in ended.out
    with (other / "all.json").open("rb") as given:
        piped = spy.run("diff", str(one / "web.yaml"), "-", stdin=given.fileno())
    assert piped.out == ended.out


def test_subdirectories_are_read_with_recursive_only(spy: Spy, tmp_path: Path) -> None:
    for side, replicas in (("one", 3), ("other", 4)):
        deep = tmp_path / side / "apps" / "web"
        deep.mkdir(parents=True)
        (deep / "README.md").write_text("no: [manifest")
        changed = {**DEPLOYMENT, "spec": {"replicas": replicas}}
        (deep / "web.json").write_text(json.dumps(changed))
    one, other = str(tmp_path / "one"), str(tmp_path / "other")
    flat = spy.run("diff", one, other, "--exit-code")
    assert flat.code == 0 and flat.out == ""
    assert flat.err == "".join(
        f"note: left out 1 manifest in subdirectories of {each}: see -R\n"
        for each in (one, other)
    )
    for flag in ("-R", "--recursive"):
        deep_too = spy.run("diff", one, other, "--exit-code", flag)
        assert deep_too.code == 1 and "replicas 3 → 4" in deep_too.out
        assert deep_too.err == ""


def test_recursive_is_refused_for_recordings(spy: Spy, directory: Path) -> None:
    file = str(directory / "pod-crashloop.spy")
    for words in (("first", "last"), (file,)):
        ended = spy.run("diff", file, *words, "-R")
        assert ended.err.startswith("error: -R is for directories of manifests")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: [", "cannot be used"),
        ("- 1", "something else than Kubernetes objects"),
        ("kind: Pod", "has no metadata.name"),
        ("kind: Pod\nmetadata: {name: a}\nx: &a [*a]", "contains itself"),
        ("kind: Pod\nmetadata: {name: a}\nx: !!binary aGk=", "JSON does not have"),
        ("kind: Pod\nmetadata: {name: a}\nx: .nan", "JSON does not have"),
        ("[" * 200, "nested too deeply"),
        ("kind: Pod\nmetadata: {name: a}\nkind: Job", "has a key twice, line 3"),
        ('kind: Pod\nmetadata: {name: a, "name": b}', "has a key twice, line 2"),
        ('{"seq":1,"time":', "is a recording, and not a manifest"),
    ],
)
def test_what_is_no_manifest_is_said_in_one_line(
    spy: Spy, tmp_path: Path, text: str, said: str
) -> None:
    good = written(tmp_path / "good.yaml", DEPLOYMENT)
    bad = tmp_path / "bad.yaml"
    bad.write_text(text)
    for flags, code in (((), 1), (("--external",), 2), (("--exit-code",), 2)):
        ended = spy.run("diff", good, str(bad), *flags)
        assert ended.code == code and said in ended.err
        assert ended.err.startswith("error: ") and ended.err.count("\n") == 1


def test_the_same_value_may_be_under_two_keys(spy: Spy, tmp_path: Path) -> None:
    given = tmp_path / "a.yaml"
    given.write_text(
        "kind: Pod\nmetadata: {name: a, labels: &x {app: name}}\n"
        "spec: {a: {name: name}, b: [name, name], name: x}\nother: {<<: *x, app: app}"
    )
    ended = spy.run("diff", str(given), str(given), "--exit-code")
    assert (ended.code, ended.out, ended.err) == (0, "", "")


def test_an_object_that_is_there_twice_is_said(spy: Spy, tmp_path: Path) -> None:
    twice = written(tmp_path / "a.yaml", pod("web"), DEPLOYMENT, pod("web"))
    ended = spy.run("diff", twice, written(tmp_path / "b.yaml", pod("web"), DEPLOYMENT))
    assert (ended.code, ended.out) == (0, "")
    assert ended.err == (
        f"warning: {twice} has pod/web -n shop twice: the last one counts\n"
    )


def test_two_pipes_are_manifests(spy: Spy, tmp_path: Path) -> None:
    both = tmp_path / "one", tmp_path / "other"
    for each in both:
        os.mkfifo(each)
    texts = (json.dumps({**DEPLOYMENT, "spec": {"replicas": n}}) for n in (3, 4))
    writers = [
        threading.Thread(target=each.write_text, args=[text])
        for each, text in zip(both, texts, strict=True)
    ]
    for writer in writers:
        writer.start()
    ended = spy.run("diff", *map(str, both), "--exit-code")
    for writer in writers:
        writer.join()
    assert ended.code == 1 and "replicas 3 → 4" in ended.out
    twice = spy.run("diff", "-", "-")
    assert twice.code == 2 and "standard input is one manifest" in twice.err


def test_kubectl_names_the_directories_first(spy: Spy, tmp_path: Path) -> None:
    one, other = tmp_path / "LIVE-1", tmp_path / "MERGED-1"
    for each, image in ((one, "web:1.0"), (other, "\x1b[2Jweb")):
        each.mkdir()
        written(each / "v1.Pod.shop.web", {**pod("web"), "spec": {"image": image}})
    (one / "v1.Pod.shop.new").write_text("")
    written(other / "v1.Pod.shop.new", pod("new"))
    ended = spy.run(str(one), str(other), "diff", "--external")
    assert ended.code == 1 and ended.err == ""
    assert "~ pod/web -n shop" in ended.out and "+ pod/new -n shop\n" in ended.out
    assert "\x1b[2J" not in ended.out and "LIVE-1" not in ended.out

"""-n decides what is shown and recorded, also of a recording of everything."""

from __future__ import annotations

import json
from contextlib import closing
from math import inf
from pathlib import Path
from typing import Any

import pytest

from kubectl_spy.extras.review.session import Session
from kubectl_spy.sources.recording.index import Index
from tests.builders import config_map, manifest, node
from tests.cli.command import Spy
from tests.cli.test_everything import failed
from tests.extras.serve.api_server.server import ApiServer, Serve
from tests.processes import wait_until

SPACES = ("shop", "other")
HELD = ("web", "data", "n1", "pv-shop", "pv-other")


@pytest.fixture
def shops(serve: Serve) -> ApiServer:
    """Two namespaces, each with a Pod, its claim and its volume; and their node."""
    server = serve(namespace="shop")
    server.put(node("n1"))
    for space in SPACES:
        bound = {"volumeName": f"pv-{space}"}
        server.put(manifest("PersistentVolumeClaim", "data", space, spec=bound))
        held = {"claimRef": {"namespace": space, "name": "data"}}
        server.put(manifest("PersistentVolume", f"pv-{space}", None, spec=held))
        made = failed("web", space)
        mounted = {"name": "data", "persistentVolumeClaim": {"claimName": "data"}}
        made["spec"] |= {"nodeName": "n1", "volumes": [mounted]}
        server.put(made)
        server.put(config_map(f"settings-{space}", space))
    return server


def recorded(spy: Spy, server: ApiServer, *words: str) -> str:
    """Record what is there, and how a node and a volume end. Return the file."""
    file = spy.home / "some.spy"
    with spy.running("record", *words, "-f", str(file)) as running:
        names = {f'"name":"{name}"' for name in ("web", "data", "n1", "pv-shop")}
        wait_until(lambda: all(each in text(file) for each in names))
        server.delete(node("n1"))
        server.delete(manifest("PersistentVolume", "pv-other", None))
        server.put(config_map("last"))
        wait_until(lambda: '"name":"last"' in text(file))
        wait_until(lambda: ended(file, "n1"))
        running.end()
    return str(file)


def ended(file: Path, name: str) -> bool:
    """Return whether the end of an object is recorded."""
    marks = '"type":"DELETED"', f'"name":"{name}"'
    return any(all(map(line.__contains__, marks)) for line in text(file).split("\n"))


def listed(file: Path) -> bool:
    """Return whether all types that are recorded were listed."""
    begun, *answered = (
        text(file).count(f'"type":"{each}"') for each in ("STREAM", "LISTED", "REFUSED")
    )
    return begun == sum(answered)


def text(file: Path) -> str:
    return file.read_text() if file.exists() else ""


def objects(file: str) -> set[tuple[str, str | None, str]]:
    """Return kind, namespace and name of what a recording holds."""
    rows: list[dict[str, Any]] = [
        json.loads(it) for it in text(Path(file)).splitlines()
    ]
    held = [each for each in rows if "object" in each]
    return {(it["kind"], it.get("namespace"), it["name"]) for it in held}


@pytest.mark.parametrize("words", [["-A"], []])
def test_of_a_recording_only_the_namespace_is_shown(
    spy: Spy, shops: ApiServer, words: list[str]
) -> None:
    file = recorded(spy, shops, *words)
    ended = spy.run("changes", file, "-n", "shop", "-o", "json")
    shown = [json.loads(each) for each in ended.out.splitlines()]
    assert {each["name"] for each in shown} == {"web", "data", "settings-shop", "last"}
    assert {each["namespace"] for each in shown} == {"shop"}
    ended = spy.run("changes", file, "-n", "shop")
    assert "node" not in ended.out and "persistentvolume/" not in ended.out
    ended = spy.run("trace", file, "-n", "shop", "--once", "-o", "json")
    roots = json.loads(ended.out)["objects"]
    assert {each.get("namespace") for each in roots} == {"shop"}
    counted = json.loads(spy.run("summary", file, "-n", "shop", "-o", "json").out)
    assert {each["namespace"] for each in counted["failures"]} == {"shop"}


def test_a_cluster_scoped_object_is_shown_if_it_is_named(
    spy: Spy, shops: ApiServer
) -> None:
    file = recorded(spy, shops, "-A")
    ended = spy.run("changes", file, "node/n1", "-n", "shop", "-o", "short")
    assert "DELETED   node/n1" in ended.out


def test_a_recording_of_a_namespace_holds_nothing_of_others(
    spy: Spy, shops: ApiServer
) -> None:
    held = objects(recorded(spy, shops, "-n", "shop"))
    assert {space for _, space, _ in held} == {"shop", None}
    assert {kind for kind, space, _ in held if space is None} == {
        *("Node", "PersistentVolume")
    }


@pytest.mark.parametrize(
    ("words", "there", "said"),
    [
        ([], ("settings-shop", *HELD), "3 objects (and 3 that may explain them)"),
        (["pod/web", "--owned"], ("web", "data"), "2 objects"),
        (["pods,pvc,nodes", "-A"], ("web", "data", "n1"), "5 objects"),
    ],
)
def test_what_is_only_referred_to_is_counted_apart(
    spy: Spy, shops: ApiServer, words: list[str], there: tuple[str, ...], said: str
) -> None:
    file = spy.home / "some.spy"
    with spy.running("record", *words, "-f", str(file)) as running:
        names = [f'"name":"{each}"' for each in there]
        wait_until(lambda: all(each in text(file) for each in names) and listed(file))
        ended = running.end()
    assert f"recorded to {file}: {said} at the end, 0 changes, " in ended.err
    head = spy.run("ls", str(file)).out.splitlines()[1]
    assert head == f"{said}, 0 changes, no lines missing"
    with closing(Index(str(file))) as index:
        session = Session(index)
        while session.grow(inf):
            pass
        assert session.counted == said
    one = spy.run("ls", str(file), "pvc", "-n", "shop").out.splitlines()[1]
    assert one == "1 object, 0 changes, no lines missing"

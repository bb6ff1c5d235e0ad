"""Serves the objects of a case, and runs commands on them.

A case is a stream of YAML documents, whole objects. Members that begin with `x-` say
how to serve one: `x-step` (seconds after the start), `x-deleted`, `x-plural`,
`x-short`, `x-nostatus`. A document with only `x-kinds` adds kinds without objects.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import yaml

from kubectl_spy.extras.serve.api_server.api import Api
from kubectl_spy.extras.serve.api_server.cluster import Collection
from kubectl_spy.extras.serve.api_server.discovery import Discovery
from kubectl_spy.extras.serve.api_server.player import Player
from kubectl_spy.extras.serve.api_server.server import ApiServer
from tests.cli.command import Ended, Spy, wait_for_file, wait_for_lists
from tests.extras.serve.api_server.cluster import Cluster
from tests.extras.serve.api_server.streams import load_document

FOLDER = Path(
    os.environ.get("KUBECTL_SPY_FIELD")
    or Path(__file__).parents[3] / "shared" / "field"
)
_WRITTEN = datetime(2026, 11, 25, 1, 45, tzinfo=timezone.utc)  # when the cases were
_TIME = re.compile(r"(20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?Z")
_VERBS = ["create", "delete", "get", "list", "patch", "update", "watch"]
_FIRST = 100  # the resourceVersion before that of the first object
Document = dict[str, Any]
Step = tuple[float, int, Collection, Document, bool]


class _Loader(yaml.SafeLoader):
    """Leaves times as texts."""

    yaml_implicit_resolvers = {  # noqa: RUF012
        first: [each for each in found if not each[0].endswith(":timestamp")]
        for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


class Field:
    """A case that is served. *spy* runs commands on it."""

    def __init__(self, spy: Spy, cluster: Cluster, steps: list[Step]) -> None:
        self._spy = spy
        self._cluster = cluster
        self._steps = sorted(steps, key=lambda each: each[:2])

    def run(self, *words: str, columns: int = 160) -> Ended:
        """Return what `kubectl spy WORDS` says."""
        self._spy.environ["COLUMNS"] = str(columns)
        return self._spy.run(*words)

    def root(self, *target: str) -> dict[str, Any]:
        """Return what a trace says of an object, as JSON."""
        ended = self.run("trace", *target, "--once", "-o", "json")
        assert ended.code == 0, ended.err
        (found,) = json.loads(ended.out)["objects"]
        return dict(found)

    def record(self, *words: str) -> str:
        """Play the case, and return the file to which it was recorded meanwhile."""
        file = self._spy.home / "case.spy"
        with self._spy.running("record", *words, "-f", str(file)) as running:
            wait_for_lists(file)
            lines = map(json.loads, file.read_text().splitlines())
            streams = [each for each in lines if each["type"] == "STREAM"]
            self.play(lambda *step: _wait_until_recorded(file, streams, *step))
            assert running.end().code == 0
        return str(file)

    def play(self, written: Callable[[Document, int], None] = lambda *_: None) -> None:
        """Write the later versions, one after the other, and call *written* of each."""
        for _, revision, collection, document, gone in self._steps:
            self._cluster.write(collection, document, revision, deleted=gone)
            written(document, revision)


def _wait_until_recorded(
    file: Path, streams: list[Document], document: Document, revision: int
) -> None:
    """Wait until a version is in *file*, if one of its *streams* may bring it.

    So versions of several types are there in the order in which they were written.
    """
    space = document["metadata"].get("namespace")
    for each in streams:
        of = each["apiVersion"], each["kind"]
        here = each.get("namespace", space) == space
        if here and of == (document["apiVersion"], document["kind"]):
            wait_for_file(file, f'"resourceVersion":"{revision}"'.encode())


@contextmanager
def field(name: str, spy: Spy) -> Iterator[Field]:
    """Serve the case that begins with *name*."""
    (path,) = FOLDER.glob(f"{name}-*.yaml")
    by = datetime.now(timezone.utc) - _WRITTEN

    def moved(found: re.Match[str]) -> str:
        moment = datetime.fromisoformat(f"{found[1]}+00:00") + by
        return f"{moment:%Y-%m-%dT%H:%M:%S}{found[2] or ''}Z"

    text = _TIME.sub(moved, path.read_text())
    types = _Types()
    first: list[tuple[Collection, dict[str, Any]]] = []
    steps: list[Step] = []
    revision = _FIRST
    for document in filter(None, yaml.load_all(text, _Loader)):
        for kind in document.get("x-kinds", ()):
            types.add(kind)
        if "x-kinds" in document:
            continue
        how = {key: document.pop(key) for key in list(document) if key[:2] == "x-"}
        revision += 1
        metadata = document["metadata"]
        uid = f"uid-{document['kind']}-{metadata['name']}".lower()
        metadata.setdefault("uid", uid)
        metadata.setdefault("creationTimestamp", moved_back(by))
        metadata["resourceVersion"] = str(revision)
        of = types.add({**document, "namespaced": "namespace" in metadata, **how})
        if "x-step" in how:
            gone = bool(how.get("x-deleted"))
            steps.append((how["x-step"], revision, of, document, gone))
        else:
            first.append((of, document))
    listed = min((each[1] for each in steps), default=revision + 2) - 1
    cluster = Cluster()
    cluster.begin(first, {listed})
    player = Player(cluster.changed, ())
    api = Api(cluster, Discovery(types.documents), on_watch=player.watched)
    with ApiServer(api, player) as server:
        server.write_kubeconfig(spy.kubeconfig, namespace="shop")
        yield Field(spy, cluster, steps)


def moved_back(by: timedelta) -> str:
    """Return the time of creation of objects without one."""
    return f"{datetime(2026, 11, 25, tzinfo=timezone.utc) + by:%Y-%m-%dT%H:%M:%SZ}"


class _Types:
    """The discovery of the demo, and the types of the cases."""

    def __init__(self) -> None:
        self.documents: dict[str, Any] = deepcopy(load_document("discovery"))
        self._plurals = {
            (of["groupVersion"], each["kind"]): each["name"]
            for of in self.documents.values()
            if of.get("kind") == "APIResourceList"
            for each in of["resources"]
            if "/" not in each["name"]
        }

    def add(self, of: dict[str, Any]) -> Collection:
        """Return the collection of a kind, which is served from now on."""
        version, kind = of["apiVersion"], of["kind"]
        if (version, kind) not in self._plurals:
            plural = of.get("x-plural") or of.get("plural") or _plural(kind)
            self._plurals[version, kind] = plural
            self._serve(version, kind, plural, of)
        return Collection(version, self._plurals[version, kind])

    def _serve(self, version: str, kind: str, plural: str, of: dict[str, Any]) -> None:
        group, _, name = version.rpartition("/")
        namespaced = of.get("namespaced", True)
        short = of.get("x-short") or of.get("short") or []
        one: dict[str, Any] = {
            "name": plural,
            "singularName": kind.lower(),
            "kind": kind,
        }
        one |= {"namespaced": namespaced, "verbs": _VERBS, "shortNames": short}
        path = f"/apis/{version}"
        new = path not in self.documents
        plain = self.documents.setdefault(
            path,
            {"kind": "APIResourceList", "groupVersion": version, "resources": []},
        )
        plain["resources"].append(one)
        part = {"group": group, "version": name, "kind": kind}
        shown = {
            "resource": plural,
            "responseKind": part,
            "scope": "Namespaced" if namespaced else "Cluster",
            "singularResource": kind.lower(),
            "verbs": _VERBS,
            "shortNames": short,
        }
        if not of.get("x-nostatus"):
            plain["resources"].append({**one, "name": f"{plural}/status"})
            status = {"subresource": "status", "responseKind": part, "verbs": ["get"]}
            shown["subresources"] = [status]
        known = self.documents["/apis"]["groups"]
        item = {"groupVersion": version, "version": name}
        hit = next((each for each in known if each["name"] == group), None)
        if hit is None:
            known.append({"name": group, "versions": [item], "preferredVersion": item})
        elif new:
            hit["versions"].append(item)
        items = self.documents["/apis (aggregated)"]["items"]
        held = [each for each in items if each["metadata"]["name"] == group]
        if not held:
            held = [{"metadata": {"name": group}, "versions": []}]
            items += held
        versions = held[0]["versions"]
        of_version = [each for each in versions if each["version"] == name]
        if not of_version:
            of_version = [{"version": name, "resources": []}]
            versions += of_version
        of_version[0]["resources"].append(shown)


def _plural(kind: str) -> str:
    word = kind.lower()
    if word == "endpoints":
        return word
    if word.endswith(("s", "x", "ch")):
        return f"{word}es"
    return (
        f"{word[:-1]}ies"
        if word.endswith("y") and word[-2] not in "aeiou"
        else f"{word}s"
    )

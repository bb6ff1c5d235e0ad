"""What a recording holds, as the change records that it must give; no code of ours."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import jsonpatch

from tests.builders import STREAMS, recorded_lines

Record = dict[str, Any]

SENTINEL = "the-end"


class Seen(NamedTuple):
    """One version: what a record says of it, and the document it must lead to."""

    type: str
    uid: str
    resource_version: str
    document: str


class Collection(NamedTuple):
    """A collection of a recording, and all that happened in it."""

    word: str
    """What to type for it: "deployments.apps"."""
    api_version: str
    kind: str
    seen: list[Seen]


def canonical(document: Any) -> str:
    """Return text that is equal exactly for equal JSON: `1` is not `true`."""
    return json.dumps(document, sort_keys=True)


def collections(name: str, *, status: bool) -> list[Collection]:
    """Return what a command must show of each collection of a bundled recording.

    Versions that change nothing of what is shown are not among them.
    """
    found: dict[str, Collection] = {}
    documents: dict[str, str] = {}
    for line in recorded_lines(STREAMS / f"{name}.ndjson.gz"):
        path = line["path"]
        if "list" in line:
            found[path] = _collection(path, line["list"])
        collection = found[path]
        for kind, item in _events(line):
            uid, version = item["metadata"]["uid"], item["metadata"]["resourceVersion"]
            if kind == "DELETED":
                collection.seen.append(Seen(kind, uid, version, "null"))
                continue
            typed = {"apiVersion": collection.api_version, "kind": collection.kind}
            document = canonical(_shown({**typed, **item}, status=status))
            if documents.get(uid) == document:
                continue
            kind = "MODIFIED" if uid in documents else "ADDED"
            documents[uid] = document
            collection.seen.append(Seen(kind, uid, version, document))
    return list(found.values())


def folded(records: list[Record]) -> dict[str, list[Seen]]:
    """Apply every patch, and return what the records say by apiVersion and kind."""
    documents: dict[str, Any] = {}
    seen: dict[str, list[Seen]] = {}
    for record in records:
        uid = record["uid"]
        if record["type"] == "ADDED":
            assert uid not in documents
            documents[uid] = record["object"]
        elif record["type"] == "MODIFIED":
            assert record["patch"]
            documents[uid] = jsonpatch.apply_patch(documents[uid], record["patch"])
        else:
            documents[uid] = None
        seen.setdefault(f"{record['apiVersion']} {record['kind']}", []).append(
            Seen(
                record["type"],
                uid,
                record["resourceVersion"],
                canonical(documents[uid]),
            )
        )
    return seen


def _events(line: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    if "list" in line:
        yield from (("ADDED", item) for item in line["list"]["items"])
    elif line["event"]["type"] != "BOOKMARK":
        yield line["event"]["type"], line["event"]["object"]


def _collection(path: str, listed: dict[str, Any]) -> Collection:
    api_version, kind = listed["apiVersion"], listed["kind"].removesuffix("List")
    group = api_version.rpartition("/")[0]
    plural = path.rpartition("/")[2]
    word = f"{plural}.{group}" if group else plural
    return Collection(word, api_version, kind, [])


def _shown(item: dict[str, Any], *, status: bool) -> dict[str, Any]:
    if status:
        return {name: item[name] for name in ("status",) if name in item}
    noise = ("managedFields", "resourceVersion")
    metadata = {k: v for k, v in item["metadata"].items() if k not in noise}
    return {**item, "metadata": metadata}

"""What an audit log says was written: the truth that a past is compared with."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from kubectl_spy.core.changes.projection import without_noise
from kubectl_spy.core.times import seconds

POLICY = """\
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived, ResponseStarted]
rules:
- level: RequestResponse
  verbs: [create, update, patch, delete, deletecollection]
- level: Metadata
  users: [admin]
  verbs: [get, list, watch]
"""
Object = dict[str, Any]


def flags(root: Path) -> list[str]:
    """Return the flags of an API server that writes an audit log below *root*."""
    root.mkdir(parents=True, exist_ok=True)
    (root / "audit.yaml").write_text(POLICY)
    return [
        f"--audit-policy-file={root / 'audit.yaml'}",
        f"--audit-log-path={root / 'audit.log'}",
    ]


class Written(NamedTuple):
    """One write that changed an object. *document* is None for a deletion."""

    time: float
    verb: str
    resource: str
    name: str
    uid: str
    version: str
    document: Object | None
    """The whole object, or {} where only a subresource of it was answered."""


def written(root: Path, namespace: str) -> list[Written]:
    """Return what was written in *namespace*, without what changed nothing.

    A version in which only managedFields differ changes nothing that anybody is shown.
    """
    found: list[Written] = []
    last: dict[tuple[str, str], Object] = {}
    for event in _events(root / "audit.log"):
        about, answer = event.get("objectRef", {}), event.get("responseObject", {})
        if about.get("namespace") != namespace or event["responseStatus"]["code"] > 299:
            continue
        metadata = answer.get("metadata", {})
        key = about["resource"], about.get("name") or metadata.get("name", "")
        whole = about.get("subresource", "status") == "status" and "spec" in answer
        whole = whole or "data" in answer or answer.get("kind") == "ControllerRevision"
        if event["verb"] == "delete":
            document = None
        elif not metadata.get("uid"):
            continue  # a binding is answered with a Status
        elif whole:
            document = without_noise(answer)
            before, last[key] = last.get(key), document
            if before == document:
                continue
        else:
            document = {}
        found.append(
            Written(
                seconds(event["stageTimestamp"]),
                event["verb"],
                *key,
                metadata.get("uid", ""),
                metadata.get("resourceVersion", ""),
                document,
            )
        )
    return found


class State(NamedTuple):
    """An object after a write of it, by a manager of fields."""

    began: float  # when the write was asked for
    time: float  # when it was answered
    manager: str
    document: Object


def states(root: Path) -> dict[str, list[State]]:
    """Return the states of each object, by uid."""
    found: defaultdict[str, list[State]] = defaultdict(list)
    for event in _events(root / "audit.log"):
        answer = event.get("responseObject", {})
        uid = answer.get("metadata", {}).get("uid")
        if not uid or event["responseStatus"]["code"] > 299:
            continue
        if answer["kind"] == "Scale":
            if not found[uid]:
                continue
            document = deepcopy(found[uid][-1].document)
            document["spec"]["replicas"] = answer["spec"].get("replicas", 0)
        else:
            document = answer
        query = parse_qs(urlsplit(event["requestURI"]).query)
        agent = event.get("userAgent", "").partition("/")[0]
        began, time = (event[f"{it}Timestamp"] for it in ("requestReceived", "stage"))
        manager = query.get("fieldManager", [agent])[0]
        found[uid].append(State(seconds(began), seconds(time), manager, document))
    return found


def asked(root: Path, after: float) -> list[str]:
    """Return what was read after a time: the paths that kubectl-spy asked for."""
    return [
        event["requestURI"]
        for event in _events(root / "audit.log")
        if event["verb"] in ("get", "list", "watch")
        and event.get("userAgent", "").startswith("kubectl-spy")
        and seconds(event["requestReceivedTimestamp"]) >= after
    ]


def _events(log: Path) -> Iterator[Object]:
    for line in log.read_bytes().splitlines():
        yield json.loads(line)

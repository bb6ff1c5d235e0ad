"""Sends the same requests to two servers, and compares what they answer."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from tools.conformance.both import Answer, Server
from tools.conformance.requests import PROTOBUF, Asked

_AGE = re.compile(r"\b(?:[0-9]+[smhdy])+\b")
_NUMBERS = re.compile(r"\b[0-9]+ \([0-9]+\)|: [0-9]+, current: [0-9]+")


@dataclass(frozen=True)
class Difference:
    """What two servers answered."""

    asked: Asked
    real: str
    ours: str

    @property
    def statuses(self) -> tuple[str, str]:
        """What the real and our server answered."""
        return self.real[:3], self.ours[:3]

    @property
    def reason(self) -> str:
        """Why they differ, or "" if nobody knows."""
        found = (why for why, explains in EXPLAINED.items() if explains(self))
        return next(found, "")

    def __str__(self) -> str:
        lines = difflib.unified_diff(
            self.real.splitlines(),
            self.ours.splitlines(),
            "real",
            "ours",
            n=1,
            lineterm="",
        )
        return "\n".join([self.asked.name, *lines])


def differences(
    real: Server, ours: Server, requests: Iterable[Asked]
) -> list[Difference]:
    """Return the requests that the servers answer differently."""

    def compared(asked: Asked) -> Difference:
        return Difference(asked, shown(real, asked), shown(ours, asked))

    with ThreadPoolExecutor(16) as pool:
        return [each for each in pool.map(compared, requests) if each.real != each.ours]


def shown(server: Server, asked: Asked) -> str:
    """Return what *server* answers, without what differs by nature."""
    path = asked.path
    base = path.partition("?")[0]
    if "{rv}" in path:
        listed = json.loads(server.ask(base).body)
        path = path.replace("{rv}", listed["metadata"]["resourceVersion"])
    if "{old}" in path:
        path = path.replace("{old}", _old(server, base))
    if "{token}" in path:
        listed = json.loads(server.ask(f"{base}?limit=2").body)
        path = path.replace("{token}", listed["metadata"].get("continue", ""))
    answer = server.ask(path, asked.accept, asked.method)
    kind = answer.content_type.partition(";")[0]
    return f"{answer.status} {kind}\n{_text(answer)}"


def _old(server: Server, base: str) -> str:
    """Return the resourceVersion of the object that was written first."""
    items = json.loads(server.ask(base).body)["items"]
    return str(min(int(each["metadata"]["resourceVersion"]) for each in items))


def _text(answer: Answer) -> str:
    try:
        documents = [json.loads(answer.body)]
    except ValueError:
        try:
            documents = [json.loads(line) for line in answer.body.splitlines()]
        except ValueError:
            return answer.body.decode(errors="replace")
    documents = [each for each in documents if not _is_bookmark(each)]
    shown = [json.dumps(normal(each), indent=1, sort_keys=True) for each in documents]
    return "\n".join(shown)


SOMETIMES = "a page of Events"
"""It depends on the Events that the real server wrote itself."""

EXPLAINED: dict[str, Callable[[Difference], bool]] = {
    "message of an invalid selector": lambda it: (
        "elector=" in it.asked.path and it.statuses == ("400", "400")
    ),
    "message of an invalid continue token": lambda it: (
        "continue=nonsense" in it.asked.path and it.statuses == ("400", "400")
    ),
    "before the recording": lambda it: "resourceVersion=1" in it.asked.path,
    "table is one page": lambda it: (
        "as=Table" in it.asked.accept
        and "limit=" in it.asked.path
        and it.statuses == ("200", "200")
    ),
    "Only JSON": lambda it: it.asked.accept.startswith(PROTOBUF),
    SOMETIMES: lambda it: "/events?limit" in it.asked.path,
    "/api/v1/watch/": lambda it: it.asked.path.startswith("/api/v1/watch/"),
}
"""Why servers may differ, by words that docs/serve.md says it with."""


def _without_generation(metadata: dict[str, Any]) -> None:
    """Leave out an annotation that tables of DaemonSets do not have."""
    notes = metadata.get("annotations", {})
    notes.pop("deprecated.daemonset.template.generation", None)
    if notes == {}:
        metadata.pop("annotations", None)


def _is_bookmark(document: Any) -> bool:
    """Return whether it only says how far a watch has come, which is by time."""
    if not isinstance(document, dict) or document.get("type") != "BOOKMARK":
        return False
    return "annotations" not in document["object"]["metadata"]


def normal(document: Any) -> Any:
    """Return *document* without what differs by nature."""
    if isinstance(document, list):
        return [normal(each) for each in document]
    if not isinstance(document, dict):
        return document
    found = {name: normal(each) for name, each in document.items()}
    metadata = found.get("metadata")
    if isinstance(metadata, dict):
        metadata.pop("managedFields", None)
        _without_generation(metadata)
        if "uid" not in metadata and "resourceVersion" in metadata:
            metadata["resourceVersion"] = "RV"  # of a list or bookmark
        if metadata.get("continue"):
            metadata["continue"] = "TOKEN"
    for column in found.get("columnDefinitions") or ():
        column.pop("description")
    if "cells" in found:
        found["cells"] = [
            _AGE.sub("AGE", each) if isinstance(each, str) else each
            for each in found["cells"]
        ]
    if found.get("type") == "BOOKMARK":
        members = ("kind", "apiVersion", "metadata")
        found["object"] = {name: found["object"].get(name) for name in members}
    for name in ("rows", "items"):
        if name in found and found[name] is None:
            found[name] = []  # Go writes both for none
    if found.get("kind") == "Status":
        message = _NUMBERS.sub("N", found.get("message", ""))
        message = re.sub(r"\bapplication/json.*", "MEDIA", message)
        found["message"] = re.sub(r" \(\*\S+\)$", "", message)
    return found

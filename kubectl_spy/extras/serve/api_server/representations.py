"""How a client wants objects: whole, their metadata only, or as a table.

https://kubernetes.io/docs/reference/using-api/api-concepts/#alternate-representations-of-resources
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from kubectl_spy.core.fields import mapping, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.extras.serve.api_server.cluster import Object
from kubectl_spy.extras.serve.api_server.exchange import (
    Refused,
    failure,
    json_answer,
    status_object,
)
from kubectl_spy.extras.serve.api_server.tables.columns import Columns

_META = "meta.k8s.io"
_ACCEPTED = "application/json"
_COMPLETED = {
    "Succeeded": "The pod has completed successfully.",
    "Failed": "The pod failed.",
}
_INCLUDES = ("", "None", "Metadata", "Object")


@dataclass(frozen=True, slots=True)
class Wanted:
    """A kind of representation that a client accepts."""

    kind: str = ""  # Table, PartialObjectMetadata, its List, or "" for whole objects
    version: str = ""

    @property
    def api_version(self) -> str:
        return f"{_META}/{self.version}"


def wanted_by(accept: str, *, watches: bool) -> Wanted:
    """Return the first representation that *accept* names, or raise Refused.

    Only JSON is served. A real server also has YAML and protobuf.
    """
    known = False
    for clause in accept.split(",") if accept.strip() else ["*/*"]:
        media, *given = (each.strip() for each in clause.split(";"))
        if media not in ("application/json", "*/*"):
            continue
        known = True
        values = dict(each.partition("=")[::2] for each in given)
        kind = values.get("as", "")
        if not kind:
            return Wanted()
        if values.get("g") == _META and values.get("v") in ("v1", "v1beta1"):
            partial = kind.removesuffix("List") == "PartialObjectMetadata"
            if kind == "Table" or partial:
                return Wanted(kind, values["v"])
    served = f"{_ACCEPTED};stream=watch" if watches else _ACCEPTED
    if known:
        message = f"only the following media types are accepted: {served}"
        raise failure(406, "NotAcceptable", message)
    message = f"406: Not Acceptable\n\nAvailable representations: {served}"
    status = {**status_object(406, "NotAcceptable", message), "details": {}}
    raise Refused(json_answer(status, 406))


def _of_other_number(kind: str, what: str) -> Refused:
    message = f"you requested {kind}, but the requested object is {what}"
    return failure(406, "NotAcceptable", message)


def _without_empty(metadata: dict[str, JSON]) -> dict[str, JSON]:
    return {name: each for name, each in metadata.items() if each != ""}


class Representation:
    """Turns objects into what a client wants. *columns* and *now* are for tables."""

    def __init__(
        self,
        wanted: Wanted,
        query: Mapping[str, str],
        columns: Callable[[], Columns],
        now: Callable[[], float],
    ) -> None:
        self._wanted = wanted
        self._now = now
        self._columns: Columns = columns() if self.is_table else ()
        self._include = query.get("includeObject", "") or "Metadata"
        self._headers = True
        if self.is_table and self._include not in _INCLUDES:
            raise failure(
                400,
                "BadRequest",
                "Unable to convert to Table as requested: includeObject: Invalid "
                f"value: \"{self._include}\": must be 'Metadata', 'Object', "
                "'None', or empty",
            )

    @property
    def is_table(self) -> bool:
        return self._wanted.kind == "Table"

    def one(self, item: Object) -> JSON:
        """Return a single object."""
        if self._wanted.kind == "PartialObjectMetadata":
            return self._partial(item)
        if self.is_table:
            version = text(item, "metadata", "resourceVersion")
            return self._table([item], {"resourceVersion": version})
        if self._wanted.kind:
            raise _of_other_number(self._wanted.kind, "not a list")
        return item

    def event(self, item: Object) -> JSON:
        """Return the object of an event."""
        if item.get("kind") == "Status" and item.get("apiVersion") == "v1":
            return item
        return self.one(item)

    def listed(self, document: Object, items: list[Object]) -> JSON:
        """Return a list; *items* are its objects, with apiVersion and kind."""
        kind = self._wanted.kind
        if kind == "Table":
            return self._table(items, _without_empty(document["metadata"]))
        if kind == "PartialObjectMetadataList":
            return {
                "kind": kind,
                "apiVersion": self._wanted.api_version,
                "metadata": _without_empty(document["metadata"]),
                "items": [self._partial(each) for each in items] or None,
            }
        if kind:
            raise _of_other_number(kind, "a list")
        return document

    def _table(self, items: list[Object], metadata: JSON) -> JSON:
        now = self._now()
        table = {
            "kind": "Table",
            "apiVersion": self._wanted.api_version,
            "metadata": metadata,
            "columnDefinitions": [each.as_json() for each in self._columns],
            "rows": [self._row(each, now) for each in items],
        }
        if not self._headers:  # only the first event has them
            table["columnDefinitions"] = None
        self._headers = False
        return table

    def _row(self, item: Object, now: float) -> JSON:
        row: dict[str, JSON] = {
            "cells": [each.cell(item, now) for each in self._columns]
        }
        phase = text(item, "status", "phase")
        if item.get("kind") == "Pod" and phase in _COMPLETED:
            said = {"reason": phase, "message": _COMPLETED[phase]}
            row["conditions"] = [{"type": "Completed", "status": "True", **said}]
        whole = item if self._include == "Object" else self._partial(item)
        row["object"] = None if self._include == "None" else whole
        return row

    def _partial(self, item: Object) -> JSON:
        return {
            "kind": "PartialObjectMetadata",
            "apiVersion": self._wanted.api_version,
            "metadata": mapping(item, "metadata"),
        }

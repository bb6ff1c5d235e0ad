"""Rewritten recordings: a write that nobody saw or that was not made, noise, gaps.

A patch of a recording follows from the one before, so the versions after a write that
is taken out are computed anew, and each line is sealed again: `ls --verify` passes.
"""

from __future__ import annotations

import gzip
import json
from copy import deepcopy
from pathlib import Path
from typing import Any

from kubectl_spy.core.changes.line_reading import decode
from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.core.changes.recording_format import seal
from kubectl_spy.core.jsontext import dumps
from kubectl_spy.core.patch.apply import PatchConflict, applied
from kubectl_spy.core.patch.difference import operations_between
from kubectl_spy.core.patch.operation import PatchOperation
from kubectl_spy.core.times import rfc3339, seconds
from kubectl_spy.sources.recording.recording import Recording

Line = dict[str, Any]
NOISE = 100  # objects, each written twice


class NotRewritten(Exception):
    """This incident cannot be rewritten so: other writes build on the one taken out."""


class Rewriting:
    """The lines of the recording *file*, which `save` writes as another one."""

    def __init__(self, file: Path) -> None:
        with gzip.open(file) as opened:
            self.lines: list[Line] = [decode(raw) for raw in opened]
        self._records = {
            each.seq: each
            for each in Recording(str(file))
            if isinstance(each, ChangeRecord)
        }

    def save(self, path: Path) -> Path:
        """Write the lines to *path*, numbered anew."""
        with path.open("wb") as file:
            for number, line in enumerate(self.lines, 1):
                file.write(seal(dumps({**line, "seq": number})))
        return path

    def write(self, cause: Line) -> Line:
        """Return the line of the write that a label names."""
        for line in self.lines:
            same = all(
                line.get(each) == cause[each] for each in ("kind", "name", "type")
            )
            version = line.get("resourceVersion")
            deletes = cause["type"] == "DELETED"  # a label names the version before
            if same and (deletes or version == cause["resourceVersion"]):
                if deletes and self._is_asked_before(line):
                    raise NotRewritten("its deletion was asked for before")
                return line
        raise NotRewritten("its write is not in the recording")

    def hide(self, write: Line) -> None:
        """Let nobody have seen *write*: a GAP stands before the next version."""
        at, after = self.lines.index(write), self._after(write)
        del self.lines[at]
        if write["type"] == "MODIFIED" and after and after[0]["type"] == "MODIFIED":
            patch = operations_between(self._before(write), self._document(after[0]))
            after[0] |= {"type": "GAP", "managers": [], "previous": write["previous"]}
            after[0]["patch"] = _as_json(patch)
        elif write["type"] == "ADDED" and after:
            first = next(iter(after))
            first["type"], first["listed"] = "ADDED", True
            first["object"] = self._document(first)
            first["managers"] = []
            first.pop("patch", None)
            first.pop("previous", None)
        gap = {key: write[key] for key in ("apiVersion", "kind", "stream")}
        gap |= {"namespace": write.get("namespace"), "type": "GAP"}
        since, time = self.lines[at - 1]["time"], write["time"]
        self.lines.insert(at, gap | {"time": time, "since": since, "until": time})

    def undo(self, write: Line) -> None:
        """Let *write* not have been made: later versions lack its fields."""
        after = self._after(write)
        self.lines.remove(write)
        if write["type"] != "MODIFIED":
            gone = [] if write["type"] == "DELETED" else after
            self.lines = [each for each in self.lines if each not in gone]
            return
        before = self._before(write)
        back = operations_between(self._document(write), before)
        last, version = before, write["previous"]
        for line in after:
            if line["type"] not in ("MODIFIED", "GAP", "SNAPSHOT"):
                continue
            document = self._undone(line, back)
            if line["type"] == "SNAPSHOT":
                line["object"] = document
                continue
            patch = operations_between(last, document)
            if not patch:
                self.lines.remove(line)
                continue
            line["patch"], line["previous"] = _as_json(patch), version
            last, version = document, line["resourceVersion"]

    def _undone(self, line: Line, back: list[PatchOperation]) -> Any:
        steps = [each.as_json() for each in back]
        try:
            document, _ = applied(deepcopy(self._document(line)), steps)
        except PatchConflict as conflict:
            raise NotRewritten(str(conflict)) from None
        return document

    def make_noise(self, words: list[str], namespace: str, until: str) -> None:
        """Let ConfigMaps be written that are named by *words*, before a time."""
        kind = {"apiVersion": "v1", "kind": "ConfigMap", "namespace": namespace}
        stream = self._stream_of("ConfigMap")
        began, end = seconds(self.lines[0]["time"]), seconds(until)
        for number in range(NOISE):
            name = f"{words[number % len(words)]}-{number}"
            moment = began + (end - began) * (number + 1) / (NOISE + 2)
            about: Line = {
                **kind,
                "name": name,
                "uid": f"noise-{number}",
                "stream": stream,
            }
            metadata = {"name": name, "namespace": namespace, "uid": about["uid"]}
            data = dict.fromkeys(words, "1")
            document = {**kind, "metadata": metadata}
            document.pop("namespace")
            by = {"managers": ["kubectl-edit"]}
            made = {"type": "ADDED", "resourceVersion": f"n{number}"}
            self._insert(moment, about | made | by | {"object": document})
            path = "/data"
            step: Line = {"op": "add", "path": path, "value": data}
            edit: Line = {"type": "MODIFIED", "resourceVersion": f"m{number}"}
            edit |= {"previous": f"n{number}", "patch": [step]}
            self._insert(moment + 0.001, about | edit | by)

    def refuse(self, kind: str) -> str:
        """Let the recorder not have read a *kind*. Return the name of its type."""
        stream = self._stream_of(kind)
        declared = next(each for each in self.lines if _declares(each, stream))
        self.lines = [
            each
            for each in self.lines
            if each.get("stream") != stream or each is declared
        ]
        name = self._type_of(declared)
        line = {"type": "REFUSED", "stream": stream, "time": declared["time"]}
        line |= {"message": f"may not list {name}", "reason": "Forbidden"}
        self.lines.insert(self.lines.index(declared) + 1, line)
        return name

    def lose(self, write: Line) -> str:
        """Let the watch be lost just before *write*. Return the name of its type."""
        at, stream = self.lines.index(write), write["stream"]
        self.lines[0]["version"] = "1.6"  # which tells states of streams
        declared = next(each for each in self.lines if _declares(each, stream))
        rest = [each for each in self.lines[at:] if each.get("stream") != stream]
        line = {"type": "RECONNECT", "stream": stream, "state": "lost"}
        line |= {"message": "the connection broke off", "time": write["time"]}
        self.lines = [*self.lines[:at], line, *rest]
        return self._type_of(declared)

    @staticmethod
    def _type_of(declared: Line) -> str:
        group = declared["apiVersion"].rpartition("/")[0]
        return ".".join(filter(None, (declared["resource"], group)))

    def _insert(self, moment: float, line: Line) -> None:
        time = rfc3339(moment)
        at = next(
            (n for n, each in enumerate(self.lines) if each["time"] > time),
            len(self.lines),
        )
        self.lines.insert(at, {**line, "time": time})

    def _stream_of(self, kind: str) -> int:
        for each in self.lines:
            if each["type"] == "STREAM" and each["kind"] == kind:
                return int(each["stream"])
        raise NotRewritten(f"no {kind} was recorded")

    def _is_asked_before(self, deletion: Line) -> bool:
        return "deletionTimestamp" in self._before(deletion)["metadata"]

    def _after(self, write: Line) -> list[Line]:
        rest = self.lines[self.lines.index(write) + 1 :]
        return [each for each in rest if each.get("uid") == write.get("uid")]

    def _before(self, write: Line) -> Any:
        return self._document({**write, "seq": write["seq"] - 1})

    def _document(self, line: Line) -> Any:
        """Return the object of *line* as it was then."""
        versions = [
            each.document
            for seq, each in self._records.items()
            if seq <= line["seq"] and each.uid == line["uid"]
        ]
        return versions[-1]


def _declares(line: Line, stream: int) -> bool:
    return (line["type"], line.get("stream")) == ("STREAM", stream)


def _as_json(patch: list[PatchOperation]) -> list[Line]:
    return [json.loads(dumps(each.as_json())) for each in patch]

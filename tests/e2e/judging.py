"""Compares what is told of the past with the audit log, and with what is knowable."""

from __future__ import annotations

from typing import Any

import jsonpatch

from kubectl_spy.core.times import seconds
from tests.e2e.audited import State
from tests.e2e.cluster import Record
from tests.e2e.histories import ANY, Owner, Row

SECOND = 1.0
_NONE = object()


def window(line: Record) -> tuple[float, float]:
    """Return the times between which the write of *line* is said to be, ± 1 s."""
    until = line.get("until") or line["time"]
    return seconds(line["time"]) - SECOND, seconds(until) + SECOND


def false(line: Record, states: dict[str, list[State]]) -> str:
    """Return what is false of *line*, or ""."""
    of = states.get(line["uid"], [])
    begin, end = window(line)
    within = [each for each in of if each.time >= begin and each.began <= end]
    if "failed" in line["source"]:  # it may have taken effect, and is said so
        return "" if line.get("approximate") else "it failed"
    if not within:
        return "nothing was written then"
    for manager in line["managers"]:
        if not any(each.manager == manager for each in within):
            return f"{manager} wrote nothing then"
    patch = line.get("patch", [])
    secret = line["kind"] == "Secret"
    if patch and not any(
        _led(patch, one.document, other.document, secret)
        for one, other in _pairs(of, within, line["managers"])
    ):
        return "no write did this"
    for path in line.get("fields", ()):
        if _at(within[-1].document, path) is _NONE:
            return f"there is no {path}"
    return ""


def _pairs(
    of: list[State], within: list[State], managers: list[str]
) -> list[tuple[State, State]]:
    """Return the states that may be those before and after a write of one of them."""
    first = of.index(within[0])
    return [
        (one, other)
        for at, other in enumerate(of)
        if other in within and (not managers or other.manager in managers)
        for one in of[max(first - 1, 0) : at]
    ]


def _led(patch: list[Record], before: Any, after: Any, secret: bool) -> bool:
    """Return whether *patch* leads from *before* to *after*, as far as it goes."""
    if secret:  # whose values are masked
        paths = [step["path"] for step in patch]
        return all(_at(before, path) != _at(after, path) for path in paths)
    for step in patch:
        old = _at(before, step["path"])
        if "before" in step and not _holds(old, step["before"]):
            return False
    try:
        made = jsonpatch.apply_patch(before, [_plain(step) for step in patch])
    except (jsonpatch.JsonPatchException, jsonpatch.JsonPointerException):
        return False
    tops = {_outside_of_lists(step["path"]) for step in patch}
    return all(_holds(_at(after, top), _at(made, top)) for top in tops)


def _plain(step: Record) -> Record:
    names = "op", "path", "value", "from"
    return {name: step[name] for name in names if name in step}


def _outside_of_lists(path: str) -> str:
    """Return the part of *path* before the first place in a list."""
    tokens = path.split("/")
    place = next((at for at, each in enumerate(tokens) if each.isdigit()), len(tokens))
    return "/".join(tokens[:place])


def _at(document: Any, path: str) -> Any:
    try:
        return jsonpatch.JsonPointer(path).resolve(document)
    except jsonpatch.JsonPointerException:
        return _NONE


def _holds(real: Any, told: Any) -> bool:
    """Return whether *real* is what is told. The server may have added to it."""
    if isinstance(told, dict):
        return isinstance(real, dict) and all(
            key in real and _holds(real[key], told[key]) for key in told
        )
    if isinstance(told, list):
        same = isinstance(real, list) and len(real) == len(told)
        return same and all(map(_holds, real, told))
    return bool(real == told)


def missing(
    rows: list[Row | Owner], lines: list[Record], states: dict[str, list[State]]
) -> list[Row | Owner]:
    """Return those *rows* that no line tells, at the time that the audit log has."""
    free = list(lines)
    lacking = []
    for row in rows:
        told = next((it for it in free if _tells(it, row, states)), None)
        if told is None:
            lacking.append(row)
        elif isinstance(row, Row):
            told["patch"] = [it for it in told["patch"] if it["path"] != row.path]
    return lacking


def _tells(line: Record, row: Row | Owner, states: dict[str, list[State]]) -> bool:
    kind, _, name = row.object.partition("/")
    named = line["name"].startswith if kind == "ReplicaSet" else line["name"].__eq__
    if line["kind"] != kind or not named(name):
        return False
    if isinstance(row, Owner):
        last = [it for it in states[line["uid"]] if it.manager == row.manager][-1]
        begin, end = window(line)
        now = begin <= last.time and last.began <= end
        return now and row.manager in line["managers"]
    return any(
        step["path"] == row.path
        and row.value in (ANY, step.get("value"))
        and row.before in (ANY, step.get("before"))
        for step in line.get("patch", ())
    )

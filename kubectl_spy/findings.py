"""What each finding says: findings.txt, read when a finding is first asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

_FILE = Path(__file__).with_name("findings.txt")
_HEAD = re.compile(r"(\w+) \(([a-z0-9, ]+)\): ?(.*)")
_NAMED = re.compile(r"<([A-Z]+)>")
_WHOLE = {"do": "remedy", "page": "page"}


class Verdict(Enum):
    """How well something is, as far as the API shows."""

    OK = "ok"  # as it should be, or harmless
    WARNING = "warning"  # ready, and somebody should look at it
    WAITING = "waiting"  # in progress, and nothing is known to be wrong
    FAILING = "failing"
    UNKNOWN = "unknown"  # it could not be seen: rights are missing, or a gap hides it
    UNJUDGED = "unjudged"  # it was seen, and no rule says what it means


class Code(NamedTuple):
    """One kind of fact. What a finding says of itself comes first."""

    name: str  # as Kubernetes names reasons: `ImageNotFound`
    text: str  # a template: core/templates.py
    verdict: Verdict
    remedy: str = ""  # a template; names in it are quoted for a shell
    final: bool = False  # whether it stays so until somebody changes something
    grace: float | None = None
    """Seconds for which a finding that waits, and that has a remedy, is no failure; inf
    if it never is one by itself. None: it waits for nobody."""
    fields: tuple[str, ...] = ()  # the fields of a spec that it is about, in words
    blames: str = ""  # which writes may have caused it: core/causes/categories.py
    sure: bool = True  # whether one such write that it names is certainly the cause
    explains: tuple[str, ...] = ()  # reasons of Events that say the same
    page: str = ""  # where Kubernetes documents it
    also: tuple[str, ...] = ()  # arguments that neither template prints


Tables = dict[str, tuple[Code, ...]]


class BadFinding(ValueError):
    """A line of findings.txt is not of its form."""


def code_of(name: str) -> Code:
    """Return what findings.txt says of the code *name*. Raise KeyError if nothing."""
    return codes()[name]


@cache
def codes() -> dict[str, Code]:
    """Return all codes by name, in the order of the file."""
    return {code.name: code for table in tables().values() for code in table}


@cache
def tables() -> Tables:
    """Return the codes under each heading of findings.txt."""
    return read(_FILE.read_text(encoding="utf-8"))


def read(text: str) -> Tables:
    """Return the codes under each heading of *text*, which is of the file's form.

    Raises:
        BadFinding: it is not; the message begins with the number of the line.
    """
    found: dict[str, dict[str, dict[str, Any]]] = {}
    named: dict[str, str] = {}
    known: dict[str, dict[str, Any]] = {}  # the members of each code
    title = code = ""
    for number, line in _joined(text):
        try:
            if "<" in line:
                line = _NAMED.sub(lambda name: named[name[1]], line)
            if line.startswith("  "):
                _add(known[code], line[2:])
            elif line.startswith("== "):
                title, code = line[3:], ""
                found[title] = {}
            elif head := _HEAD.fullmatch(line):
                code, tags, says = head.groups()
                if code in known:
                    raise BadFinding(f"{code} is there twice")
                known[code] = found[title][code] = {"text": says, **_tags(tags)}
            else:
                name, sign, words = line.partition(" = ")
                if not sign or not name.isupper():
                    raise BadFinding("no heading, code or name")
                named[name] = words
        except (KeyError, ValueError) as bad:
            raise BadFinding(f"findings.txt, line {number}: {bad}: {line}") from None
    return {
        title: tuple(Code(name, **each) for name, each in table.items())
        for title, table in found.items()
    }


def _joined(text: str) -> Iterator[tuple[int, str]]:
    """Yield each line with its number, and with the deeper lines that continue it."""
    for mark in ("[", "|"):
        text = text.replace(f"\n      {mark}", f"\r{mark}")
    number = 0
    for line in text.replace("\n      ", "\r ").split("\n"):
        number += 1
        if "\r" in line:
            yield number, line.replace("\r", "")
            number += line.count("\r")
        elif line and line[0] != "#":
            yield number, line


@cache
def _tags(words: str) -> dict[str, Any]:
    """Return what `waiting, final, grace 60` says."""
    verdict, *rest = words.split(", ")
    found: dict[str, Any] = {"verdict": Verdict(verdict)}
    for each in rest:
        key, _, seconds = each.partition(" ")
        if key not in ("final", "grace"):
            raise BadFinding(f"{key} is neither final nor grace")
        found[key] = float(seconds) if key == "grace" else True
    return found


def _add(code: dict[str, Any], line: str) -> None:
    """Add to the members of a code what an indented line says."""
    key, _, words = line.partition(": ")
    if key in _WHOLE:
        code[_WHOLE[key]] = words
        return
    for each in line.split("; "):
        key, _, words = each.partition(": ")
        if key == "blames":
            code["sure"] = not words.startswith("perhaps ")
            code["blames"] = words.removeprefix("perhaps ")
        elif key in ("fields", "explains", "also") and words:
            code[key] = tuple(words.split(", "))
        else:
            raise BadFinding(f"{key} is nothing that is said of a code")

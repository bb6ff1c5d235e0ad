"""Judges what commands say of one recording: each alone, and all together."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from kubectl_spy.core.jsontext import UnreadableJSON, loads
from tools.fuzz.readers import ALL, ONE, SAFE, Indexed, Said, indexed, run

_FIRST = re.compile(r"^error: .* is damaged, first at line (\d+)", re.M)
_WARNED = re.compile(r"^warning: .*: line \d+ is damaged", re.M)
_BASE = ("ls FILE --verify", "changes FILE", "ls FILE -o json")
_LINES_ONLY = ("export FILE -o otlp-json", "ls FILE", "ls FILE -o json")
"""These look at no object. So they do not notice that a patch does not apply."""
_MOST = 3  # bad lines that are told


class Finding(NamedTuple):
    """Something that is wrong."""

    kind: str  # traceback, hang, control, JSON, flood or contradiction
    what: str
    words: str

    @property
    def key(self) -> str:
        """Tells findings of one cause apart from others."""
        return f"{self.kind}: {re.sub(r'[0-9]+ ', 'N ', self.what)}"


def judged(file: Path, chance: Random, *, some: int | None = None) -> Iterator[Finding]:
    """Yield what is wrong with what the commands say of *file*; or *some* of them."""
    rest = [each for each in ALL if each not in _BASE]
    chosen = rest if some is None else chance.sample(rest, some)
    said = {words: run(words, file) for words in (*_BASE, *chosen)}
    listed = _listed(said["ls FILE -o json"])
    known = indexed(file)
    objects = chance.sample(listed, min(len(listed), 2))
    ones: list[Said] = []
    for each in objects:
        of = ONE if some is None else chance.sample(ONE, 1)
        named = f"{each['kind'].lower()}/{each['name']}"
        ones += [run(words, file, named) for words in of]
    for one in (*said.values(), *known.said, *ones):
        yield from _alone(one)
    yield from _together(said, known, listed)
    yield from _shown(file, said, objects)


def _alone(said: Said) -> Iterator[Finding]:
    if said.bug:
        kind = "hang" if said.bug.startswith("Hang") else "traceback"
        yield Finding(kind, said.bug, said.words)
        return
    for stream, text in (("out", said.out), ("err", said.err)):
        if unsafe := SAFE.search(text):
            around = ascii(text[max(0, unsafe.start() - 30) : unsafe.end() + 10])
            if said.words != "serve" or ord(unsafe[0]) < 0x20:
                yield Finding(
                    "control", f"{unsafe[0]!a} on {stream} of {said.words}", around
                )
    if "-o json" in said.words or "otlp-json" in said.words:
        yield from _json(said)
    if len(_WARNED.findall(said.err)) > _MOST:
        yield Finding("flood", f"{said.words}", said.err[-200:])
    if said.code not in (0, 1, 2):
        yield Finding("code", f"{said.words} exits with {said.code}", said.err[-200:])
    if said.code and said.err.count("error: ") != 1:
        yield Finding("error", f"{said.words} says no reason", said.err[-200:])


def _json(said: Said) -> Iterator[Finding]:
    lines = said.out.splitlines() if "show" not in said.words else [said.out]
    for line in filter(None, lines):
        try:
            loads(line.encode())
        except (UnreadableJSON, UnicodeEncodeError) as error:
            yield Finding("JSON", f"{said.words}: {error}", line[:100])
            return


def _shown(
    file: Path, said: dict[str, Said], objects: list[dict[str, Any]]
) -> Iterator[Finding]:
    """Yield where `show` has another answer than `ls` on whether an object is there."""
    if said["ls FILE --verify"].code:
        return  # what is damaged after the object may hide what became of it
    for each in objects:
        names = [each[name] for name in ("kind", "name")]
        if not all(re.fullmatch("[A-Za-z0-9.-]+", name) for name in names):
            continue
        group = each["apiVersion"].rpartition("/")[0]
        named = ".".join(filter(None, (names[0].lower(), group))) + f"/{names[1]}"
        one = run("show FILE OBJECT", file, named, each.get("namespace"))
        if one.code != each["gone"] and one.code < 2 and "several" not in one.err:
            what = f"show exits with {one.code}, and in ls it is gone: {each['gone']}"
            yield Finding("contradiction", what, f"{named}: {one.err[-200:]}")


def _listed(said: Said) -> list[dict[str, Any]]:
    try:
        return list(loads(said.out.encode())["objects"]) if said.out else []
    except (UnreadableJSON, UnicodeEncodeError, KeyError, TypeError):
        return []


def _together(
    said: dict[str, Said], known: Indexed, listed: list[dict[str, Any]]
) -> Iterator[Finding]:
    firsts = {}
    for words, each in said.items():
        found = _FIRST.search(each.err)
        other = "error: " in each.err and not found
        if not (other or each.bug or words in _LINES_ONLY):
            firsts[words] = found[1] if found else ""
    base = firsts.get("changes FILE")
    for words, first in firsts.items():
        if base is not None and first != base:
            what = f"{words} names line {first or 'none'}, replay {base or 'none'}"
            yield Finding("contradiction", re.sub(r"\d+", "N", what), what)
    if any(each.bug for each in known.said):
        return
    names = {(each["kind"], each.get("namespace", ""), each["name"]) for each in listed}
    compared = base is not None and said["ls FILE -o json"].out
    if compared and not known.missed and names != known.objects:
        what = ascii(sorted(names ^ known.objects, key=str)[:3])
        yield Finding("contradiction", "ls and review list other objects", what)
    there = sum(not each["gone"] for each in listed)
    if compared and not known.missed and known.there not in (None, there):
        what = f"{there} and {known.there}"
        yield Finding("contradiction", "ls and serve hold other objects", what)
    if base is not None and known.damages and not base:
        what = f"replay names none, review {known.damages[0]}"
        yield Finding("contradiction", "review alone says damaged", what)

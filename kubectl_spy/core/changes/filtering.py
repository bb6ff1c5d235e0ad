"""What a person types to filter a recording: words for objects, and for changes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from kubectl_spy.core.changes.line_reading import managers_of
from kubectl_spy.core.changes.narrowing import PEOPLE, by_people
from kubectl_spy.core.changes.record import ChangeRecord, ChangeType
from kubectl_spy.core.fields import text
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.patch import pointer

FAILING = "is:failing"
_REGEX = re.compile(r"(?:^|(?<=\s))~")
_LITERAL = re.compile(r"[A-Za-z0-9_.-]+")  # what JSON and pointers write as it is


class Filter(NamedTuple):
    """Which objects, and which of their changes, to show."""

    words: tuple[str, ...] = ()
    """Each is a part of the object's `kind/name`. =WORD is its whole kind, or its whole
    `kind/name`. !WORD negates a word."""
    namespaces: tuple[str, ...] = ()  # each equals the namespace of the object
    patterns: tuple[re.Pattern[bytes], ...] = ()  # each is in the line of a change
    managers: tuple[str, ...] = ()
    """Each is a part of the name of a likely manager. =NAME is its whole name."""
    pointers: tuple[pointer.Tokens, ...] = ()  # the change is at each of them
    failing: bool = False  # whether only what failed is shown
    people: bool = False  # whether only what people wrote is shown

    def both(self, other: Filter) -> Filter:
        """Return the filter for what both filters show."""
        return Filter(
            self.words + other.words,
            self.namespaces + other.namespaces,
            self.patterns + other.patterns,
            self.managers + other.managers,
            self.pointers + other.pointers,
            self.failing or other.failing,
            self.people or other.people,
        )

    def matches(self, kind: str, namespace: str | None, name: str) -> bool:
        """Return whether to show an object, as far as its names say."""
        if any(each != (namespace or "") for each in self.namespaces):
            return False
        kind, label = kind.lower(), f"{kind}/{name}".lower()
        return all(_is_named(word, kind, label) for word in self.words)

    @property
    def of_changes(self) -> bool:
        """Whether it chooses among the changes of an object, too."""
        return bool(self.patterns or self.managers) or self.plays

    @property
    def plays(self) -> bool:
        """Whether lines alone are not enough, so that changes must be played."""
        return bool(self.pointers) or self.failing or self.people

    def keeps_line(self, raw: bytes) -> bool:
        """Return whether to show the change in a line, as far as the line says."""
        if not all(each.search(raw) for each in self.patterns):
            return False
        if not self.managers:
            return True
        lower = raw.lower()
        plain = (each.removeprefix("=") for each in self.managers)
        quick = filter(_LITERAL.fullmatch, plain)
        if not all(each.encode() in lower for each in quick):
            return False
        names = [each.lower() for each in managers_of(raw)]
        return all(
            any(each[1:] == name if each[0] == "=" else each in name for name in names)
            for each in self.managers
        )

    def may_keep(self) -> Callable[[bytes], bool]:
        """Return a quick test of a line. If no line of a run passes, drop the run."""
        last = [
            found[-1].encode()
            for each in self.pointers
            if (found := [part for part in each if _LITERAL.fullmatch(part)])
        ]
        return lambda raw: all(each in raw for each in last)

    def keeps(self, record: ChangeRecord, *, fails: bool) -> bool:
        """Return whether to show *record*, as far as its line does not say.

        *fails* is whether its headline tells a failure.
        """
        if self.people and not by_people(record):
            return False
        if self.failing and not fails:
            warns = record.gvk.kind == "Event" and not record.gone
            if not warns or text(record.document, "type") != "Warning":
                return False
        return all(_is_at(record, each) for each in self.pointers)


def _is_named(word: str, kind: str, label: str) -> bool:
    if word.startswith("!"):
        return not _is_named(word[1:], kind, label)
    return word[1:] in (kind, label) if word.startswith("=") else word in label


def parse_filter(typed: str) -> Filter:
    """Return the filter in *typed*: `pod/web !event -n shop by:kubelet ~OOMKilled`.

    `=pod` is a whole kind, `=pod/web` a whole `kind/name`, `by:=kubelet` a whole name
    of a manager, and `by:people` everyone but the control plane. `/status/phase` is a
    JSON Pointer, and `*` in it any one segment. Behind ~ stands a regular expression
    for the lines of the recording, to the end.
    Raises ValueError if either cannot be read.

    >>> parse_filter("pod/web !event -n shop").matches("Pod", "shop", "web-0")
    True
    >>> parse_filter("=job").matches("CronJob", "shop", "tick")
    False
    """
    typed, *expressions = _REGEX.split(typed, maxsplit=1)
    words, managers = list[str](), list[str]()
    namespaces, pointers = list[str](), list[pointer.Tokens]()
    failing = False
    following = iter(typed.split())
    for word in following:
        value = next(following, "") if word in ("-n", "--by", "--only") else word
        if word == "-n":
            namespaces.append(value.lower())
        elif word == "--by" or word.startswith("by:"):
            managers.append(value.removeprefix("by:").lower())
        elif word == "--only" or word.startswith("/"):
            pointers.append(pointer.parse(value.rstrip("/")))
        elif word == FAILING:
            failing = True
        else:
            words.append(word.lower())
    try:
        patterns = [
            re.compile(each.encode("utf-8", "surrogatepass"))
            for each in filter(None, expressions)
        ]
    except re.error as error:
        raise ValueError(f"no regular expression: {error}") from None
    return Filter(
        tuple(each for each in words if each not in ("!", "=", "!=")),
        tuple(filter(None, namespaces)),
        tuple(patterns),
        tuple(each for each in managers if each not in ("", "=", PEOPLE)),
        tuple(filter(None, pointers)),
        failing,
        PEOPLE in managers,
    )


def _is_at(record: ChangeRecord, pattern: pointer.Tokens) -> bool:
    """Return whether *record* changes anything at *pattern*."""
    if record.type is ChangeType.ADDED:
        return _holds(record.document, pattern)
    return any(
        _reaches(pointer.parse(path), pattern, values)
        for step in record.patch
        for path, values in (
            (step.path, (step.value, step.old)),
            (step.source, ()),
        )
        if path
    )


def _reaches(
    path: pointer.Tokens, pattern: pointer.Tokens, values: Iterable[JSON]
) -> bool:
    """Return whether *pattern* matches at or below *path*, which had *values*."""
    if any(one != other != "*" for one, other in zip(path, pattern, strict=False)):
        return False
    rest = pattern[len(path) :]
    return not rest or any(_holds(each, rest) for each in values)


def _holds(value: JSON, pattern: pointer.Tokens) -> bool:
    found: bool = pointer.only(value, (pattern,)) != {}
    return found

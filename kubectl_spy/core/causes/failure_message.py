"""How well a failure's own words fit a write."""

from __future__ import annotations

import re

from kubectl_spy.core.causes.needs import Category
from kubectl_spy.core.causes.writes import CONTAINERS, Change, Write
from kubectl_spy.core.diagnosis.finding import Finding

_REFERENCES = re.compile(
    r"(^|/)(configMap|secret|(configMap|secret)(Ref|KeyRef)|imagePullSecrets/[0-9]+)/name$"
    r"|/(claimName|secretName|serviceAccountName|priorityClassName|image)$"
)
"""Fields whose values identify an object, even if they are plain words."""
_MISSING = re.compile(
    r"(?P<kind>[A-Z]\w+)(?: (?P<name>[^\s;]+))?"
    r" (?:does not exist|has no key (?P<key>[^\s;]+))"
)
"""What a failure lacks: an object, or a key of a ConfigMap or a Secret."""
_INSTEAD = re.compile("; (it has|nearest is) .*")
"""What is there instead, in such a message."""
_COUNTED = re.compile(r" \(([0-9]+)(?:; [^()]*)?\)(?:, )?")
"""The number of nodes behind each reason why a Pod fits none."""
_WORD = re.compile(r"[a-z]+|[A-Z][a-z]*")
_NO_WORDS = frozenset({"name", "key", "value", "label", "data", "type"})
_PORTS = frozenset({"port", "containerPort", "targetPort"})

NAMED, FIELD, FITS, ELSEWHERE = 2, 1, 0, -1
"""How well a failure's message fits a write: it names what the write set, removed or
deleted; it names the field; it says nothing of it; it names another container."""


class FailureMessage:
    """What the message of a failure says about its cause."""

    def __init__(self, finding: Finding) -> None:
        part, _, rest = finding.about.partition("/")
        self.init = part == "init"
        self.container = ""
        if part in ("container", "init", "sidecar", "probe"):
            self.container = rest.partition("/")[0]
        self.text = _INSTEAD.sub("", finding.text)
        self.missing = _MISSING.search(_plain(self.text))
        reasons = _COUNTED.split(self.text)
        most = max(map(int, reasons[1::2]), default=0)
        main = [
            why
            for why, count in zip(reasons[::2], reasons[1::2], strict=False)
            if int(count) == most
        ]
        self.main = " ".join(main or [self.text]).lower()
        """The reason of most nodes, or all."""

    def fit(
        self,
        write: Write,
        meant: list[Change],
        category: Category,
        *,
        own: bool,
        near: bool,
    ) -> int | None:
        """Return how well *write* fits by its changes *meant*; None if it does not."""
        here = [each for each in meant if self._is_here(each)]
        near = near and (bool(here) or not meant)
        if self.init and not near:
            return None  # other containers start after it
        if self.missing:
            return NAMED if self._takes(self.missing, write, here, own=own) else None
        if self._names(write, here, category, own=own):
            return NAMED
        if not near:
            return ELSEWHERE
        return FIELD if any(map(self._has_field, here)) else FITS

    def in_words(self, write: Write) -> Write:
        """Return *write*; if it created an object without a key, it says so."""
        if not (self.missing and self.missing["key"] and write.edit.created):
            return write
        if write.record.gvk.kind != self.missing["kind"]:
            return write
        what = (f"created without key {self.missing['key']}",)
        return write._replace(edit=write.edit._replace(what=what))

    def _is_here(self, change: Change) -> bool:
        """Return whether *change* is not of another container."""
        at = change.path
        elsewhere = at[1:2] and at[1] in CONTAINERS and at[2:3] != (self.container,)
        return not (self.container and elsewhere and not at[2].isdecimal())

    @staticmethod
    def _takes(
        missing: re.Match[str], write: Write, here: list[Change], *, own: bool
    ) -> bool:
        """Return whether *write* removed what is *missing*, or newly refers to it."""
        record, key = write.record, missing["key"]
        if own:
            return any(each.new in (missing["name"], key) for each in here if each.new)
        if record.gvk.kind != missing["kind"]:
            return False
        if missing["name"] not in (None, record.name):
            return False
        lacks = key and (write.whole or any(_is_removed(it, key) for it in here))
        return write.deletes or bool(lacks)

    def _names(
        self, write: Write, here: list[Change], category: Category, *, own: bool
    ) -> bool:
        """Return whether the message names what *write* set or deleted."""
        record = write.record
        if not own:
            object_ = rf"\b{_plain(record.gvk.kind)} {re.escape(record.name)}\b"
            if write.whole and re.search(object_, _plain(self.text)):
                return True
            if record.gvk.kind in category.first:
                return True
        return any(
            is_in(each.new, self.text)
            and (_tells(each.path, each.new) or self._says_key(write, each))
            for each in here
            if each.new and each.path[-3:-2] != ("env",)
        )

    def _says_key(self, write: Write, change: Change) -> bool:
        return not write.whole and is_in(change.path[-1], self.text)

    def _has_field(self, change: Change) -> bool:
        """Return whether it names the field of *change*: `liveness probe`."""
        if change.path[:1] not in (("spec",), ("pod",)):
            return False
        in_container = change.path[1:2] and change.path[1] in CONTAINERS
        at = change.path[3 if in_container else 1 :]
        return any(
            re.search(
                rf"\b{' '.join(_WORD.findall(each)).lower().rstrip('s')}", self.main
            )
            for each in at
            if not each.isdecimal() and each not in _NO_WORDS
        )


def _is_removed(change: Change, key: str) -> bool:
    return change.path[-1:] == (key,) and change.new is None


def _tells(path: tuple[str, ...], value: str) -> bool:
    """Return whether *value* is too specific to be in a message by chance."""
    if value.isdecimal():
        return path[-1] in _PORTS
    special = re.search(r"[A-Za-z]", value) and re.search(r"[^A-Za-z ]", value)
    refers = _REFERENCES.search("/".join(path))
    return refers is not None or (
        len(value) > 2 and bool(special) and path[-1] != "name"
    )


def is_in(word: str, told: str) -> bool:
    begins = r"(?<![\w./-])" if word[:1].isalnum() else ""
    return re.search(rf"{begins}{re.escape(word)}(?![\w/-])", told) is not None


def _plain(told: str) -> str:
    """Return *told* with kinds as they are called in sentences."""
    return told.replace("ResourceQuota", "quota").replace(
        "service account", "ServiceAccount"
    )

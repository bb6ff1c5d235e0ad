"""How well what a failure tells fits a write."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kubectl_spy.core.causes.categories import Category
from kubectl_spy.core.causes.writes import CONTAINERS, Change, Write
from kubectl_spy.core.diagnosis.finding import Fact, Finding
from kubectl_spy.core.templates import fill
from kubectl_spy.findings import code_of

_REFERENCES = re.compile(
    r"(^|/)(configMap|secret|(configMap|secret)(Ref|KeyRef)|imagePullSecrets/[0-9]+)/name$"
    r"|/(claimName|secretName|serviceAccountName|priorityClassName|image)$"
)
"""Fields whose values identify an object, even if they are plain words."""
_INSTEAD = frozenset({"near", "there", "others"})
"""Arguments that say what is there instead of what a failure lacks."""
_KINDS = {
    "quota": "ResourceQuota",
    "claim": "PersistentVolumeClaim",
    "node": "Node",
    "account": "ServiceAccount",
}
"""The kind of the object that an argument of this name has the name of."""
_WORD = re.compile(r"[a-z]+|[A-Z][a-z]*")
_LETTERS = re.compile(r"[A-Za-z]+")
_SHORTEST = 3  # letters of a word that is too short to tell
_NO_WORDS = frozenset({"name", "key", "value", "label", "data", "type"})
_PORTS = frozenset({"port", "containerPort", "targetPort"})

NAMED, FIELD, FITS, ELSEWHERE = 2, 1, 0, -1
"""How well a failure fits a write: it names what the write set, removed or deleted; it
names the field; it says nothing of it; it names another container."""


class FailureMessage:
    """What a failure says about its cause."""

    def __init__(self, finding: Finding) -> None:
        part, _, rest = finding.about.partition("/")
        self.init = part == "init"
        self.container = ""
        if part in ("container", "init", "sidecar", "probe"):
            self.container = rest.partition("/")[0]
        facts = list(finding.fact.all())
        self.sure = all(code_of(each.code).sure for each in facts)
        """Whether a write that it names is certainly its cause."""
        self.missing = next((each for each in facts if each.code in _MISSING), None)
        self._objects = frozenset(pair for each in facts for pair in _objects(each))
        self._words = [word for each in facts for word in _words(each)]
        most = max((_nodes(each) for each in facts), default=0)
        main = [each for each in facts if most and _nodes(each) == most] or facts
        fields = [
            fill(field, each.args, str)
            for each in main
            for field in code_of(each.code).fields
        ]
        said = [word for each in main for word in _words(each)]
        self._main = " ".join([*fields, *said]).lower()
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
            return NAMED if _takes(self.missing, write, here, own=own) else None
        if self._names(write, here, category, own=own):
            return NAMED
        if not near:
            return ELSEWHERE
        return FIELD if any(map(self._has_field, here)) else FITS

    def says(self, word: str) -> bool:
        """Return whether *word* is among its arguments, as a word."""
        begins = r"(?<![\w./-])" if word[:1].isalnum() else ""
        pattern = re.compile(rf"{begins}{re.escape(word)}(?![\w/-])")
        return any(map(pattern.search, self._words))

    def in_words(self, write: Write) -> Write:
        """Return *write*; if it created an object without a key, it says so."""
        key = self.missing.args.get("key") if self.missing else None
        if not (self.missing and key and write.edit.created):
            return write
        if write.record.gvk.kind != self.missing.args["kind"]:
            return write
        what = (f"created without key {key}",)
        return write._replace(edit=write.edit._replace(what=what))

    def _is_here(self, change: Change) -> bool:
        """Return whether *change* is not of another container."""
        at = change.path
        if not self.container or len(at) < 3 or at[1] not in CONTAINERS:
            return True
        return at[2] == self.container or at[2].isdecimal()

    def _names(
        self, write: Write, here: list[Change], category: Category, *, own: bool
    ) -> bool:
        """Return whether it names what *write* set or deleted."""
        kind, name = write.record.gvk.kind, write.record.name
        if not own:
            if write.whole and (
                (kind, name) in self._objects or self.says(f"{kind} {name}")
            ):
                return True
            if kind in category.first:
                return True
        return any(
            self.says(each.new)
            and (_tells(each.path, each.new) or self._says_key(write, each))
            for each in here
            if each.new and each.path[-3:-2] != ("env",)
        )

    def _says_key(self, write: Write, change: Change) -> bool:
        return not write.whole and self.says(change.path[-1])

    def _names_key(self, key: str) -> bool:
        """Return whether it has all words of the *key* of a Secret or a ConfigMap."""
        words = [each.lower() for each in _LETTERS.findall(key)]
        patterns = [rf"\b{word}\b" for word in words if len(word) > _SHORTEST]
        return bool(patterns) and all(re.search(each, self._main) for each in patterns)

    def _has_field(self, change: Change) -> bool:
        """Return whether it names the field of *change*: `liveness probe`."""
        if change.path[:1] in _DATA:
            return self._names_key(change.path[-1])
        if change.path[:1] not in (("spec",), ("pod",)):
            return False
        in_container = change.path[1:2] and change.path[1] in CONTAINERS
        at = change.path[3 if in_container else 1 :]
        return any(
            re.search(
                rf"\b{' '.join(_WORD.findall(each)).lower().rstrip('s')}", self._main
            )
            for each in at
            if not each.isdecimal() and each not in _NO_WORDS
        )


_DATA = (("data",), ("stringData",))
_MISSING = frozenset(
    {
        "ObjectMissing",
        "KeyMissing",
        "ServiceAccountMissing",
        "StorageClassMissing",
        "IngressClassMissing",
    }
)
"""The codes for what does not exist: an object, or a key of a ConfigMap or Secret."""


def _takes(missing: Fact, write: Write, here: list[Change], *, own: bool) -> bool:
    """Return whether *write* removed what is *missing*, or newly refers to it."""
    record, key, name = write.record, missing.args.get("key"), missing.args.get("name")
    if own:
        return any(each.new in (name, key) for each in here if each.new)
    if record.gvk.kind != missing.args.get("kind"):
        return False
    if name not in (None, record.name):
        return False
    if key and write.edit.created and record.selection.heads:
        return False  # which keys it was created with is not known
    lacks = key and (write.whole or any(_is_removed(it, key) for it in here))
    return write.deletes or bool(lacks)


def _objects(fact: Fact) -> Iterator[tuple[str, str]]:
    """Yield the kinds and names of the objects that *fact* names."""
    kind, name = fact.args.get("kind"), fact.args.get("name")
    if isinstance(kind, str) and isinstance(name, str):
        yield kind, name
    for arg, known in _KINDS.items():
        if isinstance(named := fact.args.get(arg), str):
            yield known, named


def _words(fact: Fact) -> Iterator[str]:
    """Yield the names, numbers and messages in *fact* itself."""
    for name, arg in fact.args.items():
        if name not in _INSTEAD:
            parts = arg if type(arg) is tuple else (arg,)
            yield from (str(each) for each in parts if not isinstance(each, Fact))


def _nodes(fact: Fact) -> int:
    """Return how many nodes refuse a Pod by the reason *fact*; 0 for other facts."""
    nodes = fact.args.get("nodes")
    return nodes if fact.code == "NodesRefuse" and isinstance(nodes, int) else 0


def _is_removed(change: Change, key: object) -> bool:
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

"""The headline of a change record."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kubectl_spy.core.changes.record import ChangeRecord, ChangeType
from kubectl_spy.core.fields import mapping, mappings, number, text
from kubectl_spy.core.headlines.facts import NO_FACTS, Facts, Phrase, changed, facts
from kubectl_spy.core.jsontext import dumps
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.wording import PHRASE, both_ends, in_brief

_MOST = 5
"""The most phrases of a headline."""


@dataclass(frozen=True, slots=True)
class Headline:
    """What a version means. It is false if there is nothing to say."""

    phrases: tuple[Phrase, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.phrases)

    def __str__(self) -> str:
        return " · ".join(each.text for each in self.phrases)

    @property
    def fails(self) -> bool:
        """Whether it tells a failure."""
        return any(each.fails for each in self.phrases)


NO_HEADLINE = Headline()


class Headlines:
    """Sums up records. It keeps the facts of each object's last version."""

    def __init__(self) -> None:
        self._known: dict[str, Facts] = {}

    def of(self, record: ChangeRecord) -> Headline:
        """Return the headline of *record*, whose document is whole."""
        if record.of_stream:
            return NO_HEADLINE
        before = self._known.pop(record.identity, NO_FACTS)
        if record.gone:
            return NO_HEADLINE
        after = facts(record.gvk.kind, record.document)
        self._known[record.identity] = after
        found = changed(before, after)
        if record.type is not ChangeType.ADDED:
            # Imported here: the first line needs no edits, and is printed sooner.
            from kubectl_spy.core.headlines.edits import edits

            found = [*map(Phrase, edits(record.patch, record.document)), *found]
        if len(found) > _MOST:
            found = [*found[:_MOST], Phrase(f"{len(found) - _MOST} more")]
        return Headline(tuple(map(_shortened, found)))


def _shortened(phrase: Phrase) -> Phrase:
    shown = both_ends(phrase.text, PHRASE)
    return phrase if shown == phrase.text else phrase._replace(text=shown)


# A new object in at most five lines.

_LINES = 5
_WIDTH = 200
_NAMES = 6
"""The most names in one line."""
_SPEC = ("replicas", "schedule", "completions", "type", "clusterIP", "storageClassName")
"""Members of a spec that are shown as they are, for every kind."""
_TOLD = {*_SPEC, "nodeName"}


def summary(obj: JSON) -> list[str]:
    """Return at most five lines: owner, images, what its spec asks for, node, ports.

    >>> summary({"spec": {"replicas": 3, "nodeName": "n1"}})
    ['replicas: 3', 'node: n1']
    """
    lines = [
        f"{name}: {both_ends(value, _WIDTH)}" for name, value in _answers(obj) if value
    ]
    return lines[:_LINES]


def _answers(obj: JSON) -> Iterator[tuple[str, str]]:
    spec = mapping(obj, "spec")
    pod = mapping(spec, "template", "spec") or mapping(
        spec, "jobTemplate", "spec", "template", "spec"
    )
    containers = mappings(pod or spec, "containers")
    owners = mappings(obj, "metadata", "ownerReferences")
    names = (f"{text(each, 'kind')}/{text(each, 'name')}" for each in owners)
    yield "owner", _listed(names)
    yield "image", _listed(text(each, "image") for each in containers)
    for name in _SPEC:
        value = spec.get(name)
        if isinstance(value, (str, int)):
            yield name, str(value)
    yield "node", text(spec, "nodeName")
    ports = (port for each in (spec, *containers) for port in mappings(each, "ports"))
    yield "ports", _listed(map(_port, ports))
    yield "selector", _listed(f"{k}={v}" for k, v in _labels(spec).items())
    yield "size", text(spec, "resources", "requests", "storage")
    yield "keys", _listed(mapping(obj, "data"))
    if not containers:
        for name, value in spec.items():
            if name not in _TOLD and isinstance(value, (str, int)):
                yield name, value if isinstance(value, str) else dumps(value).decode()


def _labels(spec: dict[str, JSON]) -> dict[str, JSON]:
    """Return the selector of *spec*, unless it has a template with the same labels."""
    selector = mapping(spec, "selector")
    labels = mapping(selector, "matchLabels")
    return {} if mapping(spec, "template") else labels or selector


def _port(port: dict[str, JSON]) -> str:
    inner = number(port, "port") or number(port, "containerPort")
    name = text(port, "name")
    return f"{inner} ({name})" if name else str(inner or "")


def _listed(names: Iterable[str]) -> str:
    return in_brief(list(dict.fromkeys(filter(None, names))), _NAMES)

"""What clients changed in an object, outside of its status."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from kubectl_spy.core.changes.earlier import EarlierWrite
from kubectl_spy.core.changes.record import ChangeRecord, ChangeType
from kubectl_spy.core.fields import mapping, mappings, moment, text
from kubectl_spy.core.headlines.facts import is_release
from kubectl_spy.core.headlines.leaves import DATA, Leaf, counted, leaves
from kubectl_spy.core.headlines.noise import ANNOTATIONS, RENEWALS
from kubectl_spy.core.jsontext import dumps
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.patch import pointer
from kubectl_spy.core.patch.difference import inner_changes
from kubectl_spy.core.patch.operation import PatchOperation
from kubectl_spy.core.wording import (
    both_ends,
    common_ends,
    differing,
    in_brief,
    many,
    phrases,
)

# Definitions of custom resources: a new one of a controller changes much at once.
#
# https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/

DEFINITION = "CustomResourceDefinition"
_SCHEMA = r"(?s)/spec/(?:versions/([0-9]{1,9})/schema|validation)(?:/.*)?"
"""Where schemas are, also in v1beta1, which had one for all versions."""
_WEBHOOK = "/spec/conversion/webhook"
_COLUMNS = "additionalPrinterColumns"
_ORDER = {"spec/versions": 0, "spec/conversion": 1, f"spec/{_COLUMNS}": 2}


def without_schemas(
    patch: Iterable[PatchOperation], document: JSON
) -> tuple[list[PatchOperation], list[str]]:
    """Return the operations of *patch* to tell, and phrases that count the others.

    Those in schemas are counted. A webhook that comes or goes is left out, because the
    strategy of the conversion changes with it. *document* is the new version.
    """
    versions = mappings(document, "spec", "versions")
    kept: list[PatchOperation] = []
    counts: dict[str, int] = {}
    for step in patch:
        found = re.fullmatch(_SCHEMA, step.path)
        if found is None:
            if step.path != _WEBHOOK or step.op == "replace":
                kept.append(step)
            continue
        at = int(found[1] or len(versions))
        version = text(versions[at], "name") if at < len(versions) else ""
        counts[version] = counts.get(version, 0) + 1
    return kept, [
        f"schema{f' of {version}' if version else ''}: {many(count, 'change')}"
        for version, count in counts.items()
    ]


def rank_in_definition(leaf: Leaf) -> int:
    """Return when to tell *leaf*: versions, conversion, columns, and then others."""
    if _COLUMNS in leaf.tokens:
        return 2
    return _ORDER.get("/".join(leaf.tokens[:2]), 3)


_LONG = 100
"""Characters of a text with spaces beyond which only what differs is shown."""
_MOST = 4
"""The most phrases about one change."""
_INNER = 3
"""The most phrases about one document within a string."""
_YAML = 2_000
"""The most characters of YAML to read for a headline."""
_SAME_WRITE = 2.0
"""Seconds between a creation and its managedFields entry, both in whole seconds."""
_CONTAINERS = ("containers", "initContainers", "ephemeralContainers")
_RESTARTED = "kubectl.kubernetes.io/restartedAt"
_AMOUNTS = {"limits": "limit", "requests": "request"}
_SWITCHES = {"paused": ("paused", "resumed"), "suspend": ("suspended", "resumed")}
"""Members of a spec, and what it means that they are true or not."""
_FIRST = ("replicas", "paused", "suspend", "type", "image")
"""Members of a spec whose changes are told first."""
_BY_SERVER = frozenset(
    {
        *("generation", "managedFields", "resourceVersion", "deletionTimestamp"),
        *("deletionGracePeriodSeconds", "uid", "creationTimestamp", "selfLink"),
    }
)
"""Members of metadata that the API server writes."""
_UNTOLD = RENEWALS | {("spec", "nodeName")}
"""What is no change of a client, or is told with the status."""
_OPAQUE = "caBundle"
"""A member whose value tells people nothing."""
_BY_HELM = ("createdAt", "modifiedAt")
"""Labels that Helm writes whenever it writes a release."""
_BY_CONTROLLERS = ("deployment.kubernetes.io/", "deprecated.daemonset.template")


class Edit(NamedTuple):
    """What somebody changed in an object."""

    time: float
    """When, in seconds since the epoch."""
    managers: tuple[str, ...]
    """Who likely did it."""
    what: tuple[str, ...] = ()
    """What was changed. Empty if the object was created, or if it is not known."""
    created: bool = False
    source: str = ""
    """What tells of it, if nobody saw it. It may have been several writes then."""
    after: float | None = None
    """The earliest time, if *time* is only the latest one that is possible."""

    @property
    def earliest(self) -> float:
        """The earliest time at which it may have been made."""
        return self.time if self.after is None else self.after

    def text(self, *, full: bool = False) -> str:
        """Return what was changed in few words, or in *full*."""
        return phrases(self.what, None if full else _MOST)


def edit_of(record: ChangeRecord) -> Edit | None:
    """Return what was changed in *record* outside of the status, or None."""
    if record.type is not ChangeType.ADDED:
        what = tuple(edits(record.patch, record.document))
        return Edit(record.time, record.managers, what) if what else None
    if record.edited is None:
        if record.initial:
            return None
        return Edit(record.time, record.managers, created=True)
    when, manager, _ = record.edited
    began = moment(record.document, "metadata", "creationTimestamp")
    created = began is not None and abs(when - began) < _SAME_WRITE
    return Edit(when, (manager,) if manager else (), created=created)


def earlier_edit(write: EarlierWrite) -> Edit:
    """Return what *write* changed, or what its managers own since."""
    gvk = write.gvk
    document = {"apiVersion": gvk.api_version, "kind": gvk.kind}
    what = tuple(edits(write.patch, document)) or tuple(map(_told_by, write.patch[:1]))
    if write.fields:
        names = [".".join(pointer.parse(each)) for each in write.fields]
        what = (f"owns {in_brief(names, _INNER)}",)
    after = write.time if write.until > write.time else None
    values = write.until, write.managers, what
    return Edit(*values, source=write.source, after=after)


def _told_by(step: PatchOperation) -> str:
    """Return a phrase for a step within the status: a revision that is applied."""
    leaf = Leaf(("status",), ("",), step.old, step.value)
    return _change(step.path.rpartition("/")[2], leaf)


def changed(patch: Iterable[PatchOperation], document: JSON) -> str:
    """Return what *patch* changes outside of the status, in few words; "" for nothing.

    *document* is the new version.

    >>> changed([PatchOperation("replace", "/spec/replicas", 5, 3)], {})
    'replicas 3 → 5'
    """
    return phrases(edits(patch, document), _MOST)


def edits(patch: Iterable[PatchOperation], document: JSON) -> list[str]:
    """Return a phrase for each change outside of the status of *document*.

    The fields that most often explain a failure come first.
    """
    steps = [each for each in patch if not each.path.startswith("/status/")]
    if not steps:
        return []
    rank, schemas = _rank, list[str]()
    if text(document, "kind") == DEFINITION:
        rank = rank_in_definition
        steps, schemas = without_schemas(steps, document)
    found = [leaf for step in steps for leaf in leaves(step, document, inner=False)]
    named = [_phrase(leaf, document) for leaf in counted(sorted(found, key=rank))]
    return list(dict.fromkeys(filter(None, [*named, *schemas])))


def _rank(leaf: Leaf) -> int:
    known = leaf.tokens[:1] == ("spec",) and leaf.tokens[-1] in _FIRST
    return _FIRST.index(leaf.tokens[-1]) if known else len(_FIRST)


def _in_container(leaf: Leaf) -> int:
    """Return how many tokens lead to the container that *leaf* is in; 0 if to none."""
    for place, token in enumerate(leaf.tokens[:-1]):
        if token in _CONTAINERS and leaf.tokens[0] == "spec":
            return place + 2 if leaf.tokens[place + 1].isdecimal() else 0
    return 0


def _phrase(leaf: Leaf, document: JSON) -> str:
    top = leaf.tokens[:1]
    if is_release(document) and top in (("metadata",), ("data",)):
        return _release(leaf)
    if top == ("metadata",):
        return _metadata(leaf, leaf.tokens[1:], "")
    if top in (("status",), ()) or leaf.tokens in _UNTOLD:
        return ""
    if place := _in_container(leaf):
        phrase = _container(leaf, place)
        pod = mapping(document, *leaf.tokens[: place - 2])
        several = sum(len(mappings(pod, each)) for each in _CONTAINERS) > 1
        container = leaf.names[place - 1]
        named = several and container and leaf.tokens[place:]
        return f"{container}: {phrase}" if named else phrase
    if leaf.tokens[1:3] == ("template", "metadata"):
        return _metadata(leaf, leaf.tokens[3:], "template ")
    last = leaf.tokens[-1]
    switched = leaf.new is True or leaf.old is True
    if switched and last in _SWITCHES and leaf.tokens[:-1] == ("spec",):
        return _SWITCHES[last][0 if leaf.new is True else 1]
    first = top[0] == "spec" or top[0] in DATA
    return _field(leaf, 1 if first and leaf.tokens[1:] else 0)


def _field(leaf: Leaf, start: int) -> str:
    """Return the phrase for *leaf*, with its path from the token *start* on."""
    tokens, names = leaf.tokens[start:], leaf.names[start:]
    if leaf.alike:
        path = _path(tokens[:-1], names)
        return f"{path}{path and ': '}{leaf.alike:,} {leaf.whole}"
    if leaf.whole and names[-1]:
        return f"{_path(tokens[:-1], names)} {names[-1]} {leaf.whole}".lstrip()
    if leaf.whole:
        return f"{_path(tokens, names)} {_value(_either(leaf))} {leaf.whole}"
    return _change(_path(tokens, names), leaf)


def _path(tokens: tuple[str, ...], names: tuple[str, ...]) -> str:
    """Return *tokens* with dots, and *names* instead of the places of elements."""
    return ".".join(name or token for token, name in zip(tokens, names, strict=False))


def _container(leaf: Leaf, start: int) -> str:
    """Return the phrase for *leaf*, which is below a container at the token *start*."""
    rest = leaf.tokens[start:]
    if not rest:
        container = leaf.names[start - 1]
        return f"container {container}" + (f" {leaf.whole}" if leaf.whole else "")
    if rest[0] == "env":
        name = leaf.names[start + 1] if rest[1:] else ""
        return _variable(f"env {name}", leaf, rest[2:])
    if rest[0] == "resources" and len(rest) == 3 and rest[1] in _AMOUNTS:
        return _change(f"{rest[2]} {_AMOUNTS[rest[1]]}", leaf)
    return _field(leaf, start)


def _variable(what: str, leaf: Leaf, rest: tuple[str, ...]) -> str:
    """Return the phrase for an environment variable, or for the field *rest* of it."""
    if leaf.whole:
        added = leaf.new if isinstance(leaf.new, dict) else {}
        value = _value(added.get("value", added.get("valueFrom", "")))
        return f"{what} {leaf.whole}" + (f": {value}" if value else "")
    if rest == ("value",) and None not in (leaf.old, leaf.new):
        return _change(what, leaf)
    return _change(" ".join(filter(None, (what, ".".join(rest)))), leaf)


def _release(leaf: Leaf) -> str:
    top, *rest = leaf.tokens
    if top == "data" and None not in (leaf.old, leaf.new):
        return f"{'.'.join(rest)} changed"
    if top == "metadata":
        if rest == ["labels", "status"]:
            return _change("status", leaf)
        if rest[:1] == ["labels"] and rest[-1] in _BY_HELM:
            return ""
        return _metadata(leaf, leaf.tokens[1:], "")
    return _field(leaf, 1)


def _metadata(leaf: Leaf, rest: tuple[str, ...], prefix: str) -> str:
    if not rest or rest[0] in _BY_SERVER:
        return ""
    name = rest[-1]
    if name == _RESTARTED and leaf.new is not None:
        return "restarted"
    if rest[0] == "finalizers":
        found = _either(leaf)
        names = ", ".join(map(_value, found if isinstance(found, list) else [found]))
        whole = leaf.whole or ("removed" if leaf.new is None else "added")
        return f"finalizer {names} {whole}"
    if name.startswith(_BY_CONTROLLERS) or name in ANNOTATIONS:
        return ""
    if rest[0] in ("labels", "annotations") and len(rest) == 2:
        return _change(f"{prefix}{rest[0][:-1]} {name}", leaf)
    return f"{prefix}{rest[0]} changed"


def _either(leaf: Leaf) -> JSON:
    return leaf.old if leaf.new is None else leaf.new


def _change(what: str, leaf: Leaf) -> str:
    if leaf.old is None:
        return f"{what} {_value(leaf.new)}".rstrip()
    if leaf.new is None:
        return f"{what} removed"
    if said := _inside(leaf):
        return f"{what}: {said}"
    if leaf.tokens[-1:] == (_OPAQUE,):
        return f"{what} changed"
    old, new = _json(leaf.old), _json(leaf.new)
    sentences = " " in old and " " in new
    old, new = differing(old, new, _LONG) if sentences else differing(old, new)
    return f"{what} {old} → {new}" if old != new else f"{what} changed"


def _inside(leaf: Leaf) -> str:
    """Return what changed in the document, or in the one line, within two strings."""
    old, new = leaf.old, leaf.new
    if leaf.inner or not isinstance(old, str) or not isinstance(new, str):
        return ""
    patch, document = inner_changes(old, new, yaml=_YAML)
    found = [each for step in patch for each in leaves(step, document, inner=True)]
    if fields := list(filter(None, (_field(each, 0) for each in counted(found)))):
        return in_brief(fields, _INNER)
    before, after = old.splitlines(), new.splitlines()
    start, end = common_ends(before, after)
    gone, come = before[start : len(before) - end], after[start : len(after) - end]
    if max(len(before), len(after)) < 2 or max(len(gone), len(come)) != 1:
        return ""
    if gone and come:
        return " → ".join(differing(gone[0], come[0], _LONG))
    return f"{_value((gone or come)[0])} {'added' if come else 'removed'}"


def _value(value: JSON) -> str:
    return both_ends(_json(value))


def _json(value: JSON) -> str:
    """Return *value* as JSON, without the quotes of a string."""
    return value if isinstance(value, str) else dumps(value).decode("utf-8", "replace")

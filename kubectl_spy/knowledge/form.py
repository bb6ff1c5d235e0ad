"""The form of an entry: what is known of one kind.

docs/knowledge.md explains it to those who write entries.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from kubectl_spy.knowledge.expressions import Budget
from kubectl_spy.knowledge.paths import Path, path_of
from kubectl_spy.knowledge.problem import BadEntry, Steps, items_of, mapping_of, text_of
from kubectl_spy.knowledge.templates import Template, template_of
from kubectl_spy.knowledge.tests import Test, expression_of, tests_of

STATES = ("failed", "waiting", "current", "paused", "ended", "warned", "there")
"""What a rule of health may say.

`ended` is well and final. `warned` is ready, and somebody should look at it. `there`
is of what never gets a status: it exists, and nothing says more.
"""
POLARITIES = ("good", "bad", "warning", "neutral")
"""How types of conditions may be listed: should be true; should be false; does not
count against the object; says nothing about health.
"""
_RULE = (*STATES, "says", "final", "grace", "remedy")
_REFERENCE = ("kind", "group", "namespace", "waits")
MEMBERS = ("docs", "health", "conditions", "references", "makes", "owns")
_UNSAFE = frozenset("'\"{}")
"""Characters within which the quotation of a value would not hold."""
BY_ITSELF = "ref"
"""The kind of a reference that holds kind and name itself."""


class Rule(NamedTuple):
    """If all *tests* pass, the object is in a *state*."""

    state: str
    tests: tuple[Test, ...]
    says: Template | None = None
    final: bool = False  # whether nothing more happens by itself
    grace: float | None = None  # seconds for which it is no failure yet
    remedy: Template | None = None

    def passes(self, obj: Any, budget: Budget) -> bool:
        """Return whether all tests pass on *obj*. Raises TooMuch, as expressions do."""
        return all(test.passes(obj, budget) for test in self.tests)


class Reference(NamedTuple):
    """Where an object names another one."""

    path: Path  # to its name, or to a member with its kind and name
    kind: str  # or BY_ITSELF
    group: str = ""
    namespace: Path = ()  # to its namespace; () is that of the object
    waits: bool = True  # whether the object cannot work without it


class Kind(NamedTuple):
    """What is known of a kind. The empty one is of kinds of which nothing is known."""

    health: tuple[Rule, ...] = ()
    conditions: Mapping[str, str] = MappingProxyType({})  # the polarity of each type
    references: tuple[Reference, ...] | None = None  # None: nobody says which
    makes: tuple[Reference, ...] = ()
    owns: tuple[str, ...] | None = None  # names of types; None: it may own any
    docs: str = ""
    origin: str = ""  # the file that says it


NOTHING = Kind()


def kind_of(data: Any, where: Steps = (), *, docs: str = "", origin: str = "") -> Kind:
    """Return the entry in *data*. Raises BadEntry."""
    mapping_of(data, where, MEMBERS)

    def part(name: str) -> tuple[Any, Steps]:
        return data.get(name, {}), (*where, name)

    health, at = data.get("health", []), (*where, "health")
    rules = tuple(
        _rule(each, (*at, place)) for place, each in enumerate(items_of(health, at))
    )
    if not isinstance(data.get("docs", ""), str):
        raise BadEntry((*where, "docs"), "the address of a page is expected here")
    owns, at = data.get("owns"), (*where, "owns")
    if owns is not None:
        owns = tuple(
            text_of(each, (*at, place)) for place, each in enumerate(items_of(owns, at))
        )
    return Kind(
        health=rules,
        conditions=_conditions(*part("conditions")),
        references=_references(*part("references")) if "references" in data else None,
        makes=_references(*part("makes")),
        owns=owns,
        docs=data.get("docs", docs),
        origin=origin,
    )


def _rule(data: Any, where: Steps) -> Rule:
    mapping_of(data, where, _RULE)
    states = [each for each in STATES if each in data]
    if len(states) != 1:
        raise BadEntry(where, f"one of {', '.join(STATES)} is expected here")
    final = data.get("final", states[0] == "ended")
    if not isinstance(final, bool):
        raise BadEntry((*where, "final"), "true or false is expected here")
    says, remedy = (
        template_of(data[name], (*where, name)) if name in data else None
        for name in ("says", "remedy")
    )
    if remedy and remedy.paths and _UNSAFE.intersection("".join(remedy.parts)):
        where = *where, "remedy"
        raise BadEntry(where, "no quotes and braces here: values are quoted anyway")
    grace = data.get("grace")
    if grace is not None and (type(grace) is not int or not 0 < grace <= 86_400):
        raise BadEntry((*where, "grace"), "seconds are expected here, up to a day")
    if grace is not None and states[0] != "failed":
        raise BadEntry((*where, "grace"), "only what failed may have a grace period")
    tests = tests_of(data[states[0]], (*where, states[0]))
    return Rule(states[0], tests, says, final, grace, remedy)


def _conditions(data: Any, where: Steps) -> dict[str, str]:
    found: dict[str, str] = {}
    for polarity, types in mapping_of(data, where, POLARITIES).items():
        here = (*where, polarity)
        for place, each in enumerate(items_of(types, here)):
            kind = text_of(each, (*here, place))
            if kind in found and "warning" not in (polarity, found[kind]):
                raise BadEntry((*here, place), f"{kind} is {found[kind]} above")
            found[kind] = f"{found.get(kind, '')} {polarity}".strip()
    return found


def _references(data: Any, where: Steps) -> tuple[Reference, ...]:
    found = []
    for path, target in mapping_of(data, where).items():
        here = (*where, path)
        if not isinstance(target, dict):
            target = {"kind": target}
        mapping_of(target, here, _REFERENCE)
        kind, _, group = text_of(target.get("kind"), (*here, "kind")).partition(".")
        group = target.get("group", group)
        if not isinstance(group, str):
            raise BadEntry((*here, "group"), "an API group is expected here")
        waits = target.get("waits", True)
        if not isinstance(waits, bool):
            raise BadEntry((*here, "waits"), "true or false is expected here")
        namespace = target.get("namespace")
        found.append(
            Reference(
                path_of(path, here, at_key=True),
                kind,
                group,
                () if namespace is None else path_of(namespace, (*here, "namespace")),
                waits,
            )
        )
    return tuple(found)


_FLUX = ("apiVersion", "kind", "current", "inProgress", "failed")


def kinds_of_flux(data: Any, where: Steps, origin: str) -> dict[tuple[str, str], Kind]:
    """Return the entries in `healthCheckExprs` of a Kustomization of Flux.

    Flux asks in this order, and waits if none is true. Raises BadEntry.
    https://fluxcd.io/flux/components/kustomize/kustomizations/#health-check-expressions
    """
    found = {}
    for place, each in enumerate(items_of(data, where)):
        here = (*where, place)
        mapping_of(each, here, _FLUX)
        version = text_of(each.get("apiVersion"), (*here, "apiVersion"))
        kind = text_of(each.get("kind"), (*here, "kind"))
        rules = [
            Rule(state, (expression_of(each[name], (*here, name)),))
            for name, state in (
                ("inProgress", "waiting"),
                ("failed", "failed"),
                ("current", "current"),
            )
            if name in each
        ]
        found[version.rpartition("/")[0], kind] = Kind(
            (*rules, Rule("waiting", ())), origin=origin
        )
    return found

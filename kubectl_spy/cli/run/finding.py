"""Finds what a command is about in a cluster, and what to mask of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from kubectl_spy.cli.run.options import OfCluster
from kubectl_spy.cli.run.run_with_timeout import run_with_timeout
from kubectl_spy.cli.run.view import ViewSpec
from kubectl_spy.core.changes.masking import DEFAULTS, Redaction, SecretMask
from kubectl_spy.core.objects import JSON, Resource, Selection
from kubectl_spy.errors import SpyError
from kubectl_spy.sources.connection.connect import Connection
from kubectl_spy.sources.resolution.dependents import Dependents, dependents
from kubectl_spy.sources.resolution.resolve import (
    ListedNames,
    meant_instead,
    object_named,
    resolve,
)
from kubectl_spy.sources.watching.arrivals import Mask

# Says what may be mistyped in a target that is not there.

_PATIENCE = 1.0  # seconds to wait for names, because nothing is shown meanwhile


class Suggestions:
    """Asks a cluster for names, until it once refuses them or is too slow."""

    def __init__(self, connection: Connection) -> None:
        self._names = ListedNames(connection.get_path)
        self._asks = True

    def __call__(self, selection: Selection) -> str:
        """Return what may be mistyped in *selection*, which has no objects, or ""."""
        return self._asked(lambda: meant_instead(self._names, selection))

    def named(self, resources: Sequence[Resource], name: str, namespace: str) -> str:
        """Return the question whether an object *name* was meant, or ""."""
        return self._asked(
            lambda: object_named(self._names, resources, name, namespace)
        )

    def _asked(self, ask: Callable[[], str]) -> str:
        if not self._asks:
            return ""
        try:
            return run_with_timeout(ask, _PATIENCE)
        except SpyError:
            self._asks = False
            return ""


class Found(NamedTuple):
    """What a command is about in a cluster, and what is watched along with it."""

    selections: tuple[Selection, ...]
    notes: tuple[str, ...]  # about the choices made
    others: Dependents

    @property
    def watched(self) -> tuple[Selection, ...]:
        """All selections to watch."""
        return self.selections + self.others.all


def find(asked: OfCluster, spec: ViewSpec, connection: Connection) -> Found:
    """Resolve the targets of a command. Raises SpyError if the server lacks a type."""
    named: Sequence[Selection] = ()
    if asked.everything:
        from kubectl_spy.cli.run.everything import resolved

        namespace = asked.connection.namespace or connection.namespace
        selections, notes = resolved(
            connection,
            None if asked.all_namespaces else namespace,
            label_selector=asked.label_selector,
            heads=spec.owned and asked.recording is None,
        )
        if asked.recording is not None:  # before there is a file
            wrong = Suggestions(connection)(selections[0])
            if wrong:
                raise SpyError(wrong, code="not-found")
    else:
        selections, notes = resolve(
            connection,
            asked.targets,
            namespace=asked.connection.namespace,
            all_namespaces=asked.all_namespaces,
            label_selector=asked.label_selector,
            field_selector=asked.field_selector,
            named=Suggestions(connection).named,
        )
    if not asked.owned:
        return Found(selections, notes, Dependents((), ()))
    catalogue = connection.catalogue()
    if not asked.everything:
        from kubectl_spy.sources.resolution.referred import referred

        named = referred(catalogue, selections, connection.get_path)
    explained = spec.explains or (asked.everything and spec.silent)
    others = dependents(catalogue, selections, named, explained=explained)
    return Found(selections, notes, others)


def mask_of(asked: OfCluster) -> Mask:
    """Return what masks Secrets, and the fields that rules name."""
    key = asked.mask_key
    if asked.show_secrets:
        return Redaction(asked.redact, key, _unmasked)
    return Redaction((*DEFAULTS, *asked.redact), key, SecretMask(key))


def _unmasked(document: dict[str, JSON], resource: Resource) -> dict[str, JSON]:
    return document

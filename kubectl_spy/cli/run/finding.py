"""Finds what a command is about in a cluster, and what to mask of it."""

from __future__ import annotations

from kubectl_spy.cli.run.meant import MeantInCluster
from kubectl_spy.cli.run.options import OfCluster, Options, check_awaited
from kubectl_spy.cli.run.view import ViewSpec
from kubectl_spy.core.changes.masking import SecretMask
from kubectl_spy.core.changes.redaction import DEFAULTS, Redaction
from kubectl_spy.core.objects import JSON, Resource
from kubectl_spy.errors import SpyError
from kubectl_spy.sources.connection.connect import Connection
from kubectl_spy.sources.resolution.dependents import Dependents, dependents
from kubectl_spy.sources.resolution.resolve import Resolution, resolve
from kubectl_spy.sources.watching.arrivals import Mask


def found(
    options: Options, asked: OfCluster, spec: ViewSpec, connection: Connection
) -> tuple[Resolution, Dependents]:
    """Return what was asked for, and what is watched along with it.

    Raises SpyError if it is not there, or the server does not say.
    """
    if asked.everything:
        from kubectl_spy.cli.run.everything import resolved

        check_awaited(options, everything=not (spec.whole or spec.silent))
        namespace = asked.connection.namespace or connection.namespace
        resolution = resolved(
            connection,
            None if asked.all_namespaces else namespace,
            label_selector=asked.label_selector,
            heads=spec.owned and asked.recording is None,
        )
        catalogue, selections = connection.catalogue(), resolution.selections
        meant = MeantInCluster(connection)
        if asked.recording is not None and (wrong := meant(selections[0])):
            raise SpyError(wrong, code="not-found")  # before there is a file
        explained = spec.explains or spec.silent
        if not asked.owned:
            return resolution, Dependents((), ())
        return resolution, dependents(catalogue, selections, explained=explained)
    resolution = resolve(
        connection,
        asked.targets,
        namespace=asked.connection.namespace,
        all_namespaces=asked.all_namespaces,
        label_selector=asked.label_selector,
        field_selector=asked.field_selector,
        named=MeantInCluster(connection).named,
    )
    if not asked.owned:
        return resolution, Dependents((), ())
    from kubectl_spy.sources.resolution.referred import referred

    catalogue, selections = connection.catalogue(), resolution.selections
    named = referred(catalogue, selections, connection.get_path)
    return resolution, dependents(catalogue, selections, named, explained=spec.explains)


def mask_of(asked: OfCluster) -> Mask:
    """Return what masks Secrets, and the fields that rules name."""
    key = asked.mask_key
    if asked.show_secrets:
        return Redaction(asked.redact, key, _unmasked)
    return Redaction((*DEFAULTS, *asked.redact), key, SecretMask(key))


def _unmasked(document: dict[str, JSON], resource: Resource) -> dict[str, JSON]:
    return document

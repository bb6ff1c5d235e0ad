"""A run without a target: what of everything could be read, and whether it is there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from kubectl_spy.core.changes.coverage import Coverage
from kubectl_spy.core.changes.record import Refused
from kubectl_spy.core.objects import Selection
from kubectl_spy.core.wording import in_brief
from kubectl_spy.errors import Forbidden, SpyError
from kubectl_spy.sources.connection.connect import Connection
from kubectl_spy.sources.resolution.everything import everything
from kubectl_spy.sources.resolution.resolve import Resolution
from kubectl_spy.terms import option

_NAMED = 2  # types that a line names; more are counted


def resolved(
    connection: Connection,
    namespace: str | None,
    *,
    label_selector: str | None,
    heads: bool,
) -> Resolution:
    """Return everything of *namespace*, or of all. Raises SpyError if it is nothing."""
    # The cache may lack a type that was defined in the last ten minutes.
    catalogue = connection.catalogue(refresh=True)
    found = everything(catalogue, namespace, label_selector=label_selector, heads=heads)
    if not found:
        raise SpyError(
            f"{connection.server} serves no type that can be listed and watched",
            "check the server URL, or name a target",
        )
    return Resolution(found)


def _where(selections: Sequence[Selection]) -> str:
    namespace = next((each.namespace for each in selections if each.namespace), None)
    return f" in namespace {namespace}" if namespace else " in all namespaces"


def check_readable(
    selections: Sequence[Selection],
    coverage: Coverage,
    suggest: Callable[[Selection], str],
) -> None:
    """Raise SpyError if no type may be read, or the namespace does not exist.

    *suggest* returns what may be mistyped in a selection without objects.
    """
    where = _where(selections)
    if none_readable(selections, coverage):
        refused = coverage.refused
        if any(each.forbidden for each in refused):
            raise Forbidden(
                f"no right to list anything{where}",
                'ask for the ClusterRole "view" there, or choose another '
                f"namespace with {option('-n')}",
                status=403,
            )
        raise SpyError(
            f"no list worked{where}: {refused[0].message}",
            "see whether kubectl get pods works there",
        )
    namespaced = (each for each in selections if each.namespace)
    if (one := next(namespaced, None)) and (hint := suggest(one)):
        raise SpyError(hint, code="not-found")


def none_readable(selections: Sequence[Selection], coverage: Coverage) -> bool:
    """Return whether every one of *selections* was refused."""
    return all(isinstance(coverage.of(each).answer, Refused) for each in selections)


def unseen(refused: Sequence[Refused]) -> Iterator[str]:
    """Yield a line about the types without a right, and one about other failures."""
    if names := _types(each for each in refused if each.forbidden):
        yield f"not seen, no right to list: {_few(names)}"
    failed = [each for each in refused if not each.forbidden]
    if len(failed) == 1:
        yield f"not seen: {failed[0].message}"
    elif failed:
        yield f"not seen, the list failed: {_few(_types(failed))}"


def _types(refused: Iterable[Refused]) -> list[str]:
    names = (each.selection.resource.group_resource for each in refused)
    return list(dict.fromkeys(names))


def _few(names: Sequence[str]) -> str:
    one_more = len(names) == _NAMED + 1  # its name says as much as a count
    return in_brief(names, _NAMED + one_more)

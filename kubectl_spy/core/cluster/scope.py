"""The selections of a command: what was asked for, and what is read beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kubectl_spy.core.changes.coverage import Coverage
from kubectl_spy.core.changes.record import ChangeRecord, Listed, Refused
from kubectl_spy.core.fact import Fact, fact
from kubectl_spy.core.objects import GroupVersionKind, Selection


class Scope:
    """The selections that were asked for (*roots*), and the *others* beside them.

    *is_root* says whether a record is about a target. Without a named one, *everything*
    is a target. Of the others, those *beside* belong to no target, but explain it.
    """

    def __init__(
        self,
        roots: Sequence[Selection] = (),
        others: Sequence[Selection] = (),
        is_root: Callable[[ChangeRecord], bool] = lambda record: False,
        *,
        everything: bool = False,
        beside: Sequence[Selection] = (),
    ) -> None:
        self.everything = everything
        self.beside = frozenset(beside)
        self.roots = tuple(roots)
        self.is_root = is_root
        self.coverage = Coverage((*roots, *others))
        home = roots or [each for each in others if each.asked]
        self.namespace = home_of([each for each in home if each.resource.namespaced])
        """The namespace of all roots that are in one, if they share it."""

    @property
    def listed(self) -> bool:
        """Whether all targets were listed."""
        return all(map(self.coverage.has_list, self.roots))

    def missing(
        self,
        group: str,
        kind: str,
        namespace: str | None,
        labels: str | None = None,
        name: str | None = None,
        *,
        owned: bool = False,
    ) -> Fact | None:
        """Return why not all objects of a kind are known, or None if they are.

        With *labels* only objects that have these labels count, with *name* only one,
        with *owned* those that belong to a target.
        """
        why = fact("NotAskedFor", kind=kind)
        for selection, answer in self.coverage.answers():
            resource = selection.resource
            if (resource.gvk.group, resource.gvk.kind) != (group, kind):
                continue
            if selection.namespace not in (None, namespace):
                continue
            named = name is not None and selection.name == name
            if selection.filtered and not owned:
                why = fact("OnlyOwnedRead", resource=resource.group_resource)
                continue
            if not named and not selection.holds_all(labels):
                why = fact("OnlySomeAskedFor", resource=resource.group_resource)
                continue
            if isinstance(answer, Listed):
                return None
            why = _no_list(selection, answer)
        return why


def _no_list(selection: Selection, answer: Refused | None) -> Fact:
    resource = selection.resource.group_resource
    if answer is None:
        return fact("NotListedYet", resource=resource)
    if answer.forbidden:
        return fact("ListForbidden", resource=resource, namespace=selection.namespace)
    return fact("ListRefused", message=answer.message)


def asked_for(selections: Sequence[Selection]) -> Callable[[ChangeRecord], bool]:
    """Return a function that says whether *selections* ask for a record's object.

    An object that was asked for by name may also come in another selection.
    """
    named = [each for each in selections if each.name is not None and not each.narrowed]

    def asked(record: ChangeRecord) -> bool:
        return record.selection.asked or any(
            names(each, record.gvk, record.namespace, record.name) for each in named
        )

    return asked


def home_of(selections: Sequence[Selection]) -> str | None:
    """Return the namespace of all *selections*, if they share one."""
    namespaces = {each.namespace for each in selections}
    return namespaces.pop() if len(namespaces) == 1 else None


def names(
    selection: Selection, gvk: GroupVersionKind, namespace: str | None, name: str
) -> bool:
    """Return whether *selection* names this object, in any version of its API."""
    own = selection.resource.gvk
    return (
        (own.group, own.kind) == (gvk.group, gvk.kind)
        and selection.name == name
        and selection.namespace in (None, namespace)
    )

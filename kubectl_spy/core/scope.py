"""What was asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kubectl_spy.core.objects import GroupVersionKind, Selection
from kubectl_spy.core.record import ChangeRecord


def asked_for(selections: Sequence[Selection]) -> Callable[[ChangeRecord], bool]:
    """Return a function that tells whether *selections* ask for a record's object.

    An object that was asked for by name may also come with another selection.
    """
    named = [each for each in selections if each.name is not None and not each.narrowed]

    def asked(record: ChangeRecord) -> bool:
        return record.selection.asked or any(
            names(each, record.gvk, record.namespace, record.name) for each in named
        )

    return asked


def names(
    selection: Selection, gvk: GroupVersionKind, namespace: str | None, name: str
) -> bool:
    """Return whether *selection* names this one object, in any version of its API."""
    own = selection.resource.gvk
    return (
        (own.group, own.kind) == (gvk.group, gvk.kind)
        and selection.name == name
        and selection.namespace in (None, namespace)
    )

"""The selections of a command, and which of them are listed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kubectl_spy.core.changes.record import ChangeRecord, Listed, Refused
from kubectl_spy.core.objects import GroupVersionKind, Selection


class Scope:
    """The selections that were asked for (*roots*), and the *others* beside them.

    *is_root* says whether a record is about a target.
    """

    def __init__(
        self,
        roots: Sequence[Selection] = (),
        others: Sequence[Selection] = (),
        is_root: Callable[[ChangeRecord], bool] = lambda record: False,
    ) -> None:
        self.roots = tuple(roots)
        self.is_root = is_root
        self._answers: dict[Selection, str | None] = dict.fromkeys((*roots, *others))
        """None is no answer yet, "" is a list, and a text is why there is no list."""
        home = roots or [each for each in others if each.asked]
        namespaces = {each.namespace for each in home}
        self.namespace = namespaces.pop() if len(namespaces) == 1 else None
        """The namespace of all roots, if they share one."""

    def observe(self, item: Listed | Refused) -> None:
        """Note that a selection was listed or refused."""
        why_not = item.message if isinstance(item, Refused) else ""
        self._answers[item.selection] = why_not

    def has_list(self, selection: Selection) -> bool:
        """Return whether *selection* was listed."""
        return self._answers.get(selection) == ""

    @property
    def listed(self) -> bool:
        """Whether all targets were listed."""
        return all(map(self.has_list, self.roots))

    @property
    def complete(self) -> bool:
        """Whether every selection was listed or refused."""
        return None not in self._answers.values()

    @property
    def unlisted(self) -> list[Selection]:
        """The selections that were neither listed nor refused yet."""
        return [each for each, answer in self._answers.items() if answer is None]

    def missing(
        self,
        group: str,
        kind: str,
        namespace: str | None,
        labels: str | None = None,
        name: str | None = None,
    ) -> str:
        """Return why not all objects of a kind are known, or "" if they are.

        With *labels* only objects that have these labels count, with *name* only one.
        """
        why = f"{kind} objects were not asked for"
        for selection, answer in self._answers.items():
            resource = selection.resource
            if (resource.gvk.group, resource.gvk.kind) != (group, kind):
                continue
            if selection.namespace not in (None, namespace):
                continue
            named = name is not None and selection.name == name
            if not named and not selection.holds_all(labels):
                why = f"only some {resource.group_resource} were asked for"
                continue
            if answer == "":
                return ""
            why = answer or f"{resource.group_resource} are not listed yet"
        return why


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

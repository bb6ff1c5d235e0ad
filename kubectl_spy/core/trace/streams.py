"""What was asked for, and whether it was answered."""

from __future__ import annotations

from kubectl_spy.core.objects import Selection


class Streams:
    """Keeps by what is listed and watched what came of it.

    None is no answer yet, "" a list, anything else why there is none.
    """

    def __init__(self) -> None:
        self._answers: dict[Selection, str | None] = {}

    def expect(self, selection: Selection) -> None:
        """Know that *selection* is asked for."""
        self._answers.setdefault(selection, None)

    def answered(self, selection: Selection, why_not: str = "") -> None:
        """Know that *selection* was listed, or *why_not*."""
        self._answers[selection] = why_not

    def unseen(self, group: str, kind: str, namespace: str | None) -> str:
        """Return why not all objects of a kind are known; "" if they are."""
        why = f"{kind} objects were not asked for"
        for selection, answer in self._answers.items():
            gvk = selection.resource.gvk
            if (gvk.group, gvk.kind) != (group, kind):
                continue
            if selection.namespace not in (None, namespace):
                continue
            if answer == "":
                return ""
            why = answer or f"{selection.resource.group_resource} are not listed yet"
        return why

    def listed(self, selection: Selection) -> bool:
        """Return whether it is known what there is of *selection*."""
        return self._answers.get(selection) == ""

    @property
    def unlisted(self) -> list[Selection]:
        """What was neither answered nor refused yet."""
        return [each for each, answer in self._answers.items() if answer is None]

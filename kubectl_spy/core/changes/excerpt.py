"""The part of an object that a command shows."""

from __future__ import annotations

from dataclasses import dataclass

from kubectl_spy.core.jsontext import canonical, loads
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.patch import pointer


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """The part of an object to show: by default, all of it."""

    status: bool = False  # whether to show only `.status`
    only: tuple[pointer.Tokens, ...] = ()
    ignore: tuple[pointer.Tokens, ...] = ()

    @property
    def pruned(self) -> bool:
        """Whether `only` or `ignore` leaves parts out."""
        return bool(self.only or self.ignore)

    def document(self, whole: dict[str, JSON]) -> JSON:
        """Return the part of *whole* to show. Pointers start at the root of *whole*.

        With `only` or `ignore` members are sorted: patches give them another order than
        the server, and a replay must print the same.
        """
        shown: JSON = whole
        if self.status:
            shown = {"status": whole["status"]} if "status" in whole else {}
        if self.only:
            shown = pointer.only(shown, self.only)
        if self.ignore:
            shown = pointer.without(shown, self.ignore)
        return loads(canonical(shown)) if self.pruned else shown


def without_noise(obj: dict[str, JSON]) -> dict[str, JSON]:
    """Return *obj* without `metadata.managedFields` and `metadata.resourceVersion`."""
    metadata = obj.get("metadata")
    if not isinstance(metadata, dict):
        return obj
    kept = {
        name: value
        for name, value in metadata.items()
        if name != "managedFields" and name != "resourceVersion"
    }
    return {**obj, "metadata": kept}

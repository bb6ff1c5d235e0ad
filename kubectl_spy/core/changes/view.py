"""Which part of an object there is to see, and which a command shows."""

from __future__ import annotations

from dataclasses import dataclass

from kubectl_spy.core.jsontext import canonical, loads
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.patch import pointer


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A projection of objects: `document` is pure, and shares what it keeps."""

    status: bool = False
    """Only `.status`."""
    only: tuple[pointer.Tokens, ...] = ()
    ignore: tuple[pointer.Tokens, ...] = ()

    @property
    def pruned(self) -> bool:
        """Whether parts are left out that a patch may reach into."""
        return bool(self.only or self.ignore)

    def document(self, whole: dict[str, JSON]) -> JSON:
        """Return what is shown of *whole*; pointers into it start at its root.

        Where parts are left out, members are sorted: in a document that was put
        together from patches they stand in another order than the server sent them,
        and what is shown must be the same.
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
    """Return *obj* less what the server writes with each version.

    These are `metadata.managedFields` and `metadata.resourceVersion`.
    """
    metadata = obj.get("metadata")
    if not isinstance(metadata, dict):
        return obj
    kept = {
        name: value
        for name, value in metadata.items()
        if name != "managedFields" and name != "resourceVersion"
    }
    return {**obj, "metadata": kept}

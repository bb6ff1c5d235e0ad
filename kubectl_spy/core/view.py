"""Which part of an object a command shows, and so compares."""

from __future__ import annotations

from dataclasses import dataclass

from kubectl_spy.core import pointer
from kubectl_spy.core.objects import JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A projection of objects: `document` is pure, and shares what it keeps.

    Both versions go through it before they are compared, so what it leaves out is
    neither shown nor reason enough to print.
    """

    status: bool = False
    """Only `.status`."""
    noise: bool = False
    """Also what the server writes with each version: managedFields, resourceVersion."""
    only: tuple[pointer.Tokens, ...] = ()
    ignore: tuple[pointer.Tokens, ...] = ()

    @property
    def member(self) -> str | None:
        """The one member that documents have, if it is always the same."""
        return "status" if self.status else None

    def document(self, obj: dict[str, JSON]) -> JSON:
        """Return what there is to see of *obj*; pointers into it start at its root."""
        if self.status:
            shown = {"status": obj["status"]} if "status" in obj else {}
        elif self.noise:
            shown = obj
        else:
            shown = _without_noise(obj)
        if self.only:
            shown = pointer.only(shown, self.only)
        if self.ignore:
            shown = pointer.without(shown, self.ignore)
        return shown


def _without_noise(obj: dict[str, JSON]) -> dict[str, JSON]:
    metadata = obj.get("metadata")
    if not isinstance(metadata, dict):
        return obj
    kept = {
        name: value
        for name, value in metadata.items()
        if name != "managedFields" and name != "resourceVersion"
    }
    return {**obj, "metadata": kept}

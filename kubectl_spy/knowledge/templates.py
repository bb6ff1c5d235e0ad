"""Texts with places for values of the object: `{status.reason}: {status.message}`."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from kubectl_spy.knowledge.paths import Path, path_of, text_at
from kubectl_spy.knowledge.problem import Steps, text_of
from kubectl_spy.knowledge.tests import CONDITIONS, condition_in

_OF_CONDITION = 3  # steps: `conditions.Ready.message`
_PLACE = r"\{([^{}]*)\}"


class Template(NamedTuple):
    """The parts of a text, and the paths of the values between them."""

    parts: tuple[str, ...]  # one more than paths
    paths: tuple[Path, ...]
    defaults: tuple[str, ...] = ()  # for values that are not there

    def values(self, obj: Any) -> tuple[str, ...]:
        """Return the values of *obj* in their order; "" for what is not there."""
        pairs = zip(self.paths, self.defaults, strict=True)
        return tuple(_value(obj, path) or default for path, default in pairs)

    def filled(self, obj: Any) -> str:
        """Return the text, or "" if it has places and none of them has a value.

        What is left at a place without a value, such as `: `, goes.
        """
        values = self.values(obj)
        if values and not any(values):
            return ""
        text = self.parts[0]
        for value, part in zip(values, self.parts[1:], strict=True):
            text += value + part
        return " ".join(text.split()).strip(":,; ")


def _value(obj: Any, path: Path) -> str:
    if path[0] == CONDITIONS and len(path) == _OF_CONDITION:
        return text_at(condition_in(obj, path[1]), path[2:])
    return text_at(obj, path)


def template_of(value: Any, where: Steps) -> Template:
    """Return the template in *value*. Raises BadEntry."""
    pieces = re.split(_PLACE, text_of(value, where))
    places = [each.partition("|") for each in pieces[1::2]]
    paths = tuple(path_of(path.strip(), where) for path, _, _ in places)
    defaults = tuple(default.strip() for _, _, default in places)
    return Template(tuple(pieces[::2]), paths, defaults)

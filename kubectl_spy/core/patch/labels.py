"""The labels of the list elements on the way to a value."""

from __future__ import annotations

from kubectl_spy.core.objects import JSON
from kubectl_spy.core.patch import pointer
from kubectl_spy.core.patch.natural_keys import label


def labels_along(
    tokens: pointer.Tokens, document: JSON, last: JSON = None
) -> dict[int, str]:
    """Return the labels of the elements that *tokens* lead to, by the token's place.

    *last* is what is or was at the end, if that is itself an element. An element
    without a label is left out.

    >>> document = {"ports": [{"name": "http", "port": 1}], "args": ["-v"]}
    >>> labels_along(("ports", "0", "port"), document), labels_along(("args", "0"), {})
    ({1: 'name=http'}, {})
    """
    found: dict[int, str] = {}
    here, member = document, ""
    for place, token in enumerate(tokens):
        if not isinstance(here, list):
            here = here.get(token) if isinstance(here, dict) else None
            member = token
            continue
        at = int(token) if token.isdecimal() and len(token) < 10 else len(here)
        here = here[at] if at < len(here) else None
        is_last = place == len(tokens) - 1 and last is not None
        if own := label(member, last if is_last else here):
            found[place] = own
    return found

"""Long answers, a page at a time."""

from __future__ import annotations

from collections import OrderedDict

from kubectl_spy.core.wording import many
from kubectl_spy.errors import SpyError

_LINES = 60
_CHARACTERS = 4_000
_KEPT = 16  # answers


class Pages:
    """The last answers that were longer than a page."""

    def __init__(self) -> None:
        self._kept: OrderedDict[int, str] = OrderedDict()
        self._made = 0

    def first(self, text: str) -> str:
        """Return the first page of *text*, and how to see the next one."""
        self._made += 1
        self._kept[self._made] = text
        if len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return self._page(self._made, 0)

    def more(self, cursor: str) -> str:
        """Return the page at *cursor*. Raises SpyError if it is not kept any more."""
        number, start = map(int, cursor.split(":"))
        if start >= len(self._kept.get(number, "")):
            what = f"there is no page {cursor}"
            raise SpyError(what, "call the tool again", code="not-found")
        return self._page(number, start)

    def _page(self, number: int, start: int) -> str:
        text = self._kept[number]
        page = text[start : start + _CHARACTERS]
        lines = page.split("\n", _LINES)
        if len(lines) > _LINES:
            page = page[: len(page) - len(lines[-1])]
        elif start + len(page) < len(text):
            whole = page.rfind("\n") + 1
            page = page[:whole] if whole > _CHARACTERS // 2 else page
        end = start + len(page)
        if end == len(text):
            return page
        shown = page.removesuffix("\n")
        left = many(text.count("\n", end) + 1, "line")
        return f'{shown}\n… {left} more: call more with "{number}:{end}"'

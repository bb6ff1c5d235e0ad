"""The line at the bottom that asks for text."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from textual import events
from textual.widgets import Input


class Asked(NamedTuple):
    """What is typed in the last line, and what to do with it."""

    typed: Callable[[str], None]  # with each key
    entered: Callable[[str], None]
    left: Callable[[], None]  # with Esc


class Prompt(Input):
    """Takes keys at once, so that Enter and what follows it come in their order.

    As messages they would wait for each other while a recording is read.
    """

    def take(self, key: events.Key) -> bool:
        """Act on *key*. Return whether it edits the text."""
        edit = _EDITS.get(key.key)
        if edit is not None:
            edit(self)
        elif key.is_printable and key.character:
            self.insert_text_at_cursor(key.character)
        else:
            return False
        return True


_EDITS: dict[str, Callable[[Prompt], None]] = {
    "left": Prompt.action_cursor_left,
    "right": Prompt.action_cursor_right,
    "home": Prompt.action_home,
    "ctrl+a": Prompt.action_home,
    "end": Prompt.action_end,
    "ctrl+e": Prompt.action_end,
    "backspace": Prompt.action_delete_left,
    "delete": Prompt.action_delete_right,
    "ctrl+u": Prompt.action_delete_left_all,
    "ctrl+k": Prompt.action_delete_right_all,
    "ctrl+w": Prompt.action_delete_left_word,
}

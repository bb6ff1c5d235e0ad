"""The line at the bottom that asks for text."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from textual import events
from textual.app import App
from textual.widgets import Input

from kubectl_spy.errors import SpyError

HINT = "pod/web !event -n shop by:kubelet /status is:failing ~REGEX"
_ALWAYS = {"interrupt", "suspend_process"}
"""The actions of keys that work everywhere."""


class Asked(NamedTuple):
    """What to do with the text that is asked for."""

    typed: Callable[[str], None]  # with each key, and "" with Esc
    entered: Callable[[str], None]


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


class PromptKeys(App[SpyError]):
    """Asks for a line of text below the panes."""

    said = ""
    """What the last line says."""
    _asked_from = "#objects"
    """The pane that had the keys before the line asked."""
    _asked: Asked | None = None
    _typed = ""

    def redraw(self) -> None:
        """Draw every pane."""
        raise NotImplementedError

    def say(self, text: str) -> None:
        """Say *text* in the last line."""
        self.said = text
        self.redraw()

    def focus_on(self, pane: str) -> None:
        """Give the keys to a pane."""
        # At once: keys that were typed meanwhile are for the new pane.
        self.screen.set_focus(self.query_one(pane))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave keys to the last line and to the page of keys while these are shown."""
        if len(self.screen_stack) > 1:
            return action in _ALWAYS
        return self._asked is None or action in {"leave", *_ALWAYS}

    def ask(self, asked: Asked) -> None:
        """Ask for a line of text."""
        prompt = self.query_one(Prompt)
        with prompt.prevent(Input.Changed):
            prompt.value = ""
        prompt.display = True
        self._asked, self._typed = asked, ""
        self.said = ""
        if self.focused is not None and self.focused.id:
            self._asked_from = f"#{self.focused.id}"
        self.focus_on("#prompt")

    def end_asking(self) -> Asked | None:
        """Hide the line, and go back. Return what was asked for."""
        asked, self._asked = self._asked, None
        self.query_one("#prompt").display = False
        self.focus_on(self._asked_from)
        return asked

    def on_input_changed(self, changed: Input.Changed) -> None:
        """Act on what is pasted."""
        if self._asked is not None and changed.value != self._typed:
            self._typed = changed.value
            self._asked.typed(changed.value)

    async def on_event(self, event: events.Event) -> None:
        """Give keys to the last line while it asks."""
        asked = self._asked
        if asked is None or not isinstance(event, events.Key):
            await super().on_event(event)
            return
        prompt = self.query_one(Prompt)
        if event.key == "enter":
            self.end_asking()
            asked.entered(prompt.value)
            self.redraw()
        elif not prompt.take(event):
            await super().on_event(event)
        elif prompt.value != self._typed:
            self._typed = prompt.value
            asked.typed(prompt.value)

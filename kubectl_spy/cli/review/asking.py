"""The line that asks, and which keys are its own."""

from __future__ import annotations

from typing import Any

from textual import events
from textual.app import App
from textual.widgets import Input

from kubectl_spy.cli.review.prompt import Asked, Prompt
from kubectl_spy.errors import SpyError

ALWAYS = {"interrupt", "suspend_process"}
"""The actions of keys that work everywhere."""


class Asking(App[SpyError]):
    """Asks for a line of text below the panes."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.said = ""
        self.asked_from = "#objects"
        self._asked: Asked | None = None
        self._typed = ""

    def redraw(self) -> None:
        """Draw every pane."""
        raise NotImplementedError

    def focus_on(self, pane: str) -> None:
        """Give the keys to a pane."""
        # At once: keys that were typed meanwhile are for the new pane.
        self.screen.set_focus(self.query_one(pane))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave keys to the last line and to the page of keys while these are shown."""
        if len(self.screen_stack) > 1:
            return action in ALWAYS
        return self._asked is None or action in {"leave", *ALWAYS}

    def ask(self, hint: str, asked: Asked, text: str = "") -> None:
        """Ask for a line of text, which begins as *text*."""
        prompt = self.query_one(Prompt)
        with prompt.prevent(Input.Changed):
            prompt.value = text
        prompt.cursor_position = len(text)
        prompt.placeholder = hint
        prompt.display = True
        self._asked, self._typed = asked, text
        self.said = ""
        if self.focused is not None and self.focused.id:
            self.asked_from = f"#{self.focused.id}"
        self.focus_on("#prompt")

    def end_asking(self, pane: str) -> Asked | None:
        """Hide the line, and go to *pane*. Return what was asked for."""
        asked, self._asked = self._asked, None
        self.query_one("#prompt").display = False
        self.focus_on(pane)
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
            self.end_asking(self.asked_from)
            asked.entered(prompt.value)
            self.redraw()
        elif not prompt.take(event):
            await super().on_event(event)
        elif prompt.value != self._typed:
            self._typed = prompt.value
            asked.typed(prompt.value)

"""The keys of a review: what they do, and the page that `?` shows."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static


class Key(NamedTuple):
    """Keys that do the same."""

    keys: str  # as Textual names them
    shown: str
    action: str
    meaning: str


KEYS = (
    Key(
        "down",
        "↑ ↓",
        "pane('line', 1)",
        "move in a list, scroll a text; also PgUp PgDn Home End",
    ),
    Key("up", "", "pane('line', -1)", ""),
    Key("pagedown", "", "pane('page', 1)", ""),
    Key("pageup", "", "pane('page', -1)", ""),
    Key("home", "", "pane('end', -1)", ""),
    Key("end", "", "pane('end', 1)", ""),
    Key("tab", "Tab", "focus_next", "go to the next pane (Shift-Tab: back)"),
    Key("shift+tab", "", "focus_previous", ""),
    Key("enter", "Enter", "enter", "open: object, version, change on the whole screen"),
    Key(
        "escape",
        "Esc",
        "leave",
        "back; in the list of objects: drop a filter, or show what failed",
    ),
    Key("n", "n p", "step(1)", "next, previous change of this object"),
    Key("p", "", "step(-1)", ""),
    Key(
        "right_square_bracket",
        "] [",
        "step_any(1)",
        "next, previous change of any object",
    ),
    Key("left_square_bracket", "", "step_any(-1)", ""),
    Key("x", "x X", "failure(1)", "next, previous failure"),
    Key("X", "", "failure(-1)", ""),
    Key("g", "g", "next_loss", "next GAP or damaged place"),
    Key("G", "G", "end_of_time", "the last change; a live review follows from there"),
    Key("slash", "/", "filter", "filter as you type, within the filters before"),
    Key("e", "e", "events", "the Events of this object (Esc drops the filter)"),
    Key("d", "d", "document", "the whole object, or its change"),
    Key("f", "f", "full", "fold times and the like, or show all"),
    Key("m", "m", "mark", "mark this version, and compare others with it; end that"),
    Key("t", "t", "tree", "the tree of this object, as trace --at shows it"),
    Key("S", "S", "spans", "what this object led to, as spans"),
    Key("y", "y", "copy", "copy the command line that shows the same"),
    Key(
        "question_mark",
        "? q",
        "keys",
        "this page; quit (Ctrl-Z stops it, and the shell's fg goes on)",
    ),
    Key("q", "", "quit", ""),
    Key("ctrl+z", "", "suspend_process", ""),
    Key("ctrl+c", "", "interrupt", ""),
)


def bindings() -> list[BindingType]:
    """Return the keys of the whole screen."""
    # With priority the app acts on them in their order, however fast they come.
    return [Binding(each.keys, each.action, show=False, priority=True) for each in KEYS]


class KeysPage(ModalScreen[None]):
    """Shows every key. Esc, q, ? and Enter end it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark,enter", "dismiss", show=False)
    ]

    def compose(self) -> ComposeResult:
        """Make the page."""
        lines = [f"{each.shown:6} {each.meaning}" for each in KEYS if each.shown]
        words = [
            *lines,
            "Filters: WORD or =WORD in kind/name, !WORD, -n NAMESPACE, by:MANAGER,",
            "/POINTER, is:failing, ~REGEX for lines of the recording, to the end.",
            "Below the bars: G GAP, ! damage, ✗ failure, A mark, ▲ clock.",
        ]
        with VerticalScroll(id="keys"):
            yield Static(Text("\n".join(words)))

    async def action_dismiss(self, result: None = None) -> None:
        """Close the page."""
        self.dismiss()

"""The keys that copy."""

from __future__ import annotations

from kubectl_spy.cli.review.base import Base
from kubectl_spy.cli.review.change_pane import ChangePane
from kubectl_spy.core.patch.operation import PatchOperation
from kubectl_spy.core.wording import many, one_line
from kubectl_spy.render.inert import inert, unsafe
from kubectl_spy.render.outline import scalar


class CopyKeys(Base):
    """Copies to the clipboard of the terminal, by OSC 52."""

    def action_copy(self) -> None:
        """Copy the command line that shows the same."""
        line = self.session.version
        if line is None:
            self.say("nothing is shown that a command could show")
            return
        index, mark = self.session.index, self.session.mark
        if mark in (None, line) or index.subject(mark) != index.subject(line):
            self.copy(self.pages.command(line))
        else:
            self.copy(self.pages.comparison(mark, line))

    def action_copy_pointer(self) -> None:
        """Copy the pointer of the operation with the cursor."""
        if (step := self._operation) is not None:
            self.copy(step.path)

    def action_copy_value(self) -> None:
        """Copy the new value of the operation, or the old one of what was removed."""
        if (step := self._operation) is not None:
            value = step.value if step.op in ("add", "replace") else step.old
            plain = isinstance(value, str) and not unsafe(value)
            self.copy(value if plain else scalar(value))

    def action_copy_patch(self) -> None:
        """Copy the whole patch, as RFC 6902 writes it."""
        line = self.session.version
        version = None if line is None else self.pages.version(line)
        if version is None or not version.record.patch:
            self.say("this version has no patch")
            return
        patch = version.record.patch
        self.copy(
            scalar([step.as_json() for step in patch]),
            f"the patch: {many(len(patch), 'operation')}",
        )

    @property
    def _operation(self) -> PatchOperation | None:
        operation = self.query_one(ChangePane).operation
        if operation is None:
            self.say("no operation is shown")
        return operation

    def copy(self, text: str, what: str = "") -> None:
        """Copy *text*, and say so: *what* it is, or the text."""
        self.copy_to_clipboard(text)
        self.say(f"copied {what}" if what else f"copied: {one_line(inert(text))}")

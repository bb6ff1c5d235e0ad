"""The keys that go to the next change of the same place in the object."""

from __future__ import annotations

from typing import NamedTuple

from kubectl_spy.cli.review.change_pane import ChangePane
from kubectl_spy.cli.review.jump_keys import JumpKeys
from kubectl_spy.core.patch import pointer
from kubectl_spy.core.patch.apply import PatchConflict
from kubectl_spy.core.patch.natural_keys import trail
from kubectl_spy.core.patch.operation import PatchOperation
from kubectl_spy.core.patch.place import Place, place_of
from kubectl_spy.render.inert import inert


class Pointed(NamedTuple):
    """The place that the keys follow, and the operation that they reached last."""

    place: Place
    name: str
    line: int
    step: PatchOperation | None


class PointerKeys(JumpKeys):
    """Goes from change to change of what the operation with the cursor changes."""

    _pointed: Pointed | None = None

    def action_same_pointer(self, by: int) -> None:
        """Go to the next or previous change at or below the pointer."""
        session, pane = self.session, self.query_one(ChangePane)
        line, step = session.version, pane.operation
        if line is None or step is None:
            self.say("no operation is shown")
            return
        at = self._pointed
        if at is None or (at.line, at.step) != (line, step):
            place, name = self._place_of(line, step)
            at = Pointed(place, name, line, step)
        pointed = at
        self.focus_on("#change")

        def differs(line: int) -> bool:
            before, after = self.pages.documents(line)
            return after is not None and pointed.place.differs(before, after)

        def reached(line: int) -> None:
            step = self._choose_step(line, pointed.place)
            self._pointed = pointed._replace(line=line, step=step)

        versions = session.versions(session.subject)
        number = versions.index(line)
        lines = versions[number + 1 :] if by > 0 else versions[:number][::-1]
        self.seek(iter(lines), differs, f"changes of {pointed.name}", reached)

    def _place_of(self, line: int, step: PatchOperation) -> tuple[Place, str]:
        before, after = self.pages.documents(line)
        version = self.pages.version(line)
        patch = () if version is None else version.record.patch
        value = step.old if step.value is None else step.value
        name = inert(" › ".join(trail(step.path, after, value)))
        for number, each in enumerate(patch):
            if (each.op, each.path, each.source) == (step.op, step.path, step.source):
                try:
                    return place_of(before, patch, number), name
                except PatchConflict:  # what was before is lost
                    break
        return Place(after, step.path), name

    def _choose_step(self, line: int, place: Place) -> PatchOperation | None:
        """Put the cursor on what changed the place, and show it if it is folded."""
        before, after = self.pages.documents(line)
        gone = not place.is_in(after)
        old, new = (pointer.parse(place.pointer_in(each)) for each in (before, after))

        def concerns(step: PatchOperation) -> bool:
            wanted = old if gone or step.op == "remove" else new
            found = pointer.parse(step.path)
            return all(one == two for one, two in zip(found, wanted, strict=False))

        pane = self.query_one(ChangePane)
        for full in (self.full, True):
            self.full = full
            self.say("")
            steps = enumerate(pane.operations)
            number = next((n for n, each in steps if concerns(each)), None)
            if number is not None:
                pane.choose(number)
                break
        return pane.operation

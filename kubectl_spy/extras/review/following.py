"""A review of what is recorded meanwhile: it follows the recording."""

from __future__ import annotations

from kubectl_spy.errors import SpyError
from kubectl_spy.extras.review.base import Base
from kubectl_spy.extras.review.recorder import RecorderProcess
from kubectl_spy.render.inert import inert
from kubectl_spy.render.moments import clock
from kubectl_spy.render.palette import PLAIN, Palette
from kubectl_spy.sources.recording.index import Index

_LOOK = 0.2  # seconds between two looks at the file


class Following(Base):
    """Shows what comes, as long as the clock is at the end."""

    _over = ""

    def __init__(
        self,
        index: Index,
        palette: Palette = PLAIN,
        *,
        recorder: RecorderProcess | None = None,
        targets: str = "",
        temporary: bool = False,
    ) -> None:
        super().__init__(index, palette)
        self._recorder = recorder
        self._targets = targets
        self._temporary = temporary

    def on_mount(self) -> None:
        """Begin to look at the file."""
        if self._recorder is not None:
            self._recorder.say = None
            self.set_interval(_LOOK, self._follow)

    @property
    def what(self) -> str:
        """What is reviewed."""
        return inert(self._targets) if self._temporary else super().what

    @property
    def doing(self) -> str:
        """Whether it is live, and whether the clock is at the end of that."""
        if not self.session.index.is_live:
            return self._over
        if since := self.session.index.unwatched:
            return f"✗ not watched since {clock(since)}"
        return "● live" if self.session.is_at_end else "● recording (G: live)"

    def action_end_of_time(self) -> None:
        """Go to the last change."""
        self.session.go_to_end()
        self.say("")

    def _follow(self) -> None:
        """Go on with the lines that came."""
        recorder, index = self._recorder, self.session.index
        if recorder is None or not index.is_live or not index.complete:
            return
        ended = recorder.has_ended  # before the look: then nothing comes after it
        try:
            grown = index.go_on(ended=ended)
        except SpyError as error:
            self.exit(error)
            return
        if ended:
            self._over = "✗ no longer recorded"
            self.say(inert(recorder.said) or "its recorder was killed")
        elif recorder.said:
            said, recorder.said = recorder.said, ""
            self.say(inert(said))
        if grown:
            self.grow()

"""What the pipeline hands everything to that happens, and asks what to print."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING

from kubectl_spy.core.record import Item

if TYPE_CHECKING:
    from kubectl_spy.core.awaiting.awaiting import Failure


class Consumer(ABC):
    """What turns what happens into what is printed.

    One that shows each item by itself, and judges nothing, has a `text` and no more.
    """

    @abstractmethod
    def text(self, item: Item, *, alone: bool) -> str:
        """Return the text of *item*; *alone* says that there is one stream only."""

    def rest(self) -> str:
        """Return what is to be printed once what has arrived so far was taken in."""
        return ""

    def over(self) -> bool:
        """Return whether there is nothing more to come."""
        return False

    @property
    def known(self) -> bool:
        """Whether enough was taken in to be shown."""
        return True

    def failures(self) -> Iterable[Failure]:
        """Return what fails of all that is shown."""
        return ()

    @property
    def once(self) -> bool:
        """Whether what there is now is all that is wanted."""
        return False

    def close(self) -> None:  # noqa: B027
        """Leave standard output as it is to stay."""

"""Warnings that an API server sends along with its answers."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence

_MOST = 100  # The most texts to print. A server might send new ones for ever.


class ServerWarnings:
    """Calls *say* once for each text of `Warning: 299 - "text"` headers, as kubectl.

    https://kubernetes.io/blog/2020/09/03/warnings/
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._lock = threading.Lock()
        self._said: set[str] = set()

    def report(self, headers: Sequence[str]) -> None:
        """Say the new texts in the values of `Warning` headers. Any thread may call."""
        if not headers:
            return
        from kubectl_spy.core.wording import one_line

        for header in headers:
            for quoted in re.findall(r'299 \S+ "((?:[^"\\]|\\.)*)"', header):
                text = one_line(re.sub(r"\\(.)", r"\1", quoted))
                with self._lock:
                    new = text not in self._said and len(self._said) < _MOST
                    if new:
                        self._said.add(text)
                if new:
                    self._say(f"Warning: {text}")

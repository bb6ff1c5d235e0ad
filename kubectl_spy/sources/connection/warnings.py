"""Pass on what the API server warns of: deprecated versions, mostly."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence

_MOST = 100
"""Texts that are told; a server that makes up new ones is not listened to for ever."""


class ServerWarnings:
    """Tells each text of `Warning: 299 - "text"` headers once, to *say*, as kubectl.

    https://kubernetes.io/blog/2020/09/03/warnings/
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._lock = threading.Lock()
        self._told: set[str] = set()

    def tell(self, headers: Sequence[str]) -> None:
        """Tell what is new in the values of `Warning` headers; from any thread."""
        if not headers:
            return
        from kubectl_spy.sources.connection.circumstances import one_line

        for header in headers:
            for quoted in re.findall(r'299 \S+ "((?:[^"\\]|\\.)*)"', header):
                text = one_line(re.sub(r"\\(.)", r"\1", quoted))
                with self._lock:
                    new = text not in self._told and len(self._told) < _MOST
                    if new:
                        self._told.add(text)
                if new:
                    self._say(f"Warning: {text}")

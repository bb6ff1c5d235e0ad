"""What a person types to filter a recording: words for objects, a regex for lines."""

from __future__ import annotations

import re
from typing import NamedTuple


class Filter(NamedTuple):
    """Which objects, and which of their changes, to show."""

    words: tuple[str, ...] = ()  # each is in the object's label, or after ! is not
    namespace: str | None = None
    pattern: re.Pattern[bytes] | None = None  # of the line of a change

    def matches(self, kind: str, namespace: str | None, name: str) -> bool:
        """Return whether to show an object, as far as its names say."""
        if self.namespace is not None and self.namespace != (namespace or ""):
            return False
        label = f"{kind}/{name}".lower()
        return all(
            (word[1:] not in label) if word.startswith("!") else (word in label)
            for word in self.words
        )


def parse_filter(text: str) -> Filter:
    """Return the filter in *text*: `pod/web !event -n shop ~OOMKilled|Evicted`.

    Behind ~ stands a regular expression for the lines of the recording. Raises
    ValueError if it is none.

    >>> parse_filter("pod/web !event -n shop").matches("Pod", "shop", "web-0")
    True
    """
    text, tilde, expression = text.partition("~")
    words, namespace = [], None
    following = iter(text.lower().split())
    for word in following:
        if word == "-n":
            namespace = next(following, None)
        elif word != "!":
            words.append(word)
    pattern = None
    if tilde and expression:
        try:
            pattern = re.compile(expression.encode("utf-8", "surrogatepass"))
        except re.error as error:
            raise ValueError(f"no regular expression: {error}") from None
    return Filter(tuple(words), namespace, pattern)

"""How many examples a slow property looks at, and how long a slow story is."""

from __future__ import annotations

from hypothesis import settings


def examples(count: int) -> settings:
    """Return settings for *count* examples in the profile `full`; others scale them.

    `@settings(max_examples=…)` would be the last word, also in a thorough run.
    """
    return settings(max_examples=max(count * settings().max_examples // 100, 1))


def part(count: int) -> int:
    """Return *count* in the profile `full`, and a quarter of it in the default one."""
    return max(count * min(settings().max_examples, 100) // 100, 1)

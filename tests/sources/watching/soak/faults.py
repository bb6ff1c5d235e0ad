"""What may go wrong, and how much of it one schedule holds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from random import Random


class Cut(Enum):
    """What may happen to a watch under way."""

    CLEAN_END = "clean end"
    INSIDE_AN_EVENT = "cut inside an event"
    INSIDE_A_CHARACTER = "cut inside a character"
    TORN = "torn last line, then a clean end"
    RESET = "reset"
    SILENCE = "nothing comes any more"
    ERROR = "an ERROR that may pass"
    GONE = "ERROR 410"
    UNREADABLE = "a line that nobody can read"
    UNKNOWN = "an event type from the future"
    TWICE = "an event twice"


class Refusal(Enum):
    """What may happen to a request."""

    REFUSED = "connection refused"
    NO_ANSWER = "no answer"
    BUSY = "429"
    ERROR = "500 to 504"
    WEB_PAGE = "a web page"
    UNKNOWN_USER = "401"
    FORBIDDEN = "403"
    NOT_SERVED = "404"
    GARBLED = "no JSON"
    SHORT = "a document that breaks off"
    EXPIRED = "410 to every watch"


QUIET = (
    Cut.CLEAN_END,
    Cut.INSIDE_AN_EVENT,
    Cut.INSIDE_A_CHARACTER,
    Cut.TORN,
    Cut.RESET,
    Cut.SILENCE,
)
"""A watch that worked for two seconds and ends so is resumed without a word."""
PASSING = (Refusal.BUSY, Refusal.ERROR)
"""What even the first request is tried again after."""


@dataclass(frozen=True, slots=True)
class Fate:
    """What happens to one watch, at a moment or with its n-th event."""

    cut: Cut
    moment: float
    events: int


@dataclass(slots=True, kw_only=True)
class Weather:
    """One schedule's circumstances. *random* is read on as the faults come."""

    random: Random
    length: float
    """Seconds until nothing goes wrong any more."""
    quiet: bool
    write_every: float
    bookmark_every: float
    cut_rate: float
    refusal_rate: float
    page: int
    """Objects a page may hold."""
    get_only: bool
    """The role grants get and watch of one object, and no list."""
    hard_start: bool
    """Things may go wrong before a watch ever worked."""
    names_oldest: bool = True
    """Whether a 410 names the oldest version that works."""
    outages: list[tuple[float, float, Refusal | None]]
    """From, until, and how; None for each time another way."""

    def fate(self, now: float) -> Fate | None:
        """Return what is to happen to a watch that opens *now*."""
        random = self.random
        if now >= self.length or random.random() >= self.cut_rate:
            return None
        moment = now + random.expovariate(1 / random.choice((0.5, 5, 40)))
        if self.quiet:
            return Fate(random.choice(QUIET), max(moment, now + 2.5), 1 << 30)
        if random.random() < 0.5:
            return Fate(random.choice(tuple(Cut)), math.inf, random.randrange(4))
        return Fate(random.choice(tuple(Cut)), moment, 1 << 30)

    def refuses(self, now: float) -> Refusal | None:
        """Return how to refuse a request made *now*, if it is refused."""
        if now >= self.length or self.quiet:
            return None
        kinds = tuple(Refusal)
        for start, end, kind in self.outages:
            if start <= now < end:
                return kind or self.random.choice(kinds)
        if self.random.random() < self.refusal_rate:
            return self.random.choice(kinds)
        return None


def weather(random: Random) -> Weather:
    """Return the circumstances of a schedule."""
    length = random.choice((40.0, 120.0, 120.0, 300.0, 600.0))
    outages: list[tuple[float, float, Refusal | None]] = []
    for _ in range(random.choice((0, 0, 1, 1, 2))):
        start = random.uniform(0, length)
        kind = random.choice((None, *Refusal))
        mean = random.choice((10, 60, 200))
        outages.append((start, start + random.expovariate(1 / mean), kind))
    return Weather(
        random=random,
        length=length,
        quiet=random.random() < 0.15,
        write_every=max(random.choice((0.3, 4.0, 15.0, 60.0)), length / 40),
        bookmark_every=random.choice((math.inf, 60.0, 60.0, 7.0)),
        cut_rate=random.choice((0.5, 0.9, 1.0)),
        refusal_rate=random.choice((0.0, 0.15, 0.4)),
        page=random.choice((1, 2, 500)),
        get_only=False,
        hard_start=random.random() < 0.1,
        outages=outages,
    )

"""Ask what objects were at random moments, and judge the answers by the truth."""

from __future__ import annotations

import json
import random
import subprocess
import time
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.fleet.load import digest
from benchmarks.fleet.services import spy
from benchmarks.tools import REPOSITORY

CLEAR = 0.25
"""Seconds on either side of a moment in which the object is not written.

A write is in the recording when the recorder has read its event.
"""
AT_ONCE = 2
NOT_THERE = ("was deleted",)
UNSURE = ("is damaged", "is not known", "nothing is known")


class Write(NamedTuple):
    """What one write made of an object, between two times."""

    began: float
    ended: float
    digest: str  # "" if it is gone


Key = tuple[str, str]


class Question(NamedTuple):
    namespace: str
    name: str
    time: float
    truth: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command said, and whether that is so."""

    question: Question
    verdict: str  # exact, unsure (and says so), wrong (in silence), or failed
    right: bool
    seconds: float
    said: str


def writes(path: Path) -> dict[Key, list[Write]]:
    """Return all writes of each object, in order."""
    held: dict[Key, list[Write]] = defaultdict(list)
    for line in path.read_text().splitlines():
        namespace, name, began, ended, _, what = json.loads(line)
        held[namespace, name].append(Write(began, ended, what))
    return held


def chosen(
    held: Mapping[Key, list[Write]], since: float, until: float, count: int, seed: int
) -> Iterable[Question]:
    """Yield random moments of random objects."""
    dice, keys = random.Random(seed), sorted(held)
    while count:
        key, moment = dice.choice(keys), dice.uniform(since, until)
        rows = held[key]
        if any(w.began - CLEAR < moment < w.ended + CLEAR for w in rows):
            continue
        index = bisect_left(rows, moment, key=lambda row: row.began)
        yield Question(*key, moment, rows[index - 1].digest if index else "")
        count -= 1


def asked(
    questions: Iterable[Question], source: str, env: Mapping[str, str]
) -> list[Answer]:
    """Return the answers of `kubectl spy show`, two at a time."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(lambda each: ask(each, source, env), questions))


def ask(question: Question, source: str, env: Mapping[str, str]) -> Answer:
    at = datetime.fromtimestamp(question.time, timezone.utc).isoformat()
    words = [source, f"pod/{question.name}", "-n", question.namespace, "--at", at]
    began = time.monotonic()
    ended = subprocess.run(
        spy("show", *words, "-o", "json"),
        capture_output=True,
        text=True,
        env=dict(env),
        cwd=REPOSITORY,
        stdin=subprocess.DEVNULL,
    )
    seconds = time.monotonic() - began
    verdict, right = judged(question, ended.stdout, ended.stderr)
    return Answer(question, verdict, right, seconds, f"{at} {ended.stderr.strip()}")


def judged(question: Question, out: str, err: str) -> tuple[str, bool]:
    """Return the verdict on an answer, and whether it is right."""
    unsure = any(each in err for each in UNSURE)
    held: Any = json.loads(out) if out else None
    if held is None and not any(each in err for each in NOT_THERE):
        return ("unsure" if unsure else "failed"), False
    right = (digest(held) if held else "") == question.truth
    if unsure:
        return "unsure", right
    return ("exact" if right else "wrong"), right


def summary(answers: list[Answer]) -> dict[str, Any]:
    """Return the figures of *answers*."""
    seconds = sorted(each.seconds for each in answers)
    verdicts = Counter(each.verdict for each in answers)
    return {
        **verdicts,
        "unsure but right": sum(
            each.right for each in answers if each.verdict == "unsure"
        ),
        "show p50": round(seconds[len(seconds) // 2], 2),
        "show p95": round(seconds[len(seconds) * 95 // 100], 2),
    }

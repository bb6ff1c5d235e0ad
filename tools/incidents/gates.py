"""Take the evidence away from labelled incidents, and see whether the answer stays.

    python -m tools.incidents gates [--every N] [--offset K]

- unseen: nobody saw the blamed write. The answer must not name it, nor be certain.
- undone: it was not made, so later versions lack its fields. The answer must be nobody,
  or another write.
- noise: 200 unrelated writes, named by words of the failure. The answer must stay.
- refused, lost: the type of the blamed write was not read, from the start or from then
  on. The type must be said to be unknown, and no other write may be certain.
- outside: the cause is not in the recording. No write may be certain.

It prints what fails, and how many passed. The exit code is 1 if a gate is missed.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from tools.incidents.rewritten import NotRewritten, Rewriting

ROOT = Path(__file__).resolve().parents[2]
LABELLED = ROOT / "tests/core/summary/incidents"
_WORD = re.compile("[a-z][a-z0-9]{2,30}")
Answer = dict[str, Any]


class Outcome(NamedTuple):
    """How an incident passed a gate: `passed`, or what is wrong; or why it is none."""

    gate: str
    incident: str
    said: str


def summarize(recording: Path) -> Answer:
    """Return what `summary -o json` says of a recording."""
    command = [sys.executable, "-m", "kubectl_spy", "summary", str(recording)]
    done = subprocess.run([*command, "-o", "json"], capture_output=True, check=True)
    answer: Answer = json.loads(done.stdout)
    return answer


def suspects(answer: Answer, failure: Answer) -> list[Answer]:
    """Return the first suspect of each time that an object failed."""
    episodes = [
        each
        for each in answer["failures"]
        if (each["kind"], each["name"]) == (failure["kind"], failure["name"])
    ]
    return [each["by"][0] for each in episodes if each["by"]]


def names(suspect: Answer, write: Answer) -> bool:
    """Return whether a suspect is the write of a label."""
    same = all(suspect.get(each) == write.get(each) for each in ("kind", "name"))
    return same and suspect.get("resourceVersion") == write.get("resourceVersion")


def unseen(one: Rewriting, write: Answer, failure: Answer) -> Callable[[Answer], str]:
    one.hide(write)

    def judge(answer: Answer) -> str:
        firsts = suspects(answer, failure)
        if any(names(each, write) for each in firsts):
            return "the hidden write is named"
        certain = [each for each in firsts if each["certain"]]
        return f"certain of {_said(certain[0])}" if certain else ""

    return judge


def undone(one: Rewriting, write: Answer, failure: Answer) -> Callable[[Answer], str]:
    one.undo(write)

    def judge(answer: Answer) -> str:
        firsts = suspects(answer, failure)
        return "it stays" * any(names(each, write) for each in firsts)

    return judge


def noise(one: Rewriting, write: Answer, failure: Answer) -> Callable[[Answer], str]:
    before = suspects(failure["answer"], failure)
    if not any(names(each, write) for each in before):
        raise NotRewritten("the answer is another one without noise")
    said = [
        each["what"]
        for each in failure["answer"]["failures"]
        if each["name"] == failure["name"]
    ]
    words = [f"{failure['name']}-2", f"{failure['name']}-canary"]
    words += list(dict.fromkeys(_WORD.findall(" ".join(said).lower())))[:18]
    one.make_noise(words, write.get("namespace") or "default", write["time"])

    def judge(answer: Answer) -> str:
        firsts = suspects(answer, failure)
        if any(names(each, write) for each in firsts):
            shown = [each for each in answer["edits"] if names(each, write)]
            return "" if shown else "it is not among what changed"
        return f"it became {_said(firsts[0]) if firsts else 'nobody'}"

    return judge


def refused(one: Rewriting, write: Answer, failure: Answer) -> Callable[[Answer], str]:
    return _lacking(one.refuse(write["kind"]), failure)


def lost(one: Rewriting, write: Answer, failure: Answer) -> Callable[[Answer], str]:
    return _lacking(one.lose(write), failure)


def _lacking(type_: str, failure: Answer) -> Callable[[Answer], str]:
    def judge(answer: Answer) -> str:
        unknown = {name for each in answer["unknown"] for name in each["types"]}
        if type_ not in unknown:
            return f"{type_} is not said to be unknown"
        certain = [each for each in suspects(answer, failure) if each["certain"]]
        return f"certain of {_said(certain[0])}" if certain else ""

    return judge


GATES = (unseen, undone, noise, refused, lost)
KNOWN = {("noise", "fails-heals-fails")}
"""What is missed: a failure of 3 s, while 100 new objects put off the next look."""


def _said(suspect: Answer) -> str:
    return f"{suspect['kind']}/{suspect['name']} {suspect.get('what')}"[:100]


def _judged(name: str, directory: Path) -> Iterator[Outcome]:
    """Yield how a labelled incident passes each gate."""
    label = json.loads((LABELLED / f"{name}.json").read_text())
    recording = LABELLED / f"{name}.spy.gz"
    answer = summarize(recording)
    for failure in label["failures"]:
        if failure["by"] is None:
            certain = [each for each in suspects(answer, failure) if each["certain"]]
            said = f"certain of {_said(certain[0])}" if certain else ""
            yield Outcome("outside", name, said or "passed")
            continue
        for gate in GATES:
            one = Rewriting(recording)
            try:
                write = one.write(failure["by"])
                judge = gate(one, write, {**failure, "answer": answer})
            except NotRewritten as why:
                yield Outcome(gate.__name__, name, f"not rewritten: {why}")
                continue
            file = one.save(directory / f"{name}-{gate.__name__}.spy")
            said = judge(summarize(file))
            file.unlink()
            yield Outcome(gate.__name__, name, said or "passed")


def main(words: list[str]) -> int:
    """Run the gates; print what is missed, and counts. Return the exit code."""
    parser = argparse.ArgumentParser(
        "python -m tools.incidents gates",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--every", type=int, default=1, help="one incident of N")
    parser.add_argument("--offset", type=int, default=0)
    asked = parser.parse_args(words)
    incidents = sorted(each.stem for each in LABELLED.glob("*.json"))
    chosen = incidents[asked.offset :: asked.every]
    with tempfile.TemporaryDirectory() as directory, ThreadPoolExecutor() as pool:
        found = pool.map(lambda name: list(_judged(name, Path(directory))), chosen)
        outcomes = [each for every in found for each in every]
    counts: Counter[tuple[str, str]] = Counter()
    for gate, incident, said in outcomes:
        kind = said if said == "passed" else "missed"
        if said.startswith("not rewritten"):
            kind = "not rewritten"
        elif kind == "missed" and (gate, incident) in KNOWN:
            kind = "known"
        counts[gate, kind] += 1
        if kind == "missed":
            print(f"{gate:9} {incident:28} {said}")
    for name in (*(gate.__name__ for gate in GATES), "outside"):
        passed, known, missed, none = (
            counts[name, each]
            for each in ("passed", "known", "missed", "not rewritten")
        )
        print(f"{name}: {passed} of {passed + known + missed}, {none} not rewritten")
    return int(any(kind == "missed" for _, kind in counts))

"""Judge summaries of labelled incidents.

    python judge.py DIRECTORY [INCIDENT…] [--half dev|held]

runs `kubectl spy summary FILE -o json` on each NAME.spy.gz and compares with NAME.json.
`by` of a label is the write that the failure came of, or null: it cannot be told from
this recording. An object may fail several times: then each answer must be right or
empty, and one of them right. It may have several labels.

The rules of a summary may be fitted to the half `dev` only: the other half judges them.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.processes import run

Record = dict[str, Any]
GOAL = 0.9  # of the causes that can be told

RIGHT, WRONG, CERTAIN = "right", "wrong", "wrong and certain"
UNTOLD, MISSING = "null told as null", "not reported"
WELL, ALARM = "nothing fails", "false alarm"
FLAP, NO_FLAP = "flap found", "flap missed"


class Verdict(NamedTuple):
    """What an answer is, about which object, and what it says."""

    is_: str
    about: str
    answer: str = ""
    can_be_told: bool = False


def judge(label: Record, summary: Record) -> Iterator[Verdict]:
    """Yield a verdict on each failure and each flap of *label*."""
    reported = summary.get("failures", [])
    for failure in label["failures"]:
        episodes = [each for each in reported if _same(each, failure)]
        causes = [each["by"] for each in label["failures"] if _same(each, failure)]
        answers = [each.get("by") or [] for each in episodes]
        yield _of_failure(failure, causes, answers)
    if not label["failures"]:
        lasting = [each for each in reported if not each.get("until")]
        said = ", ".join(f"{_name(each)} {each.get('what')}" for each in lasting)
        yield Verdict(ALARM if lasting else WELL, "all", said)
    for flap in label.get("flaps", []):
        found = [
            each
            for each in summary.get("flaps", [])
            if _same(each, flap) and each.get("pointer") == flap["pointer"]
        ]
        managers = ", ".join(found[0].get("managers") or []) if found else ""
        is_ = FLAP if found else NO_FLAP
        yield Verdict(is_, f"{_name(flap)} {flap['pointer']}", managers)


def _of_failure(
    failure: Record, causes: list[Record | None], answers: list[list[Record]]
) -> Verdict:
    """Judge the causes that were named, best first, for each time it failed.

    *causes* are those of all times.
    """
    cause, about = failure["by"], _name(failure)
    firsts = [each[0] for each in answers if each]
    wrong = [it for it in firsts if not any(_is_cause(it, each) for each in causes)]
    right = [each for each in firsts if _is_cause(each, cause)]
    said = "; ".join(
        f"{_name(each)} {each.get('resourceVersion')} {each.get('what')}"
        for each in wrong or firsts
    )
    if any(each.get("certain") for each in wrong):
        is_ = CERTAIN
    elif wrong:
        is_ = WRONG
    elif not answers:
        is_ = MISSING
    elif cause is None:
        is_ = UNTOLD
    else:
        is_, said = (RIGHT, said) if right else (WRONG, "cannot be told")
    return Verdict(is_, about, said, can_be_told=cause is not None)


def _is_cause(answer: Record, cause: Record | None) -> bool:
    if cause is None or not _same(answer, cause):
        return False
    if cause["type"] == "DELETED":
        # An object with finalizers is marked first, in a MODIFIED.
        marked = str(answer.get("what")).startswith("['delet")
        return marked or answer.get("type", "DELETED") == "DELETED"
    return bool(answer.get("resourceVersion") == cause["resourceVersion"])


def _same(one: Record, other: Record) -> bool:
    return all(one.get(key) == other[key] for key in ("kind", "name"))


def _name(document: Record) -> str:
    return f"{document.get('kind')}/{document.get('name')}"


def meets_goal(verdicts: list[Verdict]) -> bool:
    """Tell whether *verdicts* are what the summary promises."""
    counts = Counter(each.is_ for each in verdicts)
    told = [each for each in verdicts if each.can_be_told]
    nulls = sum(
        each.is_ in (WRONG, MISSING) and not each.can_be_told for each in verdicts
    )
    right = counts[RIGHT] >= GOAL * len(told)
    return right and not (counts[CERTAIN] or counts[ALARM] or nulls)


def totals(verdicts: list[Verdict]) -> str:
    """Return how many there are of each verdict."""
    told = [each.is_ for each in verdicts if each.can_be_told]
    untold = [each.is_ for each in verdicts if not each.can_be_told]
    parts = [f"rank 1 right: {told.count(RIGHT)} of {len(told)}"]
    parts += [f"{is_}: {told.count(is_)}" for is_ in (WRONG, CERTAIN, MISSING)]
    nulls = [each for each in untold if each in (UNTOLD, WRONG, CERTAIN, MISSING)]
    parts.append(f"{UNTOLD}: {untold.count(UNTOLD)} of {len(nulls)}")
    parts.append(f"of these {CERTAIN}: {untold.count(CERTAIN)}")
    well = untold.count(WELL)
    parts.append(f"{WELL}: {well} of {well + untold.count(ALARM)}")
    flaps = untold.count(FLAP)
    parts.append(f"flaps found: {flaps} of {flaps + untold.count(NO_FLAP)}")
    return "\n".join(parts)


def half(name: str) -> str:
    """Return which half of the incidents *name* belongs to."""
    return ("dev", "held")[hashlib.sha256(f"19 {name}".encode()).digest()[0] % 2]


def summarize(recording: Path) -> Record:
    """Return what `kubectl spy summary` says."""
    command = [sys.executable, "-m", "kubectl_spy", "summary", str(recording)]
    done = run([*command, "-o", "json"], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{recording.name}: {done.stderr.strip()}")
    found: Record = json.loads(done.stdout)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("incidents", nargs="*", metavar="INCIDENT")
    parser.add_argument("--half", choices=("dev", "held"))
    asked = parser.parse_args()
    verdicts = []
    for file in sorted(asked.directory.glob("*.json")):
        if asked.incidents and file.stem not in asked.incidents:
            continue
        if asked.half not in (None, half(file.stem)):
            continue
        summary = summarize(file.with_suffix(".spy.gz"))
        for each in judge(json.loads(file.read_text()), summary):
            verdicts.append(each)
            print(f"{file.stem:24} {each.is_:18} {each.about}  {each.answer}"[:160])
    print(totals(verdicts))
    return 0 if meets_goal(verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())

"""Compare what this checkout and another one say of the recordings of this one.

python -m tools.compare OTHER [--files DIR] [--every N] [--only WORD] [--keep DIR]

Each command that prints a recording is run on each recording, for the whole of it and
for the objects that changed most. Exit codes, standard output and standard error are
compared byte for byte. What differs is counted by command, with an example; --keep
writes all of it, for `diff -r`. The exit code is 1 if anything differs. All 152
recordings take a quarter of an hour.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tools.compare.commands import LISTED, command_lines

HERE = Path(__file__).resolve().parents[2]
OBJECTS = 3  # of each recording
LINES = 12  # of an example


class Checkout:
    """A process that runs the commands of one checkout."""

    def __init__(self, root: Path, directory: Path) -> None:
        script = Path(__file__).with_name("answering.py")
        # Fix the width and the time zone of what is printed.
        fixed = {"COLUMNS": "100", "TZ": "UTC", "PYTHONHASHSEED": "0", "NO_COLOR": ""}
        env = {**os.environ, **fixed, "PYTHONPATH": str(root), "KUBECONFIG": os.devnull}
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=directory,
            env=env,
        )

    def ask(self, words: list[str]) -> None:
        """Start a command."""
        assert self._process.stdin is not None
        print(json.dumps(words), file=self._process.stdin, flush=True)

    def answer(self) -> dict[str, Any]:
        """Return what the command that was started last came to."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            sys.exit("error: the process of a checkout ended; its lines above say why")
        answer: dict[str, Any] = json.loads(line)
        return answer


def main() -> int:
    """Compare; return 1 if anything differs."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("other", type=Path, help="the other checkout")
    options.add_argument("--files", type=Path, default=HERE, help="where to look")
    options.add_argument("--every", type=int, default=1, help="only each Nth recording")
    options.add_argument("--only", default="", help="only commands with this in them")
    options.add_argument("--keep", type=Path, help="where to write what differs")
    wanted = options.parse_args()
    files = sorted(recordings(wanted.files))[:: wanted.every]
    differing: Counter[str] = Counter()
    asked = 0
    with TemporaryDirectory() as directory:
        other, this = (Checkout(at, Path(directory)) for at in (wanted.other, HERE))
        for file in files:
            shutil.copy(file, directory)
            lines = command_lines(objects_of(this, file.name))
            for words in [each for each in lines if wanted.only in " ".join(each)]:
                argv = [file.name if word == "FILE" else word for word in words]
                other.ask(argv)
                this.ask(argv)
                before, after = other.answer(), this.answer()
                asked += 1
                if before == after:
                    continue
                rule = " ".join(words[:1] + words[2:] if words[1] == "FILE" else words)
                rule = " ".join(w for w in rule.split() if "/" not in w or w[0] == "/")
                differing[rule] += 1
                if differing[rule] == 1:
                    print(f"\n{' '.join(argv)}")
                    print(
                        "\n".join(list(difference(before, after))[:LINES]), flush=True
                    )
                if wanted.keep:
                    keep(wanted.keep, " ".join(argv), before, after)
    print(
        f"\n{asked} answers about {len(files)} recordings, {differing.total()} differ"
    )
    for rule, count in differing.most_common():
        print(f"{count:6} {rule}")
    return 1 if differing else 0


def recordings(root: Path) -> Iterator[Path]:
    """Yield the recordings below *root*, but for what was built or installed there."""
    for path in root.rglob("*.spy*"):
        if path.suffix in (".spy", ".gz") and not {"build", ".venv"} & {*path.parts}:
            yield path


def objects_of(checkout: Checkout, file: str) -> list[list[str]]:
    """Return the words that name the objects of *file* that changed most."""
    checkout.ask([file if word == "FILE" else word for word in LISTED])
    listed = json.loads(checkout.answer()["out"] or "{}").get("objects", ())
    found = []
    for each in [each for each in listed if each["kind"] != "Event"][:OBJECTS]:
        group = each["apiVersion"].rpartition("/")[0]
        name = ".".join(filter(None, (each["kind"].lower(), group)))
        namespace = each.get("namespace")
        words = [f"{name}/{each['name']}"]
        found.append(words + (["-n", namespace] if namespace else []))
    return found


def difference(before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    """Yield lines that say what differs between two answers."""
    if before["code"] != after["code"]:
        yield f"  exit code {before['code']}, now {after['code']}"
    for stream in ("out", "err"):
        old, new = (each[stream].splitlines() for each in (before, after))
        for line in difflib.unified_diff(old, new, n=0, lineterm=""):
            if not line.startswith(("---", "+++", "@@")):
                yield f"  {line[:200]}"


def keep(directory: Path, name: str, *answers: dict[str, Any]) -> None:
    """Write both answers, in two folders of *directory*, to a file of the same name."""
    for folder, answer in zip(("before", "after"), answers, strict=True):
        path = directory / folder / name.replace("/", "_")
        path.parent.mkdir(parents=True, exist_ok=True)
        code = f"exit code {answer['code']}"
        path.write_text("\n".join((answer["out"], answer["err"], code, "")))


if __name__ == "__main__":
    raise SystemExit(main())

"""Read mutants of recordings with every command, and print what goes wrong.

python -m tools.fuzz [--count N] [--seed S] [--first N] [--some N] [--files DIRECTORY]
"""

from __future__ import annotations

import argparse
import os
import time
from collections import Counter, defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.fuzz.judging import Finding, judged
from tools.fuzz.mutants import Mutants
from tools.fuzz.readers import listening


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m tools.fuzz")
    options.add_argument("--count", type=int, default=1000, help="how many mutants")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--first", type=int, default=0, help="the number to begin at")
    options.add_argument("--some", type=int, help="how many of the commands, at random")
    options.add_argument("--files", type=Path, help="recordings to mutate")
    options.add_argument("--keep", type=Path, help="where to keep what fails")
    wanted = options.parse_args()
    os.environ.update(COLUMNS="100", NO_COLOR="1", TZ="UTC")
    mutants = Mutants(wanted.seed, wanted.files)
    found: defaultdict[str, list[int]] = defaultdict(list)
    kinds: Counter[str] = Counter()
    example: dict[str, Finding] = {}
    began = time.monotonic()
    with TemporaryDirectory() as directory, listening():
        file = Path(directory) / "f.spy"
        for number in range(wanted.first, wanted.first + wanted.count):
            mutant = mutants.write(number, file)
            for finding in judged(file, mutant.chance, some=wanted.some):
                kinds[finding.kind] += 1
                if finding.key not in example:
                    example[finding.key] = finding
                    print(f"{number} {mutant.done}: {finding}", flush=True)
                    if wanted.keep:
                        name = f"{wanted.seed}-{number}.spy"
                        (wanted.keep / name).write_bytes(file.read_bytes())
                found[finding.key].append(number)
    took = time.monotonic() - began
    print(f"\n{wanted.count} mutants in {took:.0f} s: {dict(kinds) or 'nothing'}")
    for key, numbers in sorted(found.items(), key=lambda each: -len(each[1])):
        print(f"{len(numbers):6} {key} (as in {numbers[0]})")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())

"""Hold the product, its tests and tools to the numbers of table.txt.

python -m tools.budgets           print each place; exit with 1 if one has more
python -m tools.budgets --lower   write the numbers that have fallen into the table

A number that rises is written by hand; that commit says what left for it, or which
issue allows it.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tools.budgets.counting import Count, counts, tracked, words

ROOT = Path(__file__).resolve().parents[2]
TABLE = Path(__file__).with_name("table.txt")
PAGES = "words of pages"
_HEAD = "# place                  lines  Python files  statements"

Table = dict[str, tuple[int, ...]]


def main() -> int:
    """Print what there is; return 1 if it is more than the table allows."""
    names = tracked(ROOT)
    found: Table = dict(counts(ROOT, names).items())
    found[PAGES] = (words(ROOT, names),)
    most = read(TABLE.read_text())
    if "--lower" in sys.argv[1:]:
        lowered = {name: _lower(most.get(name), found[name]) for name in found}
        TABLE.write_text(written(lowered))
        return 0
    over = list(above(found, most))
    print(written(found), end="")
    print("\n".join(over) or "all within the table")
    if over:
        print("error: make it smaller, or say in the commit what left for it")
    return bool(over)


def above(found: Table, most: Table) -> list[str]:
    """Return a line for each number of *found* that is above that of *most*."""
    over = []
    for place, numbers in found.items():
        allowed = most.get(place, (0,) * len(numbers))
        names = ("words",) if place == PAGES else Count._fields
        for what, number, limit in zip(names, numbers, allowed, strict=True):
            if number > limit:
                over.append(f"{place}: {number} {what}, {limit} are allowed")
    return over


def read(text: str) -> Table:
    """Return the numbers of each place in a table."""
    found: Table = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            cells = line.split()
            numbers = tuple(int(cell) for cell in cells if cell.isdigit())
            found[" ".join(cells[: -len(numbers)])] = numbers
    return found


def written(table: Table) -> str:
    """Return *table* as text, the places in order."""
    lines = [_HEAD]
    for place, numbers in sorted(table.items()):
        cells = zip(numbers, (8, 14, 12), strict=False)
        lines.append(f"{place:22}{''.join(f'{n:{width}}' for n, width in cells)}")
    return "\n".join(lines) + "\n"


def _lower(most: tuple[int, ...] | None, found: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(map(min, most, found)) if most else found


if __name__ == "__main__":
    raise SystemExit(main())

"""Counts the lines, files, statements and words that somebody has to keep."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterable, Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

GENERATED = (
    "kubectl_spy/knowledge/generated.py",
    "docs/cli.md",
    "docs/findings.md",
    "tools/budgets/table.txt",
)
_DATA = ("*.gz", "*.json", "*.ndjson", "*.svg", "*/LICENSE", "*.typed")
"""Files that were recorded, drawn or copied, and are no text of ours."""


class Count(NamedTuple):
    """What a place holds."""

    lines: int = 0
    """Of all text by hand: Python with its comments, YAML, pages, scripts."""
    files: int = 0
    """Python files."""
    statements: int = 0
    """Of Python, as its grammar counts them: no layout can hide one."""

    def plus(self, other: Count) -> Count:
        """Return both together."""
        return Count(*(one + two for one, two in zip(self, other, strict=True)))


def tracked(root: Path) -> list[str]:
    """Return the files of the checkout that git tracks or would take, by hand only."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=root, capture_output=True, text=True, check=True)
    apart = (*GENERATED, *_DATA)
    return [
        name
        for name in names.stdout.splitlines()
        if (root / name).is_file() and not any(fnmatch(name, each) for each in apart)
    ]


def counts(root: Path, names: Iterable[str]) -> dict[str, Count]:
    """Return what each place of the product holds; tests and tools as a whole.

    The places are `kubectl_spy`, each folder in it, `before the doors` (all but the
    extras), `tests` and `tools` (with benchmarks and scripts).
    """
    found: dict[str, Count] = {}
    for name in names:
        counted = count(root / name)
        for place in _places(name):
            found[place] = found.get(place, Count()).plus(counted)
    return found


def words(root: Path, names: Iterable[str]) -> int:
    """Return the words of all pages written by hand, the changelog among them."""
    pages = (name for name in names if _is_page(name))
    return sum(len((root / name).read_text().split()) for name in pages)


def count(path: Path) -> Count:
    """Return what a file holds. Nothing if it is no text."""
    try:
        text = path.read_text("utf-8")
    except UnicodeDecodeError:
        return Count()
    if path.suffix != ".py" and not text.startswith("#!/usr/bin/env python3"):
        return Count(text.count("\n"))
    statements = sum(isinstance(node, ast.stmt) for node in ast.walk(ast.parse(text)))
    return Count(text.count("\n"), int(path.suffix == ".py"), statements)


def _places(name: str) -> Iterator[str]:
    top, *below = name.split("/")
    if top == "kubectl_spy":
        yield top
        yield f"{top}/{below[0]}" if len(below) > 1 else f"{top}/*"
        if below[0] != "extras":
            yield "before the doors"
    elif top == "tests" and name.endswith(".py"):
        yield top
    elif top in ("tools", "benchmarks", "scripts"):
        yield "tools"


def _is_page(name: str) -> bool:
    return name.endswith(".md") and not name.startswith(("tests/", "tools/", "krew/"))

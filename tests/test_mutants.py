"""The faults of tools/mutants."""

from __future__ import annotations

import ast
from pathlib import Path

from tools.mutants.faults import chosen, faults_of

TEXT = '''
def least(numbers):
    """Return the least, ü."""
    for each in numbers:
        if each is not None and each < 1:
            note(each)
            continue
        return each + 2
'''


def test_a_fault_changes_one_thing_and_leaves_python(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(TEXT)
    found = {}
    for fault in faults_of(tmp_path, Path("a.py")):
        fault.apply(tmp_path)
        ast.parse(file.read_text())
        (line,) = {*file.read_text().splitlines()} - {*TEXT.splitlines()}
        found[fault.before] = line.strip()
        file.write_text(TEXT)
    assert found == {
        "each is not None and each < 1": "if (each is not None or each < 1):",
        "each is not None": "if (each is None) and each < 1:",
        "each < 1": "if each is not None and (each <= 1):",
        "1": "if each is not None and each < (2):",
        "note(each)": "pass",
        "continue": "break",
        "each + 2": "return (each - 2)",
        "2": "return each + (3)",
    }


def test_the_same_faults_are_chosen_where_a_function_has_moved(tmp_path: Path) -> None:
    for name, text in (("a.py", TEXT), ("b.py", f"import os\n\n{TEXT}")):
        (tmp_path / name).write_text(text)
    first, second = (
        [(fault.before, fault.after) for fault in chosen(tmp_path, [Path(name)], 5, 1)]
        for name in ("a.py", "b.py")
    )
    assert first == second

"""What tools/budgets counts, and what it refuses."""

from __future__ import annotations

from pathlib import Path

from tools.budgets.__main__ import above, read, written
from tools.budgets.counting import Count, count, counts


def test_lines_are_counted_with_comments_and_statements_without_layout(
    tmp_path: Path,
) -> None:
    file = tmp_path / "a.py"
    file.write_text('"""Doc."""\n\n# Why.\nif one: two = 3; four = 5\n')
    assert count(file) == Count(lines=4, files=1, statements=4)
    (tmp_path / "page.css").write_text("a {\n}\n")
    assert count(tmp_path / "page.css") == Count(lines=2)
    (tmp_path / "stream").write_bytes(b"\xff\n")
    assert count(tmp_path / "stream") == Count()


def test_a_file_of_the_product_counts_for_its_folder_too(tmp_path: Path) -> None:
    names = ("kubectl_spy/core/a.py", "kubectl_spy/extras/b.txt", "tests/c.py")
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text("one\n")
    assert counts(tmp_path, names) == {
        "kubectl_spy": Count(2, 1, 1),
        "kubectl_spy/core": Count(1, 1, 1),
        "kubectl_spy/extras": Count(1),
        "before the doors": Count(1, 1, 1),
        "tests": Count(1, 1, 1),
    }


def test_what_is_above_the_table_or_not_in_it_is_refused() -> None:
    table = {"tests": (10, 1, 5), "words of pages": (7,)}
    assert read(written(table)) == table
    assert above({"tests": (10, 1, 4), "words of pages": (7,)}, table) == []
    assert above({"tests": (9, 2, 5), "new": (1, 0, 0)}, table) == [
        "tests: 2 files, 1 are allowed",
        "new: 1 lines, 0 are allowed",
    ]
    assert above({"words of pages": (8,)}, table) == [
        "words of pages: 8 words, 7 are allowed"
    ]

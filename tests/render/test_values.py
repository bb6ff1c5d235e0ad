from __future__ import annotations

from kubectl_spy.render.values import LINE, block, clipped, line_changes

LONG = "".join(f'"option_{number}":"value",' for number in range(500))


def test_a_long_line_is_shown_where_it_changed() -> None:
    old, new = f"{LONG}info{LONG}\n", f"{LONG}debug{LONG}\n"
    changes = line_changes(old, new)
    assert changes is not None
    mark, minus, plus = changes
    assert mark == ("@", "line 1")
    assert minus[0] == "-" and 'value\\",info\\"option' in minus[1]
    assert plus[0] == "+" and 'value\\",debug\\"option' in plus[1]
    assert max(len(line) for _, line in changes) < LINE


def test_a_cut_line_says_its_length() -> None:
    assert clipped("short") == "short"
    assert clipped("x" * 5000) == "x" * LINE + "… (5,000 characters)"
    assert max(map(len, block({"annotation": f"{LONG}\n{LONG}"}))) < LINE + 40


def test_many_long_lines_are_cut_one_by_one() -> None:
    changes = line_changes(f"{LONG}1\n{LONG}2\n", f"{LONG}3\n{LONG}4\n{LONG}5\n")
    assert changes is not None
    assert [mark for mark, _ in changes] == ["@", "-", "-", "+", "+", "+"]
    assert all(line.endswith(" characters)") for _, line in changes[1:])

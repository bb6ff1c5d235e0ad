"""What is wrong in users' files is told in one line, with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from kubectl_spy.sources.knowledge_files import read_all

GOOD = "group: example.org\nkinds: {Widget: {health: []}}"
HEALTH = "group: a\nkinds:\n  A:\n    health:\n"
BAD = [
    ("", "1:1", "a mapping is expected here"),
    ("[]", "1:1", "a mapping is expected here"),
    ("kinds: {}", "1:1", "the API group of these kinds is expected here"),
    ("group: 1\nkinds: {}", "1:8", "the API group of these kinds is expected here"),
    ("group: a\nkinds: []", "2:8", "a mapping is expected here"),
    ("group: a\ndocs: [b]\nkinds: {}", "2:7", "the address of a page is expected"),
    ("group: a\nkind: {}", "2:1", "one of group, docs, kinds, healthCheckExprs"),
    ("group: a\nkinds:\n  A: {helth: []}", "3:7", 'is expected here, not "helth"'),
    ("group: a\nkinds:\n  A: {on: []}", "3:7", "write the key True as a text"),
    ("group: a\nkinds:\n  A: {health: {}}", "3:15", "a list is expected here"),
    ("group: a\nkinds:\n  A: {docs: 1}", "3:13", "the address of a page"),
    (HEALTH + "    - {}", "5:7", "one of failed, waiting, current, paused, ended"),
    (HEALTH + "    - {failed: {}, current: {}}", "5:7", "one of failed, waiting"),
    (HEALTH + "    - failed: {a b: c}", "5:16", "a path such as status.phase"),
    (HEALTH + "    - failed: {status.a: {}}\n      grace: soon", "6:14", "seconds"),
    (HEALTH + "    - failed: {}\n      final: maybe", "6:14", "true or false"),
    (HEALTH + "    - failed: {}\n      says: [a]", "6:13", "a text is expected here"),
    (HEALTH + "    - failed: {}\n      says: 'a {b c}'", "6:13", "a path such as"),
    (HEALTH + "    - failed: {}\n      remedy: \"k '{a.b}'\"", "6:15", "no quotes"),
    (HEALTH + "    - failed: {a: {bellow: 1}}", "5:20", 'not "bellow"'),
    (HEALTH + "    - failed: {a: {below: x y}}", "5:27", "a path such as"),
    (HEALTH + "    - failed: {a: {present: 1}}", "5:29", "true or false"),
    (HEALTH + "    - failed: {a: []}", "5:19", "a value, or a list of values"),
    (HEALTH + "    - failed: {a: {ends: {}}}", "5:26", "a value, or a list"),
    (HEALTH + "    - failed: {conditions: {R: {why: a}}}", "5:33", "status, reason"),
    (HEALTH + "    - failed: {conditions: [R]}", "5:28", "a mapping is expected here"),
    (HEALTH + "    - failed: {expression: ''}", "5:28", "a text is expected here"),
    ("group: a\nkinds:\n  A: {conditions: {odd: []}}", "3:20", "good, bad, warning"),
    ("group: a\nkinds:\n  A: {conditions: {bad: Ready}}", "3:25", "a list is"),
    ("group: a\nkinds:\n  A: {references: {a.b: {}}}", "3:25", "a text is expected"),
    ("group: a\nkinds:\n  A: {makes: {a: {kind: B, waits: no!}}}", "3:35", "true or"),
    ("group: a\nkinds:\n  A: {makes: {a: {kind: B, group: [c]}}}", "3:35", "an API"),
    ("group: a\nkinds:\n  A: {owns: [1]}", "3:14", "a text is expected here"),
    ("healthCheckExprs: {}", "1:19", "a list is expected here"),
    ("healthCheckExprs:\n- kind: A", "2:3", "a text is expected here"),
    ("healthCheckExprs:\n- {kind: A, failed2: a}", "2:13", "apiVersion, kind, current"),
    ("group: a\nkinds:\n  A: {}\n  A: {}", "4:3", "this key is in line 3 already"),
    ("group: a\nkinds: {A: {x: {b: 1, b: 2}}}", "2:23", "this key is in line 2"),
    ("group: a\n---\ngroup: b", "3:1", "it holds more than one document"),
    ("group: a\nkinds: a: b", "2:9", "it is not YAML"),
    ("group: a\nkinds: [\n", "3:1", "it is not YAML"),
    ("group: a\nkinds:\n\t- a", "3:1", "it is not YAML"),
    ("group: *a", "1:8", "its anchors and aliases do not fit"),
    ("group: !!python/name:os.system a", "1:8", "a tag or a key that is not allowed"),
    ("group: a\nx: &x {odd: 1}\nkinds: {A: *x}", "2:1", 'not "x"'),
    ("<<: {group: a}\nkinds: {A: {<<: {odd: 1}}}", "2:18", 'not "odd"'),
    (f"group: a\n{'k' * 90}: 1", "2:1", f'not "{"k" * 60}…"'),
]


@pytest.mark.parametrize(("text", "place", "expected"), BAD)
def test_what_is_wrong_is_told_in_one_line_with_its_place(
    tmp_path: Path, text: str, place: str, expected: str
) -> None:
    (tmp_path / "bad.yaml").write_text(text)
    (tmp_path / "good.yaml").write_text(GOOD)
    said: list[str] = []
    assert list(read_all([tmp_path], said.append)) == [("example.org", "Widget")]
    (line,) = said
    assert line.startswith(f"warning: {tmp_path / 'bad.yaml'}:{place}: ")
    assert expected in line and line.endswith("; the file is not used")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\x00", "it is not YAML"),
        ("[" * 5_000, "it is nested too deeply"),
        ("a: &a [*a]", "it contains itself by an alias"),
        ("a: &a 1\nb: [" + "*a, " * 50 + "]", "too many aliases"),
        ("# " + "x" * (9 << 20), "is larger than 8 MiB"),
    ],
)
def test_files_that_are_too_much_are_refused(
    tmp_path: Path, text: str, expected: str
) -> None:
    (tmp_path / "bad.yaml").write_text(text)
    said: list[str] = []
    assert read_all([tmp_path], said.append) == {}
    assert len(said) == 1 and expected in said[0] and "bad.yaml" in said[0]


def test_a_password_in_a_file_is_not_repeated(tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text('password: "hunter2\nkinds: *hunter2')
    (tmp_path / "worse.yaml").write_text("hunter2: 1\nhunter2: 2")
    said: list[str] = []
    read_all([tmp_path], said.append)
    assert len(said) == 2 and "hunter2" not in "".join(said)


def test_what_cannot_be_read_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "folder.yaml").mkdir()
    (tmp_path / "gone.yaml").symlink_to(tmp_path / "nothing")
    (tmp_path / ".hidden.yaml").write_text("[")
    (tmp_path / "note.txt").write_text("[")
    (tmp_path / "odd\x1b[2J.yaml").write_text("a: b: c")
    named = [tmp_path, tmp_path / "nowhere", tmp_path / "note.txt"]
    said: list[str] = []
    assert read_all(named, said.append) == {}
    assert said == [
        f"warning: {tmp_path}/folder.yaml: it is no file; the file is not used",
        f"warning: {tmp_path}/gone.yaml: it is no file; the file is not used",
        f"warning: {tmp_path}/odd\\u001b[2J.yaml:1:5: it is not YAML; "
        "the file is not used",
        *(
            f"warning: {tmp_path}/{name}; nothing in it is used"
            for name in (
                "nowhere: No such file or directory",
                "note.txt: Not a directory",
            )
        ),
    ]

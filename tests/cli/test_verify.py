"""`ls --verify`, and what any command makes of a file that somebody made up."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from kubectl_spy.cli.parsed import format_of
from kubectl_spy.cli.run.options import OfRecording, Options
from kubectl_spy.cli.run.recorded import replay as play
from kubectl_spy.cli.run.view import ChangeFormat
from kubectl_spy.cli.views.change_records import change_records
from kubectl_spy.cli.views.contents import apply_again, verify
from kubectl_spy.cli.views.difference import DiffFormat
from kubectl_spy.cli.views.differences import print_differences
from kubectl_spy.cli.views.state import OneObject
from kubectl_spy.core.changes.line_reading import decode
from kubectl_spy.core.changes.record import ChangeRecord, ChangeType
from kubectl_spy.core.cluster.selectors import Selectors
from kubectl_spy.core.patch.operation import PatchOperation
from kubectl_spy.errors import SpyError
from kubectl_spy.sinks.closed_segments import Rotation
from kubectl_spy.sinks.terminal import Terminal
from kubectl_spy.sources.recording.recording import Recording
from tests.builders import event, pod
from tests.cli.command import Spy
from tests.json_documents import hostile_json, nested
from tests.recordings import START, first_list, record, resealed, sealed, story


@pytest.fixture
def file(tmp_path: Path) -> Path:
    record(tmp_path / "file.spy", story())
    return tmp_path / "file.spy"


def test_a_whole_recording_is_verified(spy: Spy, file: Path) -> None:
    ended = spy.run("ls", "--verify", str(file))
    assert (ended.code, ended.err) == (0, "")
    lines = file.read_bytes().count(b"\n")
    assert ended.out.startswith(f"{file}: {lines} lines, ")
    assert ended.out.endswith("3 objects, 6 changes, every one as it was written\n")


def test_of_many_patches_jsonpatch_applies_a_sample(spy: Spy) -> None:
    versions = (
        pod("a", rv=str(each), phase=("Pending", "Running")[each % 2])
        for each in range(3, 2163)
    )
    changes = (event("MODIFIED", each, time=START) for each in versions)
    record(spy.home / "many.spy", [*first_list(pod("a"), time=START), *changes])
    ended = spy.run("ls", "--verify", str(spy.home / "many.spy"))
    assert ended.out.endswith(" written (jsonpatch: 2,010 of 2,160 patches)\n")


def test_a_missing_end_line_is_reported(spy: Spy) -> None:
    """A recorder that was killed does no damage, so the exit code is 0."""
    path = spy.home / "file.2026"  # not a segment
    lines = record(path, story())
    for count in (len(lines) - 1, 6, 2):
        path.write_bytes(b"".join(lines[:count]))
        ended = spy.run("ls", "--verify", str(path))
        assert (ended.code, ended.err) == (0, "")
        whole = "every one as it was written; not ended: killed or still running\n"
        assert ended.out.endswith(whole)


def test_a_patch_that_jsonpatch_applies_otherwise_is_named(file: Path) -> None:
    changes = [each for each in Recording(str(file)) if isinstance(each, ChangeRecord)]
    after = next(each for each in changes if each.type is ChangeType.MODIFIED)
    before = next(each for each in changes if each.identity == after.identity)
    apply_again(before, after)
    with pytest.raises(SpyError, match=f"seq:{after.seq} .*another object"):
        apply_again(before, after._replace(patch=after.patch[1:]))
    with pytest.raises(SpyError, match=f"seq:{after.seq} .*nowhere"):
        step = PatchOperation("remove", "/nowhere")
        apply_again(before, after._replace(patch=(step,)))


def test_a_closed_segment_needs_no_end(spy: Spy) -> None:
    record(spy.home / "file.spy", story(), rotation=Rotation(size=1))
    for path in spy.home.glob("file.spy*"):
        ended = spy.run("ls", "--verify", str(path))
        assert ended.code == 0
        assert ended.out.endswith("every one as it was written\n")


@pytest.mark.parametrize("damage", [b'"a"', b'"Pod"', b'"uid-a"', b'"Pending"'])
@pytest.mark.parametrize("point", ["first", "last", "seq:5", "rv:1", "09:00:00"])
def test_a_damaged_first_line_of_an_object_is_reported(
    spy: Spy, file: Path, damage: bytes, point: str
) -> None:
    lines = file.read_bytes().splitlines(keepends=True)
    at = next(n for n, raw in enumerate(lines) if b'"ADDED"' in raw and b'"a"' in raw)
    assert damage in lines[at]
    lines[at] = lines[at].replace(damage, damage.swapcase())
    file.write_bytes(b"".join(lines))
    ended = spy.run("show", str(file), "pod/a", "--at", point)
    assert (ended.code, ended.out) == (1, "")
    assert f"error: {file} is damaged, first at line {at + 1}; " in ended.err
    assert "was not seen" not in ended.err
    # An object that is in no line may be in the damaged one.
    other = spy.run("show", str(file), "pod/none", "--at", point)
    assert f"error: {file} is damaged, first at line {at + 1}; " in other.err


@pytest.mark.parametrize("number", [1, 2, 6, 9])
def test_the_first_bad_line_is_named(spy: Spy, file: Path, number: int) -> None:
    lines = file.read_bytes().splitlines(keepends=True)
    lines[number - 1] = lines[number - 1].replace(b"T15:0", b"T15:1", 1)
    lines[10] = lines[10][:-1] + b" \n"
    file.write_bytes(b"".join(lines))
    for command in ("ls", "changes", "status --from", "show pod/a --at"):
        name, *more = command.split()
        words = {"show": ["pod/a", "--at", "last"], "ls": ["--verify"]}
        arguments = ["--from"] if "--from" in more else []
        ended = spy.run(name, *arguments, str(file), *words.get(name, []))
        assert ended.code == 1, command
        # What a state does not rest on is not looked at; and without its STREAM there
        # is nothing to show.
        if name == "show" and number == 9:
            continue
        if (name, number) != ("show", 2):
            last = ended.err.splitlines()[-1]
            assert f"{file} is damaged, first at line {number}; " in last
        assert f"line {number} is damaged: its checksum does not match" in ended.err


_READERS = (
    "ls",
    "summary",
    "ls --verify",
    "changes",
    "export -o html",
    "export -o otlp-json",
)


@pytest.mark.parametrize("command", _READERS)
@pytest.mark.parametrize("number", [-1, 8])
def test_a_line_of_no_time_is_damaged(
    spy: Spy, file: Path, command: str, number: int
) -> None:
    lines = file.read_bytes().splitlines(keepends=True)
    lines[number] = resealed(lines[number], time="9999-12-31T23:59:59.999999Z")
    file.write_bytes(b"".join(lines))
    name, *flags = command.split()
    ended = spy.run(name, str(file), *flags)
    assert ended.code == 1 and "its time is none" in ended.err
    assert f"error: {file} is damaged, first at line " in ended.err


def test_a_difference_needs_two_undamaged_ends(spy: Spy, file: Path) -> None:
    lines = file.read_bytes().splitlines(keepends=True)
    lines[5] = lines[5].replace(b"Pod", b"pod", 1)
    file.write_bytes(b"".join(lines))
    assert spy.run("show", str(file), "pod/a", "--at", "first").code == 0
    ended = spy.run("diff", str(file), "pod/a", "first", "last")
    assert ended.code == 1
    assert "damaged, first at line 6" in ended.err


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("missing", "No such file or directory"),
        ("directory", "is a directory"),
        ("empty", "is no recording of kubectl spy"),
        ("text", "is no recording of kubectl spy"),
        ("later", "has format 2.0; this kubectl spy reads 1; use a newer kubectl spy"),
    ],
)
def test_what_is_no_recording_is_refused_by_every_command(
    spy: Spy, file: Path, name: str, message: str
) -> None:
    path = file.with_name(name)
    contents = {"empty": b"", "text": b"hello\n" * 2000}
    lines = file.read_bytes().splitlines(keepends=True)
    contents["later"] = b"".join([resealed(lines[0], version="2.0"), *lines[1:]])
    if name == "directory":
        path.mkdir()
    elif name in contents:
        path.write_bytes(contents[name])
    for words in (
        ["ls", "--verify", str(path)],
        ["changes", str(path)],
        ["changes", "--from", str(path)],
        ["show", str(path)],
        ["diff", str(path), "first", "last"],
        ["summary", str(path)],
    ):
        ended = spy.run(*words)
        assert (ended.code, ended.out) == (1, "")
        assert ended.err.startswith("error: ") and message in ended.err
        assert f"{path}.gz" not in ended.err
        assert len(ended.err.splitlines()) == 1


def test_escape_sequences_do_not_reach_the_terminal(spy: Spy) -> None:
    evil = "\x1b]0;owned\x07\x9b2J\u202e\r\n"
    phases = [pod(evil, rv=str(n), uid="u", phase=f"{evil}{n}") for n in (1, 2)]
    events = [*first_list(phases[0], time=START)]
    events.append(event("MODIFIED", phases[1], time=START + 1))
    lines = record(spy.home / "f", events)
    raw = lines[0].replace(b'"demo"', b'"\\u001b[2J"')
    header = resealed(lines[0], context=evil, targets=[evil], tool=evil)
    assert raw != header
    (spy.home / "f").write_bytes(b"".join([header, *lines[1:]]))
    path = str(spy.home / "f")
    for words in (
        *(["changes", path, "-o", each] for each in ("text", "json", "yaml")),
        ["show", path],
        ["show", path, "-o", "json"],
        ["diff", path, "first", "last"],
        ["diff", path, "first", "last", "-o", "semantic"],
        ["ls", "--verify", path],
    ):
        ended = spy.run(*words)
        assert ended.code == 0
        for char in ("\x1b", "\x07", "\x9b", "\u202e", "\r"):
            assert char not in ended.out + ended.err


@pytest.mark.parametrize("levels", [200, 900, 5000, 200_000])
def test_deep_documents_are_read_or_refused(spy: Spy, levels: int) -> None:
    lines = record(spy.home / "f", story())
    at = next(n for n, raw in enumerate(lines) if b'"ADDED"' in raw)
    mark = '"DEEP"'
    raw = resealed(lines[at], object={"kind": "Pod", "spec": "DEEP"})
    body = raw[: raw.rindex(b',"crc32"')].replace(mark.encode(), nested(levels))
    lines[at] = body + b',"crc32":"%08x"}\n' % zlib.crc32(body)
    (spy.home / "f").write_bytes(b"".join(lines))
    path = str(spy.home / "f")
    for words in (
        ["changes", path],
        ["changes", path, "-o", "json"],
        ["changes", path, "--ignore", "/*/*/*"],
        ["show", path, "pod/a", "--at", "first"],
        ["show", path, "pod/a", "--at", "first", "-o", "json"],
        ["diff", path, "pod/a", "first", "last", "-o", "jsonpatch"],
        ["diff", path, "pod/a", "first", "last", "-o", "semantic"],
        ["ls", "--verify", path],
    ):
        ended = spy.run(*words)
        assert ended.code in (0, 1), (words, ended.err[-400:])
        assert "Traceback" not in ended.err


HOSTILE = hostile_json(
    "object", "patch", "metadata", "status", "Pod", "pods", "v1", "/a"
)
TYPES = ["HEADER", "STREAM", "LISTED", "SNAPSHOT", "ADDED", "MODIFIED", "GAP", "LEFT"]
TYPES += ["LOG"]
MEMBERS = [
    "apiVersion",
    "kind",
    "namespace",
    "name",
    "uid",
    "resourceVersion",
    "previous",
    "managers",
    "object",
    "patch",
    "stream",
    "since",
    "until",
    "objects",
    "initial",
    "redaction",
    "only",
    "command",
    "context",
    "resource",
    "shortNames",
    "namespaced",
    "labelSelector",
    "recording",
    "watchOnly",
    "time",
]


@given(
    st.lists(
        st.tuples(st.integers(0, 10), st.sampled_from([None, *TYPES]), st.data()).map(
            lambda each: each[:2]
        ),
        max_size=3,
    ),
    st.lists(
        st.tuples(st.integers(0, 10), st.sampled_from(MEMBERS), HOSTILE), max_size=6
    ),
)
@example([], [(1, "stream", [])])
@example([], [(2, "stream", [])])
@settings(
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_a_made_up_recording_is_read_or_refused_and_never_a_bug(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    types: list[tuple[int, str]],
    members: list[tuple[int, str, Any]],
) -> None:
    """Every line has a valid checksum; the commands run in this process."""
    lines = [decode(raw) for raw in record_once(tmp_path).read_bytes().splitlines(True)]
    for at, kind in types:
        lines[at]["type"] = kind
    for at, name, value in members:
        lines[at][name] = value
    path = tmp_path / "made-up.spy"
    path.write_bytes(b"".join(map(sealed, lines)))
    for command in COMMANDS:
        try:
            command(str(path), Terminal(sys.stdout, sys.stderr))
        except SpyError as error:
            assert error.exit_code in (1, 2)
    printed = capsys.readouterr()
    for char in ("\x1b", "\x00", "\x9b"):
        assert char not in printed.out + printed.err


def record_once(directory: Path) -> Path:
    path = directory / "model.spy"
    if not path.exists():
        record(path, story())
    return path


SHOWN: dict[str, Any] = {
    "only": (),
    "ignore": (),
    "managers": (),
    "grep": None,
    "color": "never",
    "full": False,
}


def replayed(output: str) -> Callable[[str, Terminal], None]:
    def show(file: str, terminal: Terminal) -> None:
        everything = OfRecording(file=file, selectors=Selectors(None, None))
        shown = format_of(ChangeFormat, {**SHOWN, "output": output}, watch_only=False)
        play(Options(), everything, change_records(shown), terminal)

    return show


def compared(semantic: bool) -> Callable[[str, Terminal], None]:
    def compare(file: str, terminal: Terminal) -> None:
        flags = {**SHOWN, "output": "text", "semantic": semantic, "who": False}
        asked = OneObject(file, (), None, Selectors(None, None))
        shown = format_of(DiffFormat, flags)
        print_differences((asked, asked), ("first", "last"), shown, terminal)

    return compare


COMMANDS = [
    verify,
    replayed("text"),
    replayed("json"),
    replayed("yaml"),
    compared(False),
    compared(True),
]


@pytest.mark.parametrize("words", [["ls", "--verify"], ["changes"], ["ls"]])
def test_three_damaged_places_are_named_and_the_others_counted(
    spy: Spy, file: Path, words: list[str]
) -> None:
    lines = file.read_bytes().splitlines(keepends=True)
    for number in range(3, 9):
        lines[number] = lines[number].replace(b"T15:0", b"T15:1", 1)
    file.write_bytes(b"".join(lines))
    ended = spy.run(*words, str(file))
    said = [each for each in ended.err.splitlines() if each.startswith("warning: ")]
    assert ended.code == 1 and len(said) == 4
    assert said[3] == f"warning: {file}: 3 more damaged places"


@pytest.mark.parametrize("command", ["trace", "events", "spans"])
def test_the_same_gap_is_said_once_with_its_count(tmp_path: Path, command: str) -> None:
    """The times of the recording jump, and every second of its lines is lost."""
    versions = [pod("a", rv=f"{n}", phase=f"{n}") for n in range(2, 202)]
    jumps = [START + 100.0 * (number // 2 % 2) for number in range(200)]
    changes = [
        event("MODIFIED", each, time=at)
        for each, at in zip(versions, jumps, strict=True)
    ]
    file = tmp_path / "it.spy"
    lines = record(file, [*first_list(pod("a", rv="1"), time=START), *changes])
    file.write_bytes(b"".join(lines[:5] + lines[5::2]))
    said = Spy(tmp_path).run(command, str(file)).err.splitlines()
    gaps = [each for each in said if each.startswith("GAP: changes of pod objects")]
    assert len(gaps) == len({*gaps}) == 3
    assert gaps[2] == f"{gaps[1]}: 100 times"

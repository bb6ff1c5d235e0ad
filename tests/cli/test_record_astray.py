"""A file that is deleted, moved or replaced while it is recorded to."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.changing import config_map
from tests.cli.command import PATIENCE, Spy
from tests.cli.test_record import lines_of, watched
from tests.extras.serve.api_server.server import Serve
from tests.processes import wait_until

pytestmark = pytest.mark.skipif(os.name == "nt", reason="an open file cannot be moved")

THEIRS = "somebody else's\n"


def delete(file: Path) -> None:
    file.unlink()


def move(file: Path) -> None:
    file.rename(file.with_name("moved.spy"))


def replace(file: Path) -> None:
    other = file.with_name("other")
    other.write_text(THEIRS)
    other.replace(file)


def truncate(file: Path) -> None:
    file.write_bytes(b"")


def scribble(file: Path) -> None:
    with file.open("a") as other:
        other.write(THEIRS)


def holds(file: Path, text: str) -> bool:
    try:
        return text.encode() in file.read_bytes()
    except FileNotFoundError:  # while it is rotated, too
        return False


@pytest.mark.parametrize(
    ("meddle", "happened"),
    [
        (delete, "was deleted"),
        (move, "was moved"),
        (replace, "was replaced"),
        (truncate, "was changed by another program"),
        (scribble, "was changed by another program"),
    ],
)
@pytest.mark.parametrize(
    "flags", [(), ("--max-size", "1")], ids=["one file", "rotated"]
)
def test_a_recorder_replaces_a_deleted_file(
    spy: Spy,
    serve: Serve,
    meddle: Callable[[Path], None],
    happened: str,
    flags: tuple[str, ...],
) -> None:
    server, file = serve(), spy.home / "file.spy"
    server.put(config_map(1))
    # The next name is taken already.
    (spy.home / "file-2.spy.0001").write_text(THEIRS)
    with spy.running("record", "cm", "-f", str(file), *flags) as running:
        running.wait_for_talk("recording to")
        server.wait_for_watches(1, PATIENCE)
        wait_until(lambda: holds(file, "LISTED"))
        meddle(file)
        running.wait_for_talk(f"warning: {file} {happened} while it was recorded to")
        server.put(config_map(2))
        following = spy.home / "file-3.spy"
        running.wait_for_talk(f"recording to {following} from now on")
        server.put(config_map(3))
        wait_until(lambda: holds(following, '"value":"3"'))
        ended = running.end()
    assert ended.code == 0
    assert f"recorded to {following}: " in ended.err
    assert (spy.home / "file-2.spy.0001").read_text() == THEIRS
    if meddle is replace:
        assert file.read_text() == THEIRS
    verified = spy.run("ls", "--verify", str(following))
    assert (verified.code, verified.err) == (0, "")
    replayed = spy.run("changes", str(following)).out
    assert 'replace  /data/number  "2" → "3"' in replayed


def test_a_file_deleted_at_the_end_is_written_anew(spy: Spy, serve: Serve) -> None:
    server, file = serve(), spy.home / "file.spy"
    server.put(config_map(1))
    with spy.running("record", "cm", "-f", str(file)) as running:
        running.wait_for_talk("recording to")
        wait_until(lambda: holds(file, "LISTED"))
        file.unlink()
        ended = running.end()
    assert ended.code == 0
    assert f"warning: {file} was deleted" in ended.err
    following = spy.home / "file-2.spy"
    assert [line["type"] for line in lines_of(following)][-1] == "END"
    assert spy.run("show", str(following), "cm/web").code == 0


def test_the_new_file_holds_the_first_change(spy: Spy, serve: Serve) -> None:
    server, file = serve(), spy.home / "file.spy"
    following = spy.home / "file-2.spy"
    server.put(config_map(1))
    with spy.running("record", "cm", "-f", str(file)) as running:
        running.wait_for_talk("recording to")
        server.wait_for_watches(1, PATIENCE)
        wait_until(lambda: holds(file, "LISTED"))
        file.unlink()
        running.wait_for_talk(f"warning: {file} was deleted")
        server.refuse("/api/", 503)
        server.tear_watches()
        running.wait_for_talk("trying again")
        server.admit()
        server.delete(config_map(1))
        wait_until(lambda: holds(following, "DELETED"))
        assert running.end().code == 0
    told = [line["type"] for line in lines_of(following)]
    assert told[:4] == ["HEADER", "STREAM", "SNAPSHOT", "LISTED"]
    assert set(told[4:]) == {"RECONNECT", "DELETED", "END"}
    verified = spy.run("ls", "--verify", str(following))
    assert (verified.code, verified.err) == (0, "")


@pytest.mark.parametrize("state", ["missing", "empty", "torn"])
@pytest.mark.parametrize("packed", [True, False])
def test_an_interrupted_rotation_is_continued(
    spy: Spy, serve: Serve, state: str, packed: bool
) -> None:
    server, file = serve(), spy.home / "file.spy"
    watched(spy, server, "cm", "-f", str(file), puts=[config_map(1), config_map(2)])
    raw = file.read_bytes()
    segment = spy.home / "file.spy.0001"
    file.rename(segment)
    if packed:
        segment.unlink()
        Path(f"{segment}.gz").write_bytes(gzip.compress(raw))
    else:
        Path(f"{segment}.gz.unfinished").write_bytes(gzip.compress(raw)[:-9])
    if state != "missing":
        file.write_bytes(b'{"seq":12,"ti' if state == "torn" else b"")
    refused = spy.run("record", "cm", "-f", str(file))
    assert refused.code == 2
    assert "continue it with --append" in refused.err
    flags = ("cm", "-f", str(file), "--append")
    assert watched(spy, server, *flags, puts=[config_map(3)]).code == 0
    assert not list(spy.home.glob("*.unfinished"))
    first, second, *_ = lines_of(file)
    assert (first["type"], first["segment"]) == ("HEADER", 2)
    assert second["type"] == "RESUME"
    verified = spy.run("ls", "--verify", str(file))
    assert (verified.code, verified.err) == (0, "")
    replayed = spy.run("changes", str(file)).out
    assert "may have been missed" in replayed
    assert 'replace  /data/number  "2" → "3"' in replayed


def test_appending_packs_earlier_segments(spy: Spy, serve: Serve) -> None:
    server, file = serve(), spy.home / "file.spy"
    watched(spy, server, "cm", "-f", str(file), puts=[config_map(1)])
    segment, other = spy.home / "file.spy.0001", spy.home / "file.spy.2026"
    raw = file.read_bytes()
    segment.write_bytes(raw)
    other.write_text(THEIRS)
    with spy.running("record", "cm", "-f", str(file), "--append") as running:
        running.wait_for_talk("recording to")
        wait_until(lambda: not segment.exists())
        assert running.end().code == 0
    assert gzip.decompress(Path(f"{segment}.gz").read_bytes()) == raw
    assert other.read_text() == THEIRS


def test_too_long_names_for_rotation_are_refused(spy: Spy, serve: Serve) -> None:
    serve()
    name = spy.home / ("x" * 251)
    ended = spy.run("record", "cm", "-f", str(name), "--max-size", "1k")
    assert (ended.code, ended.out) == (2, "")
    assert "is too long a name for a recording in segments" in ended.err
    assert len(ended.err.splitlines()) == 1
    assert not name.exists()
    with spy.running("record", "cm", "-f", str(name)) as running:
        running.wait_for_talk("watching ")
        assert running.end().code == 0

"""`record`: where it writes, what it refuses, how it goes on, what it never holds."""

from __future__ import annotations

import base64
import gzip
import json
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kubectl_spy.core.changes.history import History
from kubectl_spy.core.changes.line_reading import decode
from kubectl_spy.sinks.closed_segments import Rotation
from tests import processes
from tests.builders import event, manifest, pod
from tests.cli.changing import config_map
from tests.cli.command import PATIENCE, Ended, Spy, wait_for_file
from tests.extras.serve.api_server.server import ApiServer, Serve
from tests.recordings import START, first_list, items_of, record, recorder_to, story

SECRET = b"\xfb\xff\xbe plain as day \xfb\xef\xff"
PLAIN = "s3cret-in-string-data"


def secret(number: int, *, password: bytes = SECRET) -> dict[str, Any]:
    """Return a Secret whose annotations give its values away in every form."""
    encoded = base64.b64encode(password).decode()
    applied = json.dumps({"data": {"password": encoded}})
    annotations = {
        "kubectl.kubernetes.io/last-applied-configuration": applied,
        "urlsafe": f"see {base64.urlsafe_b64encode(password).decode()}",
        "unpadded": base64.urlsafe_b64encode(password).decode().rstrip("="),
        "encoded": base64.b64encode(PLAIN.encode()).decode(),
        "plain": f"it is {PLAIN}",
    }
    return manifest(
        "Secret",
        "db",
        "default",
        metadata={"annotations": annotations},
        data={"password": encoded, "number": str(number).zfill(8)},
        stringData={"token": PLAIN},
    )


def forms(value: bytes) -> list[bytes]:
    both = [base64.b64encode(value), base64.urlsafe_b64encode(value)]
    return [value, *both, *(each.rstrip(b"=") for each in both)]


def watched(
    spy: Spy,
    server: ApiServer,
    *arguments: str,
    puts: list[Any],
    until: Callable[[], bool] = lambda: True,
) -> Ended:
    """Record while *puts* are put, until the last of them is in the file."""
    file = Path(arguments[arguments.index("-f") + 1])
    with spy.running("record", *arguments) as running:
        server.wait_for_watches(1, PATIENCE)
        for each in puts:
            version = server.put(each)["metadata"]["resourceVersion"]
        wait_for_file(file, f'"resourceVersion":"{version}"'.encode())
        processes.wait_until(until)
        ended = running.end()
    server.drop_watches()
    server.wait_for_watches(0, PATIENCE)
    return ended


def lines_of(file: Path) -> list[dict[str, Any]]:
    return [decode(raw) for raw in file.read_bytes().splitlines(keepends=True)]


def test_recorded_secrets_are_masked_but_change(spy: Spy, serve: Serve) -> None:
    server, file = serve(), spy.home / "file.spy"
    server.put(secret(1))
    puts = [secret(2), secret(2, password=SECRET[::-1])]
    ended = watched(spy, server, "secret/db", "-f", str(file), puts=puts)
    assert (ended.code, ended.out) == (0, "")
    raw = file.read_bytes()
    for value in (SECRET, SECRET[::-1], PLAIN.encode()):
        assert [form for form in forms(value) if form in raw] == []
    changed = spy.run("changes", str(file), "-o", "json").out.splitlines()
    paths = [
        {step["path"] for step in json.loads(each)["patch"]} for each in changed[1:]
    ]
    assert paths[0] == {"/data/number"}
    assert "/data/password" in paths[1]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600

    again = watched(
        spy, server, "secret/db", "-f", str(file), "--append", puts=[secret(3)]
    )
    assert again.code == 0
    kinds = [line["type"] for line in lines_of(file)]
    at = kinds.index("RESUME")
    assert kinds[at - 1 : at + 4] == ["END", "RESUME", "STREAM", "GAP", "ADDED"]
    epochs = {
        line["redaction"]["epoch"] for line in lines_of(file) if "redaction" in line
    }
    assert len(epochs) == 2
    ended = spy.run("diff", str(file), "first", "last", "-o", "jsonpatch")
    assert ended.code == 0
    assert "masked, cannot compare" in ended.err
    assert json.loads(ended.out) == []
    assert [form for form in forms(SECRET) if form in file.read_bytes()] == []
    assert spy.run("ls", "--verify", str(file)).code == 0


def test_secrets_are_recorded_on_request(spy: Spy, serve: Serve) -> None:
    server, file = serve(), spy.home / "file.spy"
    flags = ("secret/db", "-f", str(file), "--show-secrets")
    watched(spy, server, *flags, puts=[secret(1)])
    assert base64.b64encode(SECRET) in file.read_bytes()
    for command in (["status", "--from", str(file)], ["changes", "--from", str(file)]):
        ended = spy.run(*command, "--show-secrets")
        assert (ended.code, ended.out) == (2, "")


def test_appending_keeps_a_torn_line(spy: Spy, serve: Serve) -> None:
    server, file = serve(), spy.home / "file.spy"
    watched(spy, server, "cm", "-f", str(file), puts=[config_map(1), config_map(2)])
    raw = file.read_bytes()
    torn = raw.splitlines(keepends=True)[-1][:30]
    file.write_bytes(raw[: raw.rindex(b'{"seq"')] + torn)
    warned = spy.run("ls", "--verify", str(file))
    assert warned.code == 0
    assert "its last line is torn" in warned.err
    assert "its last line is torn" in spy.run("changes", str(file)).err
    watched(spy, server, "cm", "-f", str(file), "--append", puts=[config_map(3)])
    assert Path(f"{file}.torn").read_bytes() == torn
    assert stat.S_IMODE(Path(f"{file}.torn").stat().st_mode) == 0o600
    lines = lines_of(file)
    assert [line["seq"] for line in lines] == list(range(1, len(lines) + 1))
    gap = next(line for line in lines if line["type"] == "GAP")
    resume = next(line for line in lines if line["type"] == "RESUME")
    assert gap["since"] < gap["until"] == resume["time"]
    verified = spy.run("ls", "--verify", str(file))
    assert (verified.code, verified.err) == (0, "")
    replayed = spy.run("changes", str(file)).out
    assert "may have been missed" in replayed
    assert 'replace  /data/number  "2" → "3"' in replayed


def test_appending_may_change_targets(spy: Spy, serve: Serve) -> None:
    server, file = serve(), spy.home / "file.spy"
    watched(spy, server, "cm", "-f", str(file), puts=[config_map(1)])
    flags = ("secret/db", "-f", str(file), "--append")
    watched(spy, server, *flags, puts=[secret(1)])
    for target in ("cm/web", "secret/db"):
        assert spy.run("show", str(file), target).code == 0
        assert spy.run("changes", str(file), target).code == 0
    assert spy.run("show", str(file), "pod/web").code == 1
    assert spy.run("changes", str(file), "pod/web").code == 1


def test_unusable_files_are_refused_and_kept(spy: Spy, serve: Serve) -> None:
    serve()
    whole = spy.home / "whole.spy"
    record(whole, story())
    held = whole.read_bytes()
    link, packed = spy.home / "link.spy", spy.home / "packed.gz"
    link.symlink_to(whole)
    packed.write_bytes(gzip.compress(held))
    other, directory = spy.home / "other.txt", spy.home / "dir"
    other.write_text("something else\n")
    directory.mkdir()
    segment = spy.home / "rotated.spy.0001.gz"
    segment.write_bytes(gzip.compress(held))
    fifo = spy.home / "fifo"
    os.mkfifo(fifo)
    cases = [
        (whole, [], 2, "exists; choose another name, or continue it with --append"),
        (whole, ["--append"], 2, "was recorded from another cluster (context demo)"),
        (link, [], 2, "exists"),
        (link, ["--append"], 2, "is a symbolic link"),
        (packed, ["--append"], 2, "does not begin as a recording does"),
        (other, ["--append"], 2, "does not begin as a recording does"),
        (directory, [], 2, "is a directory"),
        (directory, ["--append"], 1, "Is a directory"),
        (fifo, ["--append"], 2, "is no file"),
        (Path("/dev/full"), [], 2, "exists"),
        (Path("/dev/full"), ["--append"], 2, "is no file"),
        (spy.home / "no" / "such", [], 1, "No such file or directory"),
        (spy.home / "rotated.spy", [], 2, "a segment of an earlier recording"),
        (Path("-"), [], 2, "a recording is a file"),
    ]
    for file, flags, code, message in cases:
        ended = spy.run("record", "cm", "-f", str(file), *flags)
        assert (ended.code, ended.out, message in ended.err) == (code, "", True), ended
        errors = [line for line in ended.err.splitlines() if "error" in line]
        assert len(errors) == 1 and "Traceback" not in ended.err
    assert whole.read_bytes() == held
    assert spy.run("changes", "cm", "--record", str(whole)).code == 2


def test_similar_file_names_are_no_segments(spy: Spy, serve: Serve) -> None:
    serve()
    (spy.home / "run.1.txt").write_text("notes")
    (spy.home / "run.0001.txt").write_text("notes")
    with spy.running("record", "cm", "-f", str(spy.home / "run")) as running:
        running.wait_for_talk("recording to")
        ended = running.end()
    assert ended.code == 0
    assert lines_of(spy.home / "run")[-1]["type"] == "END"


def test_rotated_segments_are_packed_and_readable(spy: Spy, serve: Serve) -> None:
    server, file = serve(), spy.home / "file.spy"
    puts = [config_map(number) for number in range(60)]
    ended = watched(
        *(spy, server, "cm", "-f", str(file), "--max-size", "4k"),
        puts=puts,
        # In the background: what is not packed at the end stays as it is.
        until=lambda: len([*spy.home.glob("file.spy.0*.gz")]) > 3,
    )
    assert ended.code == 0
    closed = sorted(spy.home.glob("file.spy.0*"))
    assert all(stat.S_IMODE(each.stat().st_mode) == 0o600 for each in closed)
    whole = spy.run("changes", str(file), "-o", "json")
    assert whole.code == 0
    records = [json.loads(line) for line in whole.out.splitlines()]
    versions = [each["resourceVersion"] for each in records]
    assert [each["type"] for each in records] == ["ADDED", *["MODIFIED"] * 59]
    for each in [*closed, file]:
        alone = spy.run("changes", str(each), "-o", "json")
        assert spy.run("ls", "--verify", str(each)).code == 0
        first, *more = [json.loads(line) for line in alone.out.splitlines()]
        assert first["type"] == "ADDED"
        assert [one["type"] for one in more] == ["MODIFIED"] * len(more)
        assert all(one["resourceVersion"] in versions for one in (first, *more))
    last = spy.run("show", str(file), "--at", f"rv:{versions[7]}", "-o", "json")
    assert json.loads(last.out)["data"]["number"] == "7"


@pytest.mark.parametrize("seconds", [0.0, None])
def test_rotations_change_nothing_for_readers(spy: Spy, seconds: float | None) -> None:
    """Every step of a rotation that a kill may end leaves the same to read."""
    record(spy.home / "plain.spy", story())
    plain = spy.run("changes", str(spy.home / "plain.spy"))
    file = spy.home / "file.spy"
    history = History()
    rotation = Rotation(age=seconds) if seconds is not None else Rotation(size=1)
    recorder = recorder_to(file, history, rotation=rotation)
    for item in items_of(history, story()):
        recorder.observe(item)
    recorder.end("done")
    read = spy.run("changes", str(file), "-o", "json")
    assert spy.run("changes", str(file)).stdout == plain.stdout
    # Compressed, but the plain one not yet removed; half compressed; not begun.
    first = next(each for each in sorted(spy.home.glob("file.spy.0001*")))
    raw = first.read_bytes()
    raw = gzip.decompress(raw) if first.suffix == ".gz" else raw
    (spy.home / "file.spy.0001").write_bytes(raw)
    (spy.home / "file.spy.0001.gz").write_bytes(gzip.compress(raw))
    (spy.home / "file.spy.0002.gz.unfinished").write_bytes(b"\x1f\x8b")
    assert spy.run("changes", str(file), "-o", "json").stdout == read.stdout
    # The header of the new file is not there yet, nor is the file itself.
    rest = file.read_bytes()
    newest = spy.run("changes", str(file), "-o", "json").out
    file.write_bytes(b"")
    assert spy.run("ls", "--verify", str(file)).code == 0
    file.unlink()
    ended = spy.run("changes", str(file), "-o", "json")
    assert ended.code == 0 and newest.startswith(ended.out) and rest


MEASURE = """
import resource, subprocess, sys
subprocess.run([sys.executable, "-m", "kubectl_spy", *sys.argv[1:]],
               stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
"""


def test_the_memory_of_a_replay_is_bounded(spy: Spy) -> None:
    taken = []
    for count in (500, 4_000):
        events = first_list(pod(rv="0"), time=START)
        for n in range(1, count):
            filler = "x" * (3_000 + n % 7)
            changed = pod(rv=str(n), phase=str(n), annotations={"a": filler})
            events.append(event("MODIFIED", changed, time=START + n / 100))
        file = spy.home / f"{count}.spy"
        record(file, events)
        for command in (["changes", str(file)], ["ls", "--verify", str(file)]):
            measured = processes.run(
                [sys.executable, "-c", MEASURE, *command],
                env=spy.environ,
                capture_output=True,
                check=True,
            )
            taken.append(int(measured.stdout))
    assert taken[2] < taken[0] + 8
    assert taken[3] < taken[1] + 8


def test_recorders_with_one_key_give_equal_tags(spy: Spy, serve: Serve) -> None:
    server, key = serve(), spy.home / "mask.key"
    server.put(secret(1))
    key.write_bytes(os.urandom(32))
    key.chmod(0o600)
    files = [str(spy.home / name) for name in ("one.spy", "two.spy", "other.spy")]
    for file in files:
        flags = () if file == files[2] else ("--mask-key-file", str(key))
        ended = watched(spy, server, "secret/db", "-f", file, *flags, puts=[secret(2)])
        assert ended.code == 0, ended.err
    same = spy.run("diff", files[0], files[1])
    assert (same.code, same.out) == (0, "") and "cannot compare" not in same.err
    assert "cannot compare" in spy.run("diff", files[0], files[2]).err
    epochs = [lines_of(Path(file))[0]["redaction"]["epoch"] for file in files]
    assert epochs[0] == epochs[1] != epochs[2]
    key.write_bytes(b"short")
    ended = spy.run("record", "pods", "-f", "x", "--mask-key-file", str(key))
    assert (ended.code, "does not have 32 bytes" in ended.err) == (2, True)


def test_an_appended_run_with_the_same_key_is_not_the_beginning(
    spy: Spy, serve: Serve
) -> None:
    server, key, file = serve(), spy.home / "mask.key", str(spy.home / "a.spy")
    key.write_bytes(os.urandom(32))
    key.chmod(0o600)
    server.put(config_map(1))
    flags = ("configmaps", "-f", file, "--mask-key-file", str(key))
    assert watched(spy, server, *flags, puts=[config_map(2)]).code == 0
    server.put(config_map(3, "late"))
    again = watched(spy, server, *flags, "--append", puts=[config_map(4)])
    assert again.code == 0, again.err
    at = ("--at", "2020-01-01T00:00:00Z")
    assert spy.run("show", file, "cm/web", *at).code == 0
    late = spy.run("show", file, "cm/late", *at)
    assert late.code == 1 and "configmap/late was seen first at" in late.err

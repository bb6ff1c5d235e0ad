"""A replay prints, byte for byte, what the live command printed."""

from __future__ import annotations

import gzip
import itertools
import json
import os
import re
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from kubectl_spy.core.changes.history import History
from kubectl_spy.core.changes.record import Watched
from tests.builders import ALL_PODS, manifest
from tests.cli.command import PATIENCE, Ended, Running, Spy, wait_for_file
from tests.cli.recorded import SENTINEL, Collection, collections
from tests.cli.test_streams import put_sentinel
from tests.extras.serve.api_server.server import Serve
from tests.extras.serve.api_server.streams import recording_names
from tests.processes import limits
from tests.recordings import START, items_of, record, recorder_to, story, versions_in

# Every command, output, filter and colour at least twice over all the streams.
WAYS = (
    ("changes", "-o", "text", "--color", "always"),
    ("status", "-o", "json"),
    ("status", "-o", "text", "--watch-only"),
    ("changes", "-o", "yaml", "--only", "/status", "--only", "/metadata/labels/*"),
    ("changes", "-o", "json", "--watch-only"),
    ("status", "-o", "yaml", "--color", "always"),
    ("changes", "-o", "json", "--ignore", "/status/conditions", "--ignore", "/spec/*"),
    ("changes", "-o", "text", "--only", "/status", "--only", "/metadata/name"),
    ("changes", "-o", "text"),
)


# The first line of the sentinel's record, in text, JSON, YAML or a patch.
ITS_ADDED = re.compile(
    rb"""ADDED [^\n]*%b|"name":"%b","uid"|^name: %b$|"reason":"%b"}}}]""".replace(
        b"%b", SENTINEL.encode()
    ),
    re.MULTILINE,
)


def output_flags(way: tuple[str, ...]) -> list[str]:
    """Return the flags that a replay must be told again: -o and --color."""
    return [
        word
        for flag, value in itertools.pairwise(way)
        if flag in ("-o", "--color")
        for word in (flag, value)
    ]


def ways_of(number: int) -> list[tuple[str, ...]]:
    return [WAYS[(2 * number + step) % len(WAYS)] for step in range(2)]


def wait_for_the_end(running: Running, streams: int) -> None:
    running.wait_until(lambda seen: len(ITS_ADDED.findall(seen.stdout)) >= streams)


def follow_all(
    spy: Spy,
    serve: Serve,
    name: str,
    ways: list[tuple[str, ...]],
    files: list[Path],
    *,
    of: list[Collection],
) -> list[bytes]:
    """Run commands side by side, each recording, and return what they printed."""
    server = serve(name, watches_before_play=1000)
    namespace = (server.namespaces or [""])[0]
    where = ["-n", namespace] if namespace else ["-A"]
    types = ",".join(each.word for each in of)
    with ExitStack() as stack:
        running = [
            stack.enter_context(
                spy.running(way[0], types, *where, *way[1:], "--record", str(file))
            )
            for way, file in zip(ways, files, strict=True)
        ]
        server.wait_for_watches(len(ways) * len(of), PATIENCE)
        server.play()
        server.wait_until_played(PATIENCE)
        for each in of:
            put_sentinel(server, namespace or "default", each)
        for each_running in running:
            wait_for_the_end(each_running, len(of))
        return [each_running.end().stdout for each_running in running]


@pytest.mark.parametrize("name", recording_names())
def test_a_replay_is_byte_for_byte_what_was_printed_live(
    spy: Spy, serve: Serve, name: str
) -> None:
    of = collections(name, status=False)
    ways = ways_of(recording_names().index(name))
    files = [spy.home / f"{number}.spy" for number in range(len(ways))]
    printed = follow_all(spy, serve, name, ways, files, of=of)
    for way, file, live in zip(ways, files, printed, strict=True):
        check_same(spy.run(way[0], str(file), *output_flags(way)), live)
        check_same(spy.run(way[0], "--from", str(file), *way[1:]), live)
    # Two processes stop at moments of their own: what both have recorded is the same.
    one, other = (
        {
            (record["type"], record.get("uid"), record.get("resourceVersion")): record
            for record in (each.as_json() for each in versions_in(file))
            if record.get("name") != SENTINEL
        }
        for file in files[:2]
    )
    common = one.keys() & other.keys()
    assert len(common) >= 0.9 * max(len(one), len(other)) > 0
    for key in common:
        assert alike(one[key]) == alike(other[key])


@pytest.mark.parametrize("output", ["text", "json", "yaml", "jsonpatch"])
@pytest.mark.parametrize("command", ["status", "changes"])
def test_a_replay_of_one_object_is_what_was_printed_live(
    spy: Spy, serve: Serve, command: str, output: str
) -> None:
    """Also of a Pod that is deleted and comes again, and of `record` beside it."""
    server = serve("recreate", watches_before_play=1000)
    [namespace] = server.namespaces
    pods = next(each for each in collections("recreate", status=False))
    name = json.loads(pods.seen[0].document)["metadata"]["name"]
    target = [f"{pods.word}/{name}", "-n", namespace]
    own, whole = spy.home / "own.spy", spy.home / "whole.spy"
    flags = ("-o", output, "--color", "always")
    with (
        spy.running(command, *target, *flags, "--record", str(own)) as running,
        spy.running("record", pods.word, "-n", namespace, "-f", str(whole)) as recorder,
    ):
        server.wait_for_watches(2, PATIENCE)
        server.play()
        server.wait_until_played(PATIENCE)
        server.put(manifest("Pod", name, namespace, status={"reason": SENTINEL}))
        running.wait_until(lambda seen: SENTINEL.encode() in seen.stdout)
        live = running.end().stdout
        wait_for_file(whole, SENTINEL.encode())
        assert recorder.end().code == 0
    check_same(spy.run(command, str(own), *flags), live)
    check_same(spy.run(command, "--from", str(own), *flags), live)
    # Another process saw the same: the same but for the times.
    ended = spy.run(command, target[0], "--from", str(whole), *flags)
    assert ended.code == 0
    if output == "jsonpatch":
        assert ended.stdout == live
    if output == "json":
        assert [untimed(line) for line in ended.out.splitlines()] == [
            untimed(line) for line in live.splitlines()
        ]


def alike(record: dict[str, Any]) -> str:
    """Return *record* without what two processes do not share: moments and a key."""
    moments = {"seq": 0, "time": "", "written": ""}
    return re.sub(r"\*\*\* [0-9a-f]{16}", "***", json.dumps(record | moments))


def check_same(replayed: Ended, live: bytes) -> None:
    """Check that *replayed* is *live*, which Ctrl-C may have cut in its last record."""
    assert replayed.code == 0
    assert replayed.stdout[: len(live)] == live
    rest = replayed.stdout[len(live) :]
    assert len(ITS_ADDED.findall(rest)) == 0
    assert rest.count(b"\n") < 20


def untimed(line: str | bytes) -> dict[str, Any]:
    return {**json.loads(line), "time": ""}


def test_a_replay_reads_gzip_and_standard_input(spy: Spy) -> None:
    file = spy.home / "plain.spy"
    raw = b"".join(record(file, story()))
    packed = spy.home / "packed.gz"
    packed.write_bytes(gzip.compress(raw))
    plain = spy.run("changes", str(file))
    assert (plain.code, plain.out.count("\n")) == (0, 12)
    assert spy.run("changes", str(packed)).stdout == plain.stdout
    for given in (spy.home / "plain.spy", packed):
        for command in (("changes", "-"), ("changes", "--from", "-")):
            with given.open("rb") as stream:
                ended = spy.run(*command, stdin=stream.fileno())
            assert (ended.code, ended.stdout) == (0, plain.stdout)


def test_a_timeout_ends_a_replay(spy: Spy, file: str) -> None:
    """Here nothing more comes through a pipe."""
    lines = Path(file).read_bytes().splitlines(keepends=True)
    (listed,) = (n for n, line in enumerate(lines) if b'"type":"LISTED"' in line)
    for seconds in limits(0.3):
        reading, writing = os.pipe()
        try:
            os.write(writing, b"".join(lines[: listed + 1]))
            limit = f"{seconds * 1000:.0f}ms"
            ended = spy.run("changes", "-", "--timeout", limit, stdin=reading)
        finally:
            os.close(reading)
            os.close(writing)
        if ended.out:
            break
    assert ended.code == 124
    assert ended.out.endswith("LISTED    2 pods in namespace shop\n")


@pytest.mark.parametrize(
    ("flags", "seen"),
    [
        (["--since", "15:04:06"], ["a 3", "c 4", "b 5", "b 6", "b 7", "a 8"]),
        (["--since", "15:04:06.001"], ["c 4", "b 5", "b 6", "b 7", "a 8"]),
        (["--until", "15:04:07"], ["a 1", "b 2", "a 3", "c 4", "b 5"]),
        (["--until", "2026-11-21T15:04:07Z"], ["a 1", "b 2", "a 3"]),
        (["--since", "15:04:07", "--until", "15:04:07"], ["c 4", "b 5"]),
        (["--since", "09:00:00", "--until", "15:04:06"], ["a 1", "b 2", "a 3"]),
        (["pod/b"], ["b 2", "b 5", "b 6", "b 7"]),
        (["pods", "-n", "shop", "--since", "15:05:00"], ["a 8"]),
        (["v1", "Pod", "shop/c"], ["c 4"]),
    ],
)
def test_a_part_can_be_replayed(
    spy: Spy, file: str, flags: list[str], seen: list[str]
) -> None:
    ended = spy.run("changes", file, *flags, "-o", "json")
    assert ended.code == 0
    records = ended.records
    assert [f"{each['name']} {each['resourceVersion']}" for each in records] == seen
    assert [each["seq"] for each in records] == list(range(1, len(seen) + 1))


@pytest.mark.parametrize(
    "window",
    [
        ["--since", "15:04:20", "--until", "15:04:30"],
        ["--since", "15:06:00"],
        ["--until", "15:04:04"],
        ["--since", "2026-11-20T15:04:04Z", "--until", "2026-11-20T15:05:04Z"],
    ],
)
def test_an_empty_window_is_reported(spy: Spy, file: str, window: list[str]) -> None:
    ended = spy.run("changes", file, *window)
    assert (ended.code, ended.out) == (0, "")
    extent = f"{file} is from 2026-11-21 15:04:05Z to 2026-11-21 15:05:05"
    assert f"warning: nothing was recorded then: {extent}\n" in ended.err


@pytest.mark.parametrize("words", [("changes",), ("changes", "--from")])
def test_recorded_notes_are_replayed(spy: Spy, words: tuple[str, ...]) -> None:
    path, history = spy.home / "night.spy", History()
    recorder = recorder_to(path, history)
    for item in items_of(history, story()):
        recorder.observe(item)
    note = "note: pods not listed for an hour: what may belong to it is missing here"
    recorder.observe(Watched(ALL_PODS, True, "watching again", START))
    recorder.note(note)
    recorder.end("done")
    said = spy.run(*words, str(path)).err.splitlines()
    assert said.count(note) == 1
    assert not any("watching again" in each for each in said)

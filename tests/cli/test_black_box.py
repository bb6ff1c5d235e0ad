"""A recording with `--keep` is a ring, and `--stop-on` ends it when something fails."""

from __future__ import annotations

import json
import os
import re
import signal
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from kubectl_spy.core.changes.record import ChangeRecord, ChangeType
from kubectl_spy.core.times import rfc3339
from kubectl_spy.sources.recording.recording import Recording
from tests.builders import manifest
from tests.cli.changing import config_map, writing
from tests.cli.command import PATIENCE, Ended, Running, Spy, wait_for_lists
from tests.extras.serve.api_server.server import ApiServer, Serve
from tests.processes import wait_until

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals are POSIX's")

KEEP, SEGMENT = 2.0, 1.0
MOST = KEEP + 2 * SEGMENT + 1
RING = ("--keep", "2s")


@contextmanager
def ring(
    spy: Spy, server: ApiServer, file: Path, *more: str, target: str = "cm"
) -> Iterator[Running]:
    """Record a ring, while ConfigMaps change."""
    with spy.running("record", target, "-f", str(file), *RING, *more) as running:
        running.wait_for_talk("recording to")
        # With --owned, Events are watched, too.
        watches = len(target.split(",")) + ("--owned" in more)
        server.wait_for_watches(watches, PATIENCE)
        with writing(server, objects=3, size=400, pause=0.05):
            yield running


def segments(file: Path) -> list[str]:
    """Return the numbers of the closed segments, in order."""
    names = (each.name for each in file.parent.iterdir())
    found = (re.search(r"\.([0-9]{4})(?:\.gz)?$", name) for name in names)
    return sorted({each[1] for each in found if each})


def wait_for_ring(file: Path) -> None:
    """Wait until a segment was deleted."""
    wait_until(lambda: (held := segments(file)) and held[0] > "0002")


def wait_for_changes(file: Path, count: int = 1) -> None:
    wait_until(lambda: file.read_bytes().count(b'"MODIFIED"') == count)


def read_whole(file: Path) -> tuple[Recording, list[ChangeRecord]]:
    """Return a recording and its records. Only its last line may be torn."""
    recording = Recording(str(file))
    records = [each for each in recording if isinstance(each, ChangeRecord)]
    assert [each for each in recording.damages if not each.torn] == []
    assert not [each for each in records if each.type is ChangeType.GAP]
    return recording, records


def pod(name: str = "web", phase: str = "Running") -> dict[str, Any]:
    spec = {"containers": [{"name": "app", "image": "app:1"}]}
    return manifest("Pod", name, "default", spec=spec, status={"phase": phase})


def test_a_ring_holds_the_time_to_keep_and_little_more(spy: Spy, serve: Serve) -> None:
    server, file = serve(), spy.home / "box.spy"
    mine = spy.home / "box.spy.0001.mine"
    mine.write_text("not of this run")
    with ring(spy, server, file, "--owned") as running:
        wait_for_ring(file)
        for _ in range(20):
            recording, records = read_whole(file)
            assert time.time() - recording.began >= KEEP
            wait_until(lambda: time.time() - read_whole(file)[0].began <= MOST)
            time.sleep(0.1)
        ended = running.end()
    assert ended.code == 0
    assert f"recording to {file}, the last 2.0s of it" in ended.err
    assert mine.read_text() == "not of this run"
    modes = {stat.S_IMODE(each.stat().st_mode) for each in spy.home.glob("box.spy*")}
    assert modes - {stat.S_IMODE(mine.stat().st_mode)} == {0o600}
    recording, records = read_whole(file)
    changes = sum(not each.initial for each in records)
    last = ended.err.splitlines()[-1]
    told = re.search(r"(\d+) objects at the end, (\d+) changes, .*, (.*)s, last", last)
    assert told and last.startswith(f"recorded to {file}: ")
    assert int(told[1]) == 3 and int(told[2]) == changes
    assert float(told[3]) <= MOST + 5  # on a slow machine

    at = f"seq:{records[len(records) // 2].seq}"
    for command in (
        ["ls", file],
        ["ls", "--verify", file],
        ["changes", file],
        ["show", file, "cm/web-1", "--at", at],
        ["diff", file, "cm/web-1", "first", "last"],
        ["blame", file, "cm/web-1"],
        ["trace", "cm/web-1", "--from", file, "--once"],
        ["events", "cm/web-1", "--from", file],
        ["spans", "cm/web-1", "--from", file],
    ):
        read = spy.run(*map(str, command))
        assert read.code == 0, (command, read.err)
        assert "warning" not in read.err and "GAP" not in read.out, command


def test_a_quiet_ring_goes_on_turning(spy: Spy, serve: Serve) -> None:
    server, file = serve(), spy.home / "box.spy"
    server.put(config_map(1))
    with spy.running("record", "cm", "-f", str(file), *RING) as running:
        running.wait_for_talk("recording to")
        wait_for_ring(file)
        server.put(config_map(2))
        wait_until(lambda: b'"MODIFIED"' in file.read_bytes())
        assert running.end().code == 0
    _, records = read_whole(file)
    assert [each.type for each in records] == [ChangeType.ADDED, ChangeType.MODIFIED]


def test_a_failure_ends_the_ring_and_the_time_before_it_is_kept(
    spy: Spy, serve: Serve
) -> None:
    server, file = serve(), spy.home / "box.spy"
    server.put(pod("fine"))
    server.put(pod())
    more = ("--stop-on", "failed", "--after", "3s")
    with ring(spy, server, file, *more, target="pods,cm") as running:
        wait_for_ring(file)
        oldest = segments(file)[0]
        server.put(pod(phase="Failed"))
        ended = running.ended()
    assert ended.code == 0
    _, met, last = ended.err.splitlines()[-3:]
    assert met == "pod/web: Failed; recording goes on for 3.0s"
    assert last.startswith(f"recorded to {file}: 5 objects at the end, ")
    recording, records = read_whole(file)
    assert recording.ended == "done"
    assert segments(file)[0] <= f"{int(oldest) + 1:04}"
    before, failed = [each for each in records if each.name == "web"]
    assert before.document["status"]["phase"] == "Running"
    assert failed.document["status"]["phase"] == "Failed"
    assert failed.time - recording.began >= KEEP - 0.1
    assert recording.last - failed.time >= 3


def test_a_timeout_after_the_condition_is_met_is_no_failure(
    spy: Spy, serve: Serve
) -> None:
    server, file = serve(), spy.home / "box.spy"
    server.put(pod())
    flags = ("--stop-on", "create", "--after", "1h", "-f", str(file))

    def done(ended: Ended) -> bool:
        met = "recording goes on for" in ended.err
        if not met:
            file.unlink(missing_ok=True)
        return met

    ended = spy.run_in_time("record", "pod/web", *flags, done=done)
    assert ended.code == 0, ended.err
    assert Recording(str(file)).last_seq


BAD_IMAGE: dict[str, Any] = {
    "waiting": {"reason": "InvalidImageName", "message": "no image"}
}
WAITS = {"name": "app", "image": "APP", "imageID": "", "restartCount": 0}
WAITS |= {"ready": False, "state": BAD_IMAGE}


@pytest.mark.parametrize(
    ("status", "told"),
    [
        ({"phase": "Failed"}, "pod/web: Failed\n"),
        ({"phase": "Pending", "containerStatuses": [WAITS]}, "pod/web: "),
    ],
)
def test_one_of_several_targets_may_never_meet_the_condition(
    spy: Spy, serve: Serve, status: dict[str, Any], told: str
) -> None:
    server, file = serve(), spy.home / "box.spy"
    server.put(pod("done", phase="Succeeded"))
    server.put(pod())
    flags = ("--stop-on", "failed", "--after", "0")
    with spy.running("record", "pods", "-f", str(file), *flags) as running:
        server.wait_for_watches(1, PATIENCE)
        server.delete(pod("done"))
        server.put({**pod(), "status": status})
        ended = running.ended()
    assert ended.code == 0
    assert told in ended.err
    alone = spy.home / "alone.spy"
    server.put(pod("done", phase="Succeeded"))
    ended = spy.run("record", "pod/done", "-f", str(alone), *flags)
    assert ended.code == 1
    assert "cannot fail any more" in ended.err


def waits(name: str, image: str = "app:1", **state: Any) -> dict[str, Any]:
    """Return a Pod whose container waits, or runs and is ready."""
    ready = {"ready": not state, "state": state or {"running": {}}}
    conditions = [{"type": "Ready", "status": "False" if state else "True"}]
    status = {"phase": "Running", "conditions": conditions}
    status |= {"containerStatuses": [WAITS | ready]}
    spec = {"containers": [{"name": "app", "image": image}]}
    return pod(name) | {"spec": spec, "status": status}


def job(name: str) -> dict[str, Any]:
    """Return a Job that failed long ago."""
    failed = {"type": "Failed", "status": "True", "reason": "BackoffLimitExceeded"}
    failed |= {"lastTransitionTime": "2026-01-01T00:00:00Z"}
    return manifest("Job", name, "default", spec={}, status={"conditions": [failed]})


@pytest.mark.parametrize("target", [[], ["jobs,pods"], ["pod/web", "--owned"]])
def test_what_fails_at_the_start_ends_it_only_if_it_fails_again(
    spy: Spy, serve: Serve, target: list[str]
) -> None:
    server, file = serve(), spy.home / "box.spy"
    server.put(job("nightly"))
    server.put(waits("web", **BAD_IMAGE))
    flags = ("-f", str(file), "--stop-on", "failed", "--after", "0")
    with spy.running("record", *target, *flags) as running:
        running.wait_for_talk("fails already: ")
        server.put(waits("web"))
        wait_for_changes(file)
        server.put(waits("web", "app:2", **BAD_IMAGE))
        ended = running.ended()
    *_, already, met, _ = ended.err.splitlines()
    assert already.startswith("fails already: ")
    assert already.endswith("; only a new failure is awaited")
    assert ("job.batch/nightly: " in already) is (target != ["pod/web", "--owned"])
    assert "pod/web: InvalidImageName: app:1" in already
    assert met == "pod/web: InvalidImageName: app:2"
    assert ended.code == 0
    *_, last = read_whole(file)[1]
    assert last.name == "web" and last.type is ChangeType.MODIFIED


def test_a_crash_loop_is_not_well_between_two_runs(spy: Spy, serve: Serve) -> None:
    server, file = serve(), spy.home / "box.spy"
    began, now = rfc3339(time.time() - 300), rfc3339(time.time())
    last = {"exitCode": 1, "startedAt": began, "finishedAt": now}
    runs = {"lastState": {"terminated": last}, "restartCount": 7}
    fails, runs_again = (
        waits("web", waiting={"reason": "CrashLoopBackOff"}),
        waits("web"),
    )
    for each in (fails, runs_again):
        each["status"]["containerStatuses"][0] |= runs
    runs_again["status"]["containerStatuses"][0]["state"]["running"]["startedAt"] = now
    server.put(fails)
    flags = ("-f", str(file), "--stop-on", "failed", "--after", "0")
    with spy.running("record", "pods", *flags) as running:
        running.wait_for_talk("fails already: pod/web: CrashLoopBackOff: exited with 1")
        for count, each in enumerate((runs_again, fails), 1):
            server.put(each)
            wait_for_changes(file, count)
        server.put(waits("other", **BAD_IMAGE))
        stopped = running.ended()
    assert stopped.err.splitlines()[-2] == "pod/other: InvalidImageName: app:1"


def test_something_else_that_fails_ends_it(spy: Spy, serve: Serve) -> None:
    server, file = serve(), spy.home / "box.spy"
    for number in range(25):
        server.put(job(f"nightly-{number}"))
    flags = ("-f", str(file), "--stop-on", "failed", "--after", "0")
    with spy.running("record", *flags) as running:
        running.wait_for_talk(" and 22 more; only a new failure is awaited")
        server.put(job("nightly-0") | {"spec": {"parallelism": 2}})
        wait_for_changes(file)
        server.put(waits("web", **BAD_IMAGE))
        ended = running.ended()
    assert ended.err.splitlines()[-2] == "pod/web: InvalidImageName: app:1"


def test_a_killed_ring_is_readable_and_goes_on(spy: Spy, serve: Serve) -> None:
    server, file = serve(), spy.home / "box.spy"
    with ring(spy, server, file) as running:
        wait_for_ring(file)
        running.end(signal.SIGKILL)
    killed = time.time()
    recording, records = read_whole(file)
    assert killed - recording.began >= KEEP and records
    listed = spy.run("ls", str(file), "-o", "json")
    assert listed.code == 0
    assert json.loads(listed.out)["gaps"] == []
    before = segments(file)
    with ring(spy, server, file, "--append") as running:
        wait_until(lambda: not {*before} & {*segments(file)})
        assert running.end().code == 0
    recording = Recording(str(file))
    records = [each for each in recording if isinstance(each, ChangeRecord)]
    assert [each for each in recording.damages if not each.torn] == []
    assert records and recording.last - recording.began >= KEEP


def test_a_ring_that_goes_on_deletes_only_its_own(spy: Spy, serve: Serve) -> None:
    server, file = serve(), spy.home / "box.spy"
    with ring(spy, server, file) as running:
        wait_for_ring(file)
        running.end(signal.SIGKILL)
    before, oldest = segments(file), min(spy.home.glob("box.spy.0*"))
    oldest.unlink()
    oldest.write_text("mine")
    with ring(spy, server, file, "--append") as running:
        wait_until(lambda: not {*before[1:]} & {*segments(file)})
        assert running.end().code == 0
    assert oldest.read_text() == "mine"


@pytest.mark.parametrize(
    ("first", "then", "told"),
    [
        (RING, (), "--keep 2s"),
        (RING, ("--keep", "1h"), "--keep 2s"),
        ((), RING, "no --keep"),
    ],
)
def test_a_ring_keeps_what_it_was_to_keep(
    spy: Spy, serve: Serve, first: tuple[str, ...], then: tuple[str, ...], told: str
) -> None:
    server, file = serve(), spy.home / "box.spy"
    server.put(config_map(1))
    words = ("record", "cm", "-f", str(file))
    with spy.running(*words, *first) as running:
        wait_for_lists(file)
        assert running.end().code == 0
    ended = spy.run(*words, "--append", *then)
    remedy = "continue it so, or record to a new file"
    assert (ended.code, ended.err) == (
        2,
        f"error: {file} was recorded with {told}; {remedy}\n",
    )


def test_a_ring_deletes_no_file_of_anybody_else(spy: Spy, serve: Serve) -> None:
    server, file = serve(), spy.home / "box.spy"
    first = spy.home / "box.spy.0001.gz"
    with ring(spy, server, file) as running:
        wait_until(first.exists)
        first.rename(spy.home / "saved.gz")
        first.write_text("mine")
        wait_until(lambda: "0002" not in segments(file))
        assert running.end().code == 0
    assert first.read_text() == "mine"
    assert Recording(str(spy.home / "saved.gz")).header["segment"] == 1


def test_a_ring_may_turn_while_it_is_read(spy: Spy, serve: Serve) -> None:
    server, file = serve(), spy.home / "box.spy"
    with ring(spy, server, file) as running:
        wait_for_ring(file)
        recording = Recording(str(file))
        items = iter(recording)
        next(items)
        oldest = segments(file)[0]
        wait_until(lambda: segments(file)[0] > f"{int(oldest) + 2:04}")
        assert len(list(items)) > 20
        assert [each for each in recording.damages if not each.torn] == []
        assert running.end().code == 0

"""A recording is the first argument of every command that reads, and `--from` its long
form; `--since` and `--until` choose a part of it."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tests.cli.command import Spy
from tests.recordings import record, story

READERS = ("status", "changes", "blame -o json", "summary", "ls", "ls --verify")
TARGETED = ("status", "changes", "blame", "summary", "ls", "show")


@pytest.fixture
def spy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Spy:
    monkeypatch.chdir(tmp_path)
    record(tmp_path / "night.spy", story())
    return Spy(tmp_path)


@pytest.mark.parametrize("command", READERS)
def test_a_file_comes_first_or_behind_from(spy: Spy, command: str) -> None:
    name, *more = command.split()
    first = spy.run(name, "night.spy", *more)
    for other in (
        spy.run(name, "--from", "night.spy", *more),
        spy.run(name, *more, "--from=night.spy"),
    ):
        assert (other.code, other.stdout, other.err) == (0, first.stdout, first.err)
    assert first.stdout


@pytest.mark.parametrize("command", TARGETED)
def test_targets_follow_the_file(spy: Spy, command: str) -> None:
    first = spy.run(command, "night.spy", "pod/a")
    other = spy.run(command, "pod/a", "--from", "night.spy")
    assert (first.code, first.stdout) == (other.code, other.stdout) and first.stdout
    assert first.code == 0


@pytest.mark.parametrize("command", TARGETED)
def test_two_recordings_where_one_is_meant(spy: Spy, command: str) -> None:
    ended = spy.run(command, "--from", "night.spy", "night.spy")
    assert ended.code == 2
    assert "there are two recordings, night.spy and night.spy" in ended.err
    assert len(ended.err.splitlines()) == 1


@pytest.mark.parametrize("name", ["gone.spy", "gone.spy.gz", "./gone", "/gone"])
def test_a_word_that_only_a_recording_can_be_is_one_that_is_missing(
    spy: Spy, name: str
) -> None:
    ended = spy.run("trace", name, "deploy/web")
    path = name.removeprefix("./")
    assert ended.err == f"error: cannot read {path}: No such file or directory\n"


def test_a_file_that_is_no_recording_is_a_target(spy: Spy, tmp_path: Path) -> None:
    (tmp_path / "deploy").mkdir()
    (tmp_path / "deploy" / "web").write_text("image: nginx")
    packed = gzip.compress((tmp_path / "night.spy").read_bytes())
    (tmp_path / "pods").write_bytes(packed)
    assert "kubeconfig" in spy.run("status", "deploy/web").err
    assert "is no recording" in spy.run("status", "./deploy/web").err
    assert spy.run("changes", "pods").code == 0  # gzipped, so it is a recording


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("--since 3s", "a"),
        ("--since 56s", "b a"),
        ("--since -3s", "a"),
        ("--since 0.05min", "a"),
        ("--since 1d3h", "a b c"),
        ("--since last-3s", "a"),
        ("--since first+4.5s", "b a"),
        ("--since first+4.5s --until 30s", "b"),
        ("--until first+4.5s", "a b c"),
    ],
)
def test_a_window_counts_from_the_end(spy: Spy, words: str, names: str) -> None:
    """The story takes a minute: b is created anew after 5 s, a fails at the end."""
    told = spy.run("ls", "night.spy", "-o", "json", *words.split())
    assert told.code == 0
    found = [each.split('"')[0] for each in told.out.split('"name":"')[1:]]
    assert sorted(found) == sorted(names.split())
    shown = spy.run("changes", "night.spy", "-o", "short", *words.split())
    assert all(f"pod/{name}" in shown.out for name in names.split())


def test_review_takes_from_as_well(spy: Spy) -> None:
    assert "--until" in spy.run("review", "--from", "night.spy", "--until", "5m").err


@pytest.mark.parametrize("command", ["changes", "trace", "summary", "blame", "ls"])
def test_of_several_targets_the_one_that_is_missing_is_named(
    spy: Spy, command: str
) -> None:
    """What is there is shown, as by kubectl."""
    ended = spy.run(command, "night.spy", "pod/a", "pod/nosuch")
    assert ended.code == 1 and ended.out
    assert "error: pod/nosuch is not in night.spy" in ended.err.splitlines()[-1]
    assert spy.run(command, "night.spy", "pod/a", "pod/a").code == 0


def test_diff_of_a_recording_alone_compares_its_ends(spy: Spy) -> None:
    alone, both = (
        spy.run("diff", "night.spy"),
        spy.run("diff", "night.spy", "first", "last"),
    )
    assert (alone.code, alone.out) == (0, both.out) and alone.out
    of_one = spy.run("diff", "night.spy", "pod/a")
    assert of_one.out == spy.run("diff", "night.spy", "pod/a", "first", "last").out

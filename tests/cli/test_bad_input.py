"""What a person types by mistake gets one line, in the person's words."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import Spy
from tests.core.summary import judge

FILE = Path(judge.__file__).with_name("incidents") / "two-causes.spy.gz"
ABSENT = {
    "trace a.spy deploy/shop": "deploy/shop is not in a.spy; there is api, reader, web",
    "trace a.spy x": 'nothing of "x" was recorded; there is deployments.apps, '
    "replicasets.apps, statefulsets.apps, daemonsets.apps, jobs.batch and 14 more",
    "trace a.spy -n nowhere": "what was asked for in namespace nowhere is not in "
    "a.spy; there is no namespace nowhere; there is two-causes",
}


@pytest.fixture
def spy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Spy:
    monkeypatch.chdir(tmp_path)
    for name in ("a.spy", "b.spy", "c.spy"):
        (tmp_path / name).symlink_to(FILE)
    (tmp_path / "notes.md").write_text("what happened")
    return Spy(tmp_path)


@pytest.mark.parametrize("line", ABSENT)
def test_what_is_not_there_gets_at_most_five_names_that_are(
    spy: Spy, line: str
) -> None:
    ended = spy.run(*line.split())
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.splitlines()[1:] == [f"error: {ABSENT[line]}"]


@pytest.mark.parametrize(
    "line",
    [
        *("status a.spy", "changes a.spy", "changes a.spy --since 5s -o json"),
        *("trace a.spy", "events a.spy", "spans a.spy", "blame a.spy", "ls a.spy"),
        *("summary a.spy", "summary a.spy -l app=web -o json", "show a.spy"),
        *("diff a.spy first last", "export a.spy -o html"),
    ],
)
def test_a_namespace_that_was_not_recorded_is_one_error(spy: Spy, line: str) -> None:
    ended = spy.run(*line.split(), "-n", "nowhere")
    assert (ended.code, ended.out) == (1, "")
    *_, last = ended.err.splitlines()
    assert last.startswith("error: ")
    assert last.endswith("; there is no namespace nowhere; there is two-causes")


def test_a_namespace_that_is_only_empty_is_no_error(spy: Spy) -> None:
    ended = spy.run("changes", "a.spy", "-n", "two-causes", "-l", "app=nothing")
    assert (ended.code, ended.out) == (0, "")
    assert "note: what was asked for in namespace two-causes is not" in ended.err
    early = ("changes", "a.spy", "-n", "nowhere", "--until", "first+1s")
    assert spy.run(*early).code == 0  # it may come later


@pytest.mark.parametrize("since", ["9h", "2020-01-01"])
def test_a_window_from_before_the_recording_is_all_of_it(spy: Spy, since: str) -> None:
    ended = spy.run("summary", "a.spy", "--since", since)
    assert ended.out == spy.run("summary", "a.spy").out
    said = "9h before the end" if since == "9h" else since
    assert ended.err.startswith(f"note: {said} is before the beginning: a.spy is from")


def test_a_date_is_its_first_and_its_last_moment(spy: Spy) -> None:
    words = ("ls", "a.spy", "--since", "2026-11-23", "--until", "2026-11-23")
    assert spy.run(*words).out == spy.run("ls", "a.spy").out
    ended = spy.run("ls", "a.spy", "--until", "2026-11-22")
    assert "2026-11-22 is before the beginning" in ended.err


def test_a_recording_alone_is_summarized(spy: Spy) -> None:
    assert spy.run("a.spy").out == spy.run("summary", "a.spy").out != ""


def test_a_file_beside_it_may_be_meant(spy: Spy, tmp_path: Path) -> None:
    (tmp_path / "night.spy").symlink_to(FILE)
    assert spy.run("ls", "nihgt.spy").err.endswith("; did you mean night.spy?\n")

"""What a person types by mistake gets one line, in the person's words."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import Spy
from tests.core.summary import judge

FILE = Path(judge.__file__).with_name("incidents") / "two-causes.spy.gz"
REFUSED = {
    "ls a.spy b.spy": "there are two recordings, a.spy and b.spy; try kubectl spy "
    "diff a.spy b.spy",
    "ls --verify a.spy b.spy": "there are two recordings, a.spy and b.spy; try for f "
    "in *.spy.gz; do kubectl spy ls $f --verify; done",
    "trace a.spy b.spy c.spy": "there are 3 recordings, a.spy, b.spy and 1 more; try "
    "for f in *.spy.gz; do kubectl spy trace $f; done",
    "trace deploy/web a.spy": "a recording is the first argument; try kubectl spy "
    "trace a.spy deploy/web",
    "trace notes.md": "notes.md is a file, and no recording; a target is TYPE or "
    "TYPE/NAME, as in deploy/web",
    "export a.spy --html x.html": "--html is now -o html [-f FILE], as in -o html -f "
    "page.html",
    "logs deploy/web": "kubectl spy prints no logs by themselves; those of what failed "
    "stand in kubectl spy trace, all in kubectl logs",
}
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


@pytest.mark.parametrize("line", REFUSED)
def test_one_line_says_what_to_type(spy: Spy, line: str) -> None:
    ended = spy.run(*line.split())
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == f"error: {REFUSED[line]}\n"


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


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("record pods -o new.spy", "did you mean -f FILE, and --timeout 10s?"),
        ("record pods --for 10s", "--stop-on COND, or --timeout 10s, and -f FILE?"),
        ("record new.spy", "add -f new.spy"),
        ("changes pods --oneline", "did you mean -o short?"),
        ("status deploy/web --for 10s", "did you mean --timeout 10s?"),
    ],
)
def test_what_others_call_so_is_named(spy: Spy, typed: str, said: str) -> None:
    ended = spy.run(*typed.split())
    assert (ended.code, ended.out, len(ended.err.splitlines())) == (2, "", 1)
    assert said in ended.err


def test_a_file_beside_it_may_be_meant(spy: Spy, tmp_path: Path) -> None:
    (tmp_path / "night.spy").symlink_to(FILE)
    assert spy.run("ls", "nihgt.spy").err.endswith("; did you mean night.spy?\n")

"""The page of a recording: its figures, its limits, and what gets into it."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from kubectl_spy.extras.report.recording_page import LARGEST, MOST_CHANGES
from tests.builders import event, pod
from tests.cli.command import Spy
from tests.extras.report.exported import exported
from tests.extras.spans.test_spans_html import HOSTILE, Elements
from tests.recordings import ORIGIN, START, first_list, record, story

INCIDENTS = Path(__file__).parents[2] / "core/summary/incidents"


def flood(file: Path, count: int) -> None:
    """Record *count* changes of one Pod, ten a second."""
    phases = ("Running", "Pending")
    changes = [
        event(
            "MODIFIED",
            pod(rv=str(number), phase=phases[number % 2]),
            time=START + 1 + number / 10,
        )
        for number in range(count)
    ]
    record(file, [*first_list(pod(rv="first"), time=START), *changes])


@pytest.fixture
def file(tmp_path: Path, directory: Path) -> Path:
    """A recording of workloads."""
    return Path(shutil.copy(directory / "workloads.spy", tmp_path / "it's.spy"))


def test_the_page_has_the_objects_and_changes_of_the_recording(
    spy: Spy, file: Path
) -> None:
    page, ended = exported(spy, file)
    assert (ended.code, ended.err) == (0, "")
    objects = json.loads(spy.run("ls", str(file), "-o", "json").out)["objects"]
    changes = sum(each["changes"] for each in objects)
    elements = Elements(page.read_text())
    shown = [of["id"] for tag, of, _ in elements.found if tag == "li" and "id" in of]
    assert len(shown) == changes
    facts = "\n".join(elements.texts("p"))
    assert "2026-11-21 15:04:05Z to 15:04:48Z (43s), context demo" in facts
    assert f"{len(objects)} objects, {changes} changes, 1 failure, no gaps" in facts
    failures = page.read_text().partition("<h2>Failures</h2>")[2][:1000]
    assert "job.batch/failing  " in failures and "exited with 7" in failures
    rows = [of for tag, of, _ in elements.found if tag == "th" and "row" in of.values()]
    assert len(rows) == len([each for each in objects if each["kind"] != "Event"])


def test_every_link_leads_to_one_place(spy: Spy, file: Path) -> None:
    page, _ = exported(spy, file)
    elements = Elements(page.read_text())
    ids = [of["id"] for _, of, _ in elements.found if "id" in of]
    links = {of["href"] for tag, of, _ in elements.found if tag == "a"}
    assert len(set(ids)) == len(ids) and len(links) > 50
    assert links <= {f"#{each}" for each in ids}


def test_the_page_loads_nothing_and_runs_what_its_policy_names(
    spy: Spy, file: Path
) -> None:
    page, _ = exported(spy, file)
    text = page.read_text()
    elements = Elements(text)
    for tag, attributes, _ in elements.found:
        assert not {"src", "srcset", "action", "style"} & set(attributes)
        assert not [name for name in attributes if name.startswith("on")]
        assert tag not in ("link", "iframe", "object", "base", "img")
    assert "url(" not in text and "default-src 'none'; style-src 'sha256-" in text
    (script,) = elements.texts("script")
    for way in ("innerHTML", "outerHTML", "insertAdjacent", "eval(", "fetch(", "XMLH"):
        assert way not in script


def test_fields_that_managers_write_against_each_other_stand_first(
    spy: Spy, tmp_path: Path
) -> None:
    file = Path(shutil.copy(INCIDENTS / "fight-night.spy.gz", tmp_path))
    fight = "/spec/replicas  2 ⇄ 0  5 times in 36s, every 8.0s: kube-downscaler, kust"
    page, ended = exported(spy, file)
    assert ended.err == ""
    elements = Elements(page.read_text())
    assert elements.texts("h2")[0] == "Fights"
    assert any(fight in each for each in elements.texts("a"))


def test_what_failed_already_began_before_the_recording(
    spy: Spy, tmp_path: Path
) -> None:
    file = tmp_path / "it.spy"
    failed = pod("web", phase="Failed")
    changed = event("MODIFIED", pod("web", rv="2", phase="Failed"), time=START + 60)
    record(file, [*first_list(failed, time=START), changed])
    page = spy.run("export", str(file), "-o", "html").out
    assert "since before 2026-11-21 15:04:05Z" in page


def test_a_window_and_a_target_choose_a_part(spy: Spy, file: Path) -> None:
    flags = ("statefulset/db", "--since", "first+30s", "--until", "first+40s")
    page, ended = exported(spy, file, *flags)
    assert ended.err == ""
    elements = Elements(page.read_text())
    facts = elements.texts("p")
    assert "15:04:35Z to 15:04:45Z (10s)" in facts[0]
    listed = spy.run("ls", str(file), *flags, "-o", "json")
    (row,) = json.loads(listed.out)["objects"]
    assert (
        f"1 object, {row['changes']} changes, no failure was found, no gaps" in facts[1]
    )
    assert facts[2] == "Only: statefulset/db"
    page, _ = exported(spy, file, "-n", "workloads", "--by", "kubectl-set")
    assert "Only: -n workloads --by kubectl-set" in page.read_text()


@pytest.mark.parametrize("target", ["deployment/none", "nodes"])
def test_without_an_object_there_is_no_page(spy: Spy, file: Path, target: str) -> None:
    page, ended = exported(spy, file, target)
    assert (ended.code, page.read_text()) == (1, "")
    assert ended.err.startswith("error: ") and ended.err.count("\n") == 1


def test_a_page_says_what_it_leaves_out(spy: Spy, tmp_path: Path) -> None:
    file = tmp_path / "flood.spy"
    flood(file, MOST_CHANGES + 70)
    page, ended = exported(spy, file)
    said = "70 changes of 5,070 from 2026-11-21 15:12:26Z on are left out"
    assert ended.code == 0 and f"warning: {said}" in ended.err
    elements = Elements(page.read_text())
    assert any(said in each for each in elements.texts("li"))
    assert "1 object, 5,070 changes" in elements.texts("p")[1]
    shown = [of for tag, of, _ in elements.found if tag == "li" and "class" not in of]
    assert len([of for of in shown if str(of.get("id")).startswith("c")]) == 5_000
    _, ended = exported(spy, file, "--since", "last-1m")
    assert ended.err == ""


def test_gaps_and_damage_are_said(spy: Spy, tmp_path: Path) -> None:
    file = tmp_path / "damaged.spy"
    lines = record(file, story())
    file.write_bytes(b"".join([*lines[:6], b"{broken}\n", *lines[7:-1]]))
    page, ended = exported(spy, file)
    assert ended.code == 1 and "is damaged, first at line 7" in ended.err
    text = page.read_text()
    said = "\n".join(Elements(text).texts("li"))
    assert "Line 7 is damaged" in said and "may be missing" in said
    assert str(tmp_path) not in said
    links = [of.get("href") for tag, of, _ in Elements(text).found if tag == "a"]
    assert "#g1" in links and 'id="g1"' in text


def test_a_gap_of_many_types_is_one_notice(
    spy: Spy, tmp_path: Path, directory: Path
) -> None:
    file = tmp_path / "lost.spy"
    lines = (directory / "workloads.spy").read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join([*lines[:150], *lines[160:]]))
    page, _ = exported(spy, file)
    elements = Elements(page.read_text())
    (gap,) = [each for each in elements.texts("li") if each.startswith("GAP: changes")]
    assert re.search(r"of .*, .* and \d+ more between 2026-11-21 15:04:\d\d", gap)
    assert elements.texts("p")[1].endswith(", 1 gap")


def test_a_page_of_large_changes_has_a_limit_in_bytes(spy: Spy, tmp_path: Path) -> None:
    file, count = tmp_path / "large.spy", 1_500
    changes = [
        event(
            "MODIFIED",
            pod(rv=str(n), annotations={f"{n}-{k}": "x" * 90 for k in range(150)}),
            time=START + n,
        )
        for n in range(1, count)
    ]
    record(file, [*first_list(pod(rv="0"), time=START), *changes])
    page, ended = exported(spy, file)
    assert "changes of 1,499 from 2026-11-21" in ended.err
    assert LARGEST < page.stat().st_size < 1.1 * LARGEST


def test_folded_operations_are_counted_and_there(spy: Spy, file: Path) -> None:
    page, _ = exported(spy, file, "statefulset/db")
    text = page.read_text()
    assert re.search(r"<summary>… \d+ more: counts", text)
    plain = spy.run("changes", str(file), "statefulset/db").out
    full = spy.run("changes", str(file), "statefulset/db", "--full").out
    shown = "\n".join(Elements(text).texts("span"))
    pointers = {word for word in full.split() if word.startswith("/status/")}
    assert pointers - set(plain.split())
    assert all(each in shown for each in pointers)


def test_hostile_text_stays_text(spy: Spy, tmp_path: Path) -> None:
    file = tmp_path / "hostile.spy"
    texts = dict(enumerate(HOSTILE[:5]))
    made = [
        event(
            "ADDED",
            pod(f"{text}{number}", uid=f"u{number}", annotations={text: text}),
            time=START + 1,
        )
        for number, text in texts.items()
    ]
    record(file, [*first_list(pod(), time=START), *made])
    page, ended = exported(spy, file)
    text = page.read_text()
    elements = Elements(text)
    assert ended.code == 0
    assert len(elements.texts("script")) == 1 and not elements.texts("img")
    assert not {"\x1b", "\x00", "\u202e", "\u2028"} & set(text)
    assert text.count("{{script}}{{spans}}") >= 1


def test_a_piped_recording_is_called_file(spy: Spy, file: Path) -> None:
    with file.open("rb") as piped:
        ended = spy.run("export", "-", "-o", "html", stdin=piped.fileno())
    assert (ended.code, ended.err) == (0, "")
    elements = Elements(ended.out)
    assert elements.texts("h1") == ["Recording"]
    assert "kubectl spy summary FILE" in elements.texts("code")


@pytest.mark.parametrize("form", ["html", "otlp-json"])
def test_a_document_goes_to_a_file(spy: Spy, file: Path, form: str) -> None:
    there = spy.home / "document"
    printed = spy.run("export", str(file), "-o", form)
    ended = spy.run("export", str(file), "-o", form, "-f", str(there))
    assert (ended.code, ended.out, ended.err) == (0, "", f"wrote {there}\n")
    digits = re.compile(rb"[0-9]")  # the page says when it was made
    assert digits.sub(b"", there.read_bytes()) == digits.sub(b"", printed.stdout)
    assert there.stat().st_mode & 0o777 == 0o600


def test_a_document_never_replaces_its_recording(spy: Spy, file: Path) -> None:
    before = file.read_bytes()
    ended = spy.run(
        "export", str(file), "-o", "html", "-f", f"{file.parent}/./{file.name}"
    )
    assert ended.code == 2 and "name the same file" in ended.err
    assert file.read_bytes() == before


def test_the_document_of_a_damaged_recording_is_there(spy: Spy, file: Path) -> None:
    file.write_bytes(file.read_bytes().replace(b'"type":"MODIFIED"', b'"type":"M"', 1))
    there = spy.home / "document"
    ended = spy.run("export", str(file), "-o", "otlp-json", "-f", str(there))
    assert ended.code == 1 and "is damaged" in ended.err
    assert there.read_bytes() == spy.run("export", str(file), "-o", "otlp-json").stdout
    there.unlink()
    missing = spy.run("export", "gone.spy", "-o", "html", "-f", str(there))
    assert missing.code == 1 and not there.exists()


def test_html_before_a_command_is_the_flag_of_that_command(
    spy: Spy, file: Path
) -> None:
    page = spy.home / "spans.html"
    printed = spy.run("-o", "html", "export", str(file))
    assert printed.out.startswith("<!doctype html>")
    drawn = spy.run("-o", "html", "-f", str(page), "spans", "--from", str(file))
    assert drawn.code == 0 and page.exists()


@pytest.mark.parametrize("secrets", ["shown", "masked"])
def test_the_page_says_that_secrets_are_shown(
    spy: Spy, tmp_path: Path, secrets: str
) -> None:
    file = tmp_path / "a.spy"
    record(file, story(), origin=ORIGIN._replace(secrets=secrets))
    page, _ = exported(spy, file)
    said = "The values of Secrets are not masked in this recording."
    assert (said in page.read_text()) == (secrets == "shown")

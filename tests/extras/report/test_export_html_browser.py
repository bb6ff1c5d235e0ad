"""The page of a recording in a real browser; skipped where there is none."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.builders import event, pod
from tests.cli.command import Spy
from tests.extras.report.browser import Tab, browsing, find_browser
from tests.extras.report.exported import exported
from tests.extras.spans.test_spans_html import HOSTILE
from tests.recordings import START, first_list, record

BROWSER = find_browser()
PICTURES = Path(__file__).parents[3] / "build"
"""What the page looks like, to be looked at after a run."""
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")

OPENED = "document.querySelectorAll('details[open]').length"
COUNT = "document.getElementById('count').textContent"
SHOWN = "[...document.querySelectorAll('.object')].filter(one => !one.hidden).length"


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    assert BROWSER is not None
    with browsing(BROWSER, tmp_path_factory.mktemp("profile")) as tab:
        yield tab


@pytest.fixture
def report(tab: Tab, spy: Spy, tmp_path: Path, directory: Path) -> Iterator[Tab]:
    """A tab with a page of workloads, and nothing to complain of."""
    file = Path(shutil.copy(directory / "workloads.spy", tmp_path / "workloads.spy"))
    page, _ = exported(spy, file)
    tab.complaints.clear()
    tab.open(page)
    yield tab
    tab.run("0")
    assert tab.complaints == []


def visible(tab: Tab, element: str) -> bool:
    """Return whether the element with an id is in sight."""
    top: float = tab.run(
        f"document.getElementById({element!r}).getBoundingClientRect().top"
    )
    return -1 < top < 700


def test_a_bar_leads_to_a_change_and_opens_it(report: Tab) -> None:
    assert report.run(OPENED) == 0
    report.run(
        "document.querySelector('.timeline a[tabindex]').dispatchEvent("
        "new MouseEvent('click', { bubbles: true }))"
    )
    report.wait_for("location.hash.length > 1")
    report.settle()
    assert visible(report, report.run("location.hash.slice(1)"))
    assert report.run(OPENED) == 1


def test_the_filter_leaves_what_matches(report: Tab) -> None:
    assert report.run(COUNT) == "251 of 251 changes"
    report.press("/")
    report.type("statefulset.apps/db KUBECTL-SET")
    assert (report.run(COUNT), report.run(SHOWN)) == ("1 of 251 changes", 1)
    report.press("Escape")
    assert report.run(COUNT) == "251 of 251 changes"


def test_a_link_to_what_the_filter_hides_drops_the_filter(report: Tab) -> None:
    report.press("/")
    report.type("nothing at all")
    assert report.run(SHOWN) == 0
    report.run("document.querySelector('.failures a').click()")
    report.wait_for(f"{COUNT} === '251 of 251 changes'")
    assert visible(report, report.run("location.hash.slice(1)"))


def test_all_is_opened_and_closed(report: Tab) -> None:
    report.click("#expand")
    assert report.run(OPENED) == report.run(
        "document.querySelectorAll('details').length"
    )
    report.click("#collapse")
    assert report.run(OPENED) == 0


def test_it_is_as_wide_as_its_window_in_light_and_dark(report: Tab) -> None:
    """The pictures of it stay in build/ after the run."""
    papers = set()
    for width in (1280, 400):
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        report.call("Emulation.setDeviceMetricsOverride", **size)
        for theme in ("light", "dark"):
            feature = {"name": "prefers-color-scheme", "value": theme}
            report.call("Emulation.setEmulatedMedia", features=[feature])
            report.settle()
            assert report.run("document.documentElement.scrollWidth") <= width
            papers.add(report.run("getComputedStyle(document.body).backgroundColor"))
            report.screenshot(PICTURES / f"recording-page-{width}-{theme}.png")
    report.call("Emulation.clearDeviceMetricsOverride")
    report.call("Emulation.setEmulatedMedia", features=[])
    assert len(papers) == 2


CONTRAST = """(() => {
  const clear = "rgba(0, 0, 0, 0)";
  const linear = (part) =>
    part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  const light = (colour) => {
    const [r, g, b] = colour.match(/[0-9.]+/g).map((part) => linear(part / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const paper = (one) => {
    const colour = getComputedStyle(one).backgroundColor;
    return colour === clear ? paper(one.parentElement) : colour;
  };
  const says = (one) =>
    [...one.childNodes].some((it) => it.nodeType === 3 && it.data.trim());
  const all = [...document.querySelectorAll("main *, header p")].filter(says);
  return Math.min(...all.map((one) => {
    const both = [getComputedStyle(one).color, paper(one)].map(light);
    return (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
  }));
})()"""
"""The least contrast of any text: https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_has_the_contrast_that_wcag_asks_for(report: Tab, theme: str) -> None:
    feature = {"name": "prefers-color-scheme", "value": theme}
    report.call("Emulation.setEmulatedMedia", features=[feature])
    report.settle()
    assert report.run(CONTRAST) >= 4.5
    report.call("Emulation.setEmulatedMedia", features=[])


def test_without_a_script_everything_can_be_read(
    tab: Tab, spy: Spy, directory: Path
) -> None:
    page, _ = exported(spy, directory / "workloads.spy")
    tab.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        tab.call("Page.navigate", url=page.as_uri())
        tab.wait_for("document.readyState === 'complete'")
        assert tab.run("document.getElementById('tools').hidden")
        tab.run("document.querySelector('.object').scrollIntoView()")
        x, y = tab.place(".object summary")
        for kind in ("mousePressed", "mouseReleased"):
            tab.mouse(kind, x, y, button="left", clickCount=1)
        tab.wait_for(f"{OPENED} === 1")
    finally:
        tab.call("Emulation.setScriptExecutionDisabled", value=False)


def test_hostile_text_stays_inert(tab: Tab, spy: Spy, tmp_path: Path) -> None:
    file = tmp_path / "hostile.spy"
    made = [
        event(
            "ADDED",
            pod(f"{text}{number}", uid=f"u{number}", annotations={text: text}),
            time=START + 1,
        )
        for number, text in enumerate(HOSTILE[:5])
    ]
    record(file, [*first_list(pod(), time=START), *made])
    page, _ = exported(spy, file)
    tab.complaints.clear()
    tab.open(page)
    tab.click("#expand")
    assert tab.run("document.title") == "hostile.spy"
    assert tab.run("document.querySelectorAll('img, iframe').length") == 0
    assert tab.run("document.scripts.length") == 1
    shown = "[...document.querySelectorAll('.object h3')].map(one => one.textContent)"
    assert f"pod/{HOSTILE[0]}0 -n shop" in tab.run(shown)
    tab.run("0")
    assert tab.complaints == []


def test_the_policy_stops_what_gets_in_all_the_same(
    tab: Tab, spy: Spy, directory: Path
) -> None:
    page, _ = exported(spy, directory / "workloads.spy")
    added = "<script>document.title = 'taken'</script><img src='http://127.0.0.1:9/x'>"
    text = page.read_text().replace("</main>", f"{added}</main>")
    page.write_text(text)
    tab.complaints.clear()
    tab.open(page)
    assert tab.run("document.title") == "workloads.spy"
    assert sum("Content Security Policy" in each for each in tab.complaints) >= 2

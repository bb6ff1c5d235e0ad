"""The page as a person uses it, in a real browser; skipped where there is none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kubectl_spy.core.spans.span import Span, SpanKind
from kubectl_spy.extras.spans.page import page
from tests.extras.report.browser import CONTROL, SHIFT, Tab, browsing, find_browser
from tests.extras.spans.test_spans_html import HOSTILE
from tests.processes import clock
from tests.render.test_slim_rows import watched
from tests.spans import ROLLOUT, START, span

BROWSER = find_browser()
PICTURE = Path(__file__).parents[3] / "build" / "spans-page.png"
"""What the page looks like, to be looked at after a run."""
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")

NAMES = "[...document.querySelectorAll('.row .name')].map(one => one.textContent)"
BARS = "document.querySelectorAll('.bar').length"
WIDTH = "document.querySelector('.bar').getBoundingClientRect().width"
WINDOW = "Number(document.body.dataset.to) - Number(document.body.dataset.from)"
DETAILS = "document.getElementById('details').innerText"
COUNT = "document.getElementById('count').textContent"
PAPER = "getComputedStyle(document.body).backgroundColor"


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    assert BROWSER is not None
    with browsing(BROWSER, tmp_path_factory.mktemp("profile")) as tab:
        tab.call("Emulation.setTimezoneOverride", timezoneId="Asia/Kolkata")
        yield tab


def show(tab: Tab, directory: Path, *spans: Span, title: str = "web") -> None:
    tab.complaints.clear()
    path = directory / "page.html"
    path.write_text(page(spans, title=title, generated=START), encoding="utf-8")
    tab.open(path)


@pytest.fixture
def rollout(tab: Tab, tmp_path: Path) -> Iterator[Tab]:
    """A tab that shows ROLLOUT, and has nothing to complain of."""
    show(tab, tmp_path, *ROLLOUT)
    yield tab
    tab.run("0")
    assert tab.complaints == []


def test_every_span_has_a_bar_below_its_cause(rollout: Tab) -> None:
    assert rollout.run(NAMES) == [span.name for span in ROLLOUT]
    assert rollout.run(BARS) == 4
    assert rollout.run(COUNT) == "4 of 4 spans"
    lefts, widths = (
        rollout.run(
            "[...document.querySelectorAll('.bar')]"
            f".map(one => one.getBoundingClientRect().{side})"
        )
        for side in ("left", "width")
    )
    second = widths[0] / 9
    for sent, left, width in zip(ROLLOUT, lefts, widths, strict=True):
        assert left - lefts[0] == pytest.approx((sent.start - START) * second, abs=1)
        end = START + 9 if sent.end is None else sent.end
        assert width == pytest.approx((end - sent.start) * second, abs=1)
    assert rollout.run("document.title") == "web"


def test_errors_and_unfinished_spans_stand_out(rollout: Tab) -> None:
    failed = (
        "[...document.querySelectorAll('.failed .name')].map(one => one.textContent)"
    )
    assert rollout.run(failed) == ["Pod.BackOff"]
    unfinished = failed.replace("failed", "unfinished")
    assert rollout.run(unfinished) == ["Pod.create"]


def test_search_keeps_what_matches_and_what_caused_it(rollout: Tab) -> None:
    rollout.press("/")
    rollout.type("x2x BACK-OFF")
    assert rollout.run(NAMES) == [span.name for span in ROLLOUT]
    assert rollout.run(COUNT) == "1 of 4 spans"
    assert rollout.run("document.querySelectorAll('.context').length") == 3
    rollout.press("Escape")
    rollout.press("/")
    rollout.type("deployment-controller")
    assert rollout.run(NAMES) == ["Deployment.update", "ReplicaSet.create"]
    rollout.type("-nothing")
    assert rollout.run(BARS) == 0
    rollout.press("Escape")
    assert rollout.run(BARS) == 4


def test_only_errors(rollout: Tab) -> None:
    rollout.click("#only-errors")
    assert rollout.run(COUNT) == "1 of 4 spans"
    rollout.click("#only-errors")
    assert rollout.run(COUNT) == "4 of 4 spans"


def test_folding_hides_what_was_caused(rollout: Tab) -> None:
    rollout.click("[data-index='1'] button.fold")
    assert rollout.run(NAMES) == ["Deployment.update", "ReplicaSet.create"]
    assert rollout.run("document.querySelectorAll('.hides-errors').length") == 1
    rollout.click("#collapse")
    assert rollout.run(NAMES) == ["Deployment.update"]
    rollout.click("#expand")
    assert rollout.run(BARS) == 4
    rollout.press("Home")
    rollout.run("document.activeElement.blur()")  # Enter would press the button again
    rollout.press("Enter")
    assert rollout.run(BARS) == 1


def test_zoom_changes_the_scale_every_way(rollout: Tab) -> None:
    width, window = rollout.run(WIDTH), rollout.run(WINDOW)
    narrow = WIDTH.replace("'.bar'", "'.failed .bar'")
    event = rollout.run(narrow)
    rollout.click("#zoom-in")
    assert rollout.run(WINDOW) == pytest.approx(window * 0.6)
    assert rollout.run(narrow) > event
    rollout.click("#zoom-out")
    assert rollout.run(narrow) == pytest.approx(event, rel=0.01)
    rollout.press("+")
    assert rollout.run(WINDOW) == pytest.approx(window * 0.6)
    at = rollout.run("document.body.dataset.from")
    rollout.press("ArrowRight")
    assert float(rollout.run("document.body.dataset.from")) > float(at)
    rollout.press("0")
    assert rollout.run(WIDTH) == pytest.approx(width)
    x, y = rollout.place("[data-index='2'] .lane")
    rollout.mouse("mouseWheel", x, y, deltaX=0, deltaY=-100, modifiers=CONTROL)
    rollout.wait_for(f"({WINDOW}) < {window * 0.81}")
    rollout.click("#fit")
    rollout.mouse("mouseWheel", *rollout.place("#ticks"), deltaX=0, deltaY=-100)
    rollout.wait_for(f"({WINDOW}) < {window * 0.81}")
    rollout.click("#fit")
    rollout.drag((x, y), 100)
    lane = rollout.run("document.getElementById('ticks').clientWidth")
    assert rollout.run(WINDOW) == pytest.approx(window * 100 / lane, rel=0.02)
    at = rollout.run("document.body.dataset.from")
    rollout.drag((x, y), 100, held=SHIFT)
    assert float(rollout.run("document.body.dataset.from")) < float(at)
    assert rollout.run(WINDOW) == pytest.approx(window * 100 / lane, rel=0.02)


IN_SIGHT = (
    "[...document.querySelectorAll('.row')].filter(row => row.getBoundingClientRect()"
    ".top >= document.getElementById('scroll').getBoundingClientRect().top)"
)


def test_the_page_opens_on_failures_others_folded(tab: Tab, tmp_path: Path) -> None:
    """The picture of it stays in build/ after the run."""
    names = ("DaemonSet/agent", "StatefulSet/db", "Job/migrate", "Job/failing")
    spans, _ = watched("workloads", *names)
    show(tab, tmp_path, *spans, title="workloads")
    tab.screenshot(PICTURE)
    roots = [span.name for span in spans if not span.parent_id]
    label = f"{IN_SIGHT}.map(row => row.querySelector('.name').textContent)"
    assert tab.run(f"{label}[0]") == "Job.create"
    assert tab.run("document.querySelector('.chosen .name').textContent") == "Pod.Error"
    assert "exited with 7 (Error)" in tab.run(DETAILS)
    open_rows = "[...document.querySelectorAll('[aria-expanded=true] .name')]"
    assert set(tab.run(f"{open_rows}.map(one => one.textContent)")) == {
        "Job.create",
        "Pod",
    }
    failures = "[...document.querySelectorAll('.row.fails .failures')]"
    assert tab.run(f"{failures}.map(one => one.textContent)") == ["✗ 5"]
    bars = "[...document.querySelectorAll('#overview div')]"
    assert tab.run(f"{bars}.length") == len(roots)
    assert tab.run(f"{bars}.filter(one => one.className === 'fails').length") == 1
    assert tab.complaints == []


def test_the_overview_has_all_traces_on_one_scale(months: Tab) -> None:
    box = "document.getElementById('overview').getBoundingClientRect()"
    lefts = months.run(
        "[...document.querySelectorAll('#overview div')]"
        f".map(one => (one.getBoundingClientRect().left - {box}.left) / {box}.width)"
    )
    assert lefts == pytest.approx([0, 1], abs=0.01)
    months.run("document.querySelector('#overview div').click()")
    months.settle()
    assert "Pod.Phase9" in months.run(DETAILS)


def test_a_page_of_one_trace_has_no_overview(rollout: Tab) -> None:
    assert rollout.run("getComputedStyle(overview).display") == "none"


def test_a_root_says_what_was_changed(tab: Tab, tmp_path: Path) -> None:
    changed = (*ROLLOUT[0].attributes, ("k8s.change.what", HOSTILE[1]))
    show(tab, tmp_path, ROLLOUT[0]._replace(attributes=changed), *ROLLOUT[1:])
    words = "[...document.querySelectorAll('.what')].map(one => one.textContent)"
    assert tab.run(words) == [f"{HOSTILE[1]}  (kubectl)"]
    assert tab.run("document.querySelectorAll('img').length") == 0
    assert tab.complaints == []


MONTH = 30 * 86_400


@pytest.fixture
def months(tab: Tab, tmp_path: Path) -> Iterator[Tab]:
    """A tab that shows ROLLOUT, and one span of a month before it."""
    old = span(9, trace_id="a" * 32, start=START - MONTH, end=START - MONTH + 3)
    show(tab, tmp_path, old, *ROLLOUT)
    yield tab
    assert tab.complaints == []


def test_each_trace_has_its_own_scale(months: Tab) -> None:
    """And says when it began, with the date if that is another day."""
    widths = months.run(
        "[...document.querySelectorAll('.bar')]"
        ".map(one => one.getBoundingClientRect().width)"
    )
    lane = months.run("document.getElementById('ticks').clientWidth")
    assert widths[0] > lane / 2 and widths[1] > lane / 2
    assert widths[4] == pytest.approx(widths[1] * 5 / 9, abs=1)
    whens = "[...document.querySelectorAll('.when')].map(one => one.textContent)"
    assert months.run(whens) == ["2026-08-22 19:43", "19:43:20"]
    ticks = "[...document.querySelectorAll('.tick')].map(one => one.textContent)"
    whose = "document.getElementById('whose').textContent"
    for row, last, began in (
        (0, "+3s", "from 2026-08-22 19:43:20 +05:30"),
        (1, "+10s", "from 2026-09-21 19:43:20 +05:30"),
    ):
        months.hover(f"[data-index='{row}'] .bar")
        months.settle()
        assert months.run(whose) == began
        assert last in months.run(ticks)
    assert "2 traces" in months.run("document.getElementById('summary').textContent")


def test_only_the_trace_that_is_pointed_at_is_zoomed(months: Tab) -> None:
    of_old = WIDTH.replace("'.bar'", "'[data-index=\\'0\\'] .bar'")
    of_new = WIDTH.replace("'.bar'", "'[data-index=\\'4\\'] .bar'")
    old, new = months.run(of_old), months.run(of_new)
    months.hover("[data-index='4'] .bar")
    months.press("+")
    assert months.run(of_new) > new * 1.2
    assert months.run(of_old) == pytest.approx(old)
    months.press("0")
    assert months.run(of_new) == pytest.approx(new)
    assert "(+2s)" in months.run(DETAILS)


def test_the_wheel_alone_zooms_nothing(rollout: Tab) -> None:
    window = rollout.run(WINDOW)
    x, y = rollout.place("[data-index='2'] .lane")
    rollout.mouse("mouseWheel", x, y, deltaX=0, deltaY=-100)
    rollout.settle()
    assert rollout.run(WINDOW) == window


def test_hovering_shows_all_there_is(rollout: Tab) -> None:
    rollout.hover("[data-index='3'] .bar")
    said = rollout.run(DETAILS)
    for text in (
        "Pod.BackOff web-5d4-x2x",
        "Back-off restarting failed container",
        "kubelet",
        "5s",
        "2026-09-21 19:43:22.123456 +05:30  (+2s)",
        "2026-09-21 19:43:27.123456 +05:30  (+7s)",
        "k8s.pod.name",
        "Pod.create web-5d4-x2x",
        ROLLOUT[3].span_id,
        ROLLOUT[3].trace_id,
    ):
        assert text in said
    rollout.hover("[data-index='2'] .name")
    assert "unfinished" in rollout.run(DETAILS)


def test_a_click_keeps_the_details(rollout: Tab) -> None:
    rollout.click("[data-index='3'] .bar")
    rollout.hover("[data-index='0'] .bar")
    assert "Pod.BackOff" in rollout.run(DETAILS)
    rollout.press("Escape")
    rollout.hover("[data-index='1'] .bar")
    rollout.hover("[data-index='0'] .bar")
    assert "Deployment.update" in rollout.run(DETAILS)
    assert ROLLOUT[0].links[0] in rollout.run(DETAILS)


def test_an_unknown_service_is_left_out(tab: Tab, tmp_path: Path) -> None:
    show(tab, tmp_path, span(1, service=""), span(2))
    assert tab.run("document.querySelectorAll('#services button').length") == 1
    tab.hover("[data-index='0'] .bar")
    assert "service" not in tab.run(DETAILS)


def test_light_and_dark(rollout: Tab) -> None:
    def prefer(scheme: str) -> None:
        feature = {"name": "prefers-color-scheme", "value": scheme}
        rollout.call("Emulation.setEmulatedMedia", features=[feature])
        rollout.settle()

    prefer("light")
    light = rollout.run(PAPER)
    prefer("dark")
    dark = rollout.run(PAPER)
    assert light != dark
    rollout.click("#theme")
    assert rollout.run(PAPER) == light
    prefer("light")
    rollout.click("#theme")
    assert rollout.run(PAPER) == dark


def test_text_from_the_cluster_does_not_run(tab: Tab, tmp_path: Path) -> None:
    spans = [
        span(
            number,
            name=text,
            service=text,
            error=text,
            attributes=((text, text), ("k8s.pod.name", text)),
            links=(text,),
        )
        for number, text in enumerate(HOSTILE, 1)
    ]
    show(tab, tmp_path, *spans, title=HOSTILE[0])
    assert tab.run(BARS) == len(HOSTILE)
    elements = tab.run("document.querySelectorAll('script').length")
    for index in range(len(HOSTILE)):
        tab.hover(f"[data-index='{index}'] .bar")
        assert tab.run("document.querySelectorAll('#details dt').length") > 5
    assert tab.run("document.querySelectorAll('img').length") == 0
    assert tab.run("document.querySelectorAll('script').length") == elements == 2
    assert tab.run("document.title") == HOSTILE[0]
    assert tab.complaints == []


def test_a_script_without_a_hash_does_not_run(tab: Tab, tmp_path: Path) -> None:
    """The second line of defence, were the first to break."""
    path = tmp_path / "page.html"
    built = page(ROLLOUT, title="web", generated=START)
    taken = "document.title='taken'"
    bad = f'<script>{taken}</script><img src=x onerror="{taken}">'
    path.write_text(built.replace("<main>", f"{bad}<main>"), encoding="utf-8")
    tab.complaints.clear()
    tab.open(path)
    assert tab.run("document.title") == "web"
    assert tab.run(BARS) == 4
    assert "Content Security Policy" in "".join(tab.complaints)


def test_on_a_narrow_screen_the_details_are_in_sight(tab: Tab, tmp_path: Path) -> None:
    spans = [span(number, name="Pod.ContainerCreating") for number in range(1, 301)]
    size = {"width": 420, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    tab.call("Emulation.setDeviceMetricsOverride", **size)
    try:
        show(tab, tmp_path, *spans)
        tab.click("[data-index='1'] .name")
        box = "document.getElementById('details').getBoundingClientRect()"
        assert tab.run(f"{box}.top") > 400
        assert tab.run(f"{box}.bottom") <= 800
        assert "Pod.ContainerCreating" in tab.run(DETAILS)
        assert tab.run(BARS) < 60
        # What does not fit is cut with an ellipsis, and not by the chart.
        name = "document.querySelector('.row .name').getBoundingClientRect()"
        label = "document.querySelector('.row .label').getBoundingClientRect()"
        assert tab.run(f"{name}.right") <= tab.run(f"{label}.right")
    finally:
        tab.call("Emulation.clearDeviceMetricsOverride")
    assert tab.complaints == []


def test_five_thousand_spans_are_quick(tab: Tab, tmp_path: Path) -> None:
    spans = [
        span(
            number,
            kind=SpanKind.EVENT,
            parent_id=f"{number - number % 50:016x}" if number % 50 else "",
            start=START + number / 10,
            end=START + number / 10 + 3,
            attributes=(("k8s.pod.name", f"web-{number}"), ("note", "x" * 200)),
        )
        for number in range(1, 5001)
    ]
    begun = clock()
    show(tab, tmp_path, *spans)
    assert clock() - begun < 5
    assert tab.run(COUNT) == "5000 of 5000 spans"
    assert 10 < tab.run(BARS) < 80
    tab.press("End")
    tab.settle()
    assert tab.run(NAMES)[-1] == "Pod.Phase5000"
    tab.press("/")
    begun = clock()
    tab.type("web-4321")
    assert clock() - begun < 2
    assert tab.run(NAMES) == ["Pod.Phase4300", "Pod.Phase4321"]
    assert tab.complaints == []


def test_a_page_without_spans(tab: Tab, tmp_path: Path) -> None:
    show(tab, tmp_path)
    assert tab.run(BARS) == 0
    assert "No spans" in tab.run("document.getElementById('summary').textContent")
    assert tab.complaints == []

"""The page: what it holds, and that nothing from the cluster gets out of its place."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
from html.parser import HTMLParser
from itertools import combinations

import pytest

from kubectl_spy.core.objects import JSON
from kubectl_spy.core.spans.span import Span, SpanKind
from kubectl_spy.extras.spans.page import page, subject
from kubectl_spy.render.span_rows import by_cause
from tests.spans import LINK, ROLLOUT, START, TRACE, span

HOSTILE = (
    "</script><script>document.title='taken'</script>",
    "<img src=x onerror=\"document.title='taken'\">",
    "<!--<script>",
    "]]>{{script}}{{spans}}&lt;",
    "a\u202eb\u2066c\u2028d\u2029e",
    "\x1b[2J\x00\ud800",
    "' onmouseover='document.title=1",
)


class Elements(HTMLParser):
    """Every element of a page with its attributes and the text right behind it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None], str]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs), ""))

    def handle_endtag(self, tag: str) -> None:
        self.found.append((f"/{tag}", {}, ""))

    def handle_data(self, data: str) -> None:
        if self.found:
            tag, attributes, text = self.found[-1]
            self.found[-1] = (tag, attributes, text + data)

    def texts(self, wanted: str) -> list[str]:
        return [text for tag, _, text in self.found if tag == wanted]


def made(*spans: Span, title: str = "deployment.apps/web") -> str:
    return page(spans, title=title, generated=START + 20)


def document(text: str) -> dict[str, JSON]:
    """Return the JSON in a page."""
    (raw,) = re.findall(
        r'<script type="application/json" id="spans">(.*?)</script>', text
    )
    loaded: dict[str, JSON] = json.loads(raw)
    return loaded


def test_the_page_is_one_file_that_loads_nothing() -> None:
    elements = Elements(made(*ROLLOUT))
    for tag, attributes, _ in elements.found:
        assert not {"src", "href", "srcset", "action", "style"} & set(attributes)
        assert not [name for name in attributes if name.startswith("on")]
        assert tag not in ("link", "iframe", "object", "base", "img")
    text = made(*ROLLOUT)
    assert "http:" not in text and "https:" not in text and "url(" not in text


def test_only_what_is_hashed_in_the_policy_runs() -> None:
    elements = Elements(made(*ROLLOUT))
    (policy,) = [
        attributes["content"]
        for tag, attributes, _ in elements.found
        if attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policy is not None

    def source(text: str) -> str:
        digest = hashlib.sha256(text.encode()).digest()
        return f"'sha256-{base64.b64encode(digest).decode()}'"

    (style,) = elements.texts("style")
    _, script = elements.texts("script")
    assert policy.split("; ") == [
        "default-src 'none'",
        f"style-src {source(style)}",
        f"script-src {source(script)}",
        "base-uri 'none'",
        "form-action 'none'",
    ]


def test_the_script_only_sets_text() -> None:
    _, script = Elements(made()).texts("script")
    for way in (
        "innerHTML",
        "outerHTML",
        "insertAdjacent",
        "document.write",
        "eval(",
        "Function(",
        'setAttribute("on',
        "fetch(",
        "XMLHttp",
        "location",
    ):
        assert way not in script


def test_unfinished_spans_go_on_until_now() -> None:
    unfinished = ROLLOUT[0]._replace(end=None)
    until = unfinished.start + 19
    held = document(page([unfinished], title="web", generated=until, until=until))
    assert held["length"] == 19_000_000


def test_every_field_of_every_span_is_in_it() -> None:
    held = document(made(*ROLLOUT))
    assert held["base"] == round(START * 1_000_000)
    assert held["length"] == 9_000_000
    assert held["generated"] == "2026-09-21T14:13:40.123456Z"
    assert held["services"] == [span.service for span in ROLLOUT]
    assert held["spans"][0] == [
        f"{1:016x}",
        TRACE,
        -1,
        0,
        "change",
        "Deployment.update",
        "web",
        0,
        0,
        9_000_000,
        "",
        [["k8s.deployment.name", "web"], ["k8s.namespace.name", "shop"]],
        [LINK],
    ]
    assert held["spans"][2][8:10] == [500_000, -1]
    assert held["spans"][3] == [
        f"{4:016x}",
        TRACE,
        2,
        3,
        "event",
        "Pod.BackOff",
        "web-5d4-x2x",
        3,
        2_000_000,
        5_000_000,
        "Back-off restarting failed container",
        [["k8s.pod.name", "web-5d4-x2x"], ["count", "4"]],
        [],
    ]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(text: str) -> None:
    hostile = span(
        1,
        name=text,
        service=text,
        error=text,
        attributes=((text, text), ("list", [text])),
        links=(text,),
    )
    built, plain = made(hostile, title=text), made(span(1), title="x")
    tags = [tag for tag, _, _ in Elements(built).found]
    assert tags == [tag for tag, _, _ in Elements(plain).found]
    built.encode()
    assert not re.search(
        "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029]", built
    )
    (row,) = document(built)["spans"]
    shown = row[5]
    assert shown == text or "\\u" in shown
    assert row[10] == row[11][0][0] == row[11][0][1] == row[12][0] == shown
    (raw,) = re.findall(r'id="spans">(.*?)</script>', built)
    assert not set("<>&") & set(raw)


@pytest.mark.parametrize(
    ("name", "attribute"),
    [
        ("Pod.Pulled", "k8s.pod.name"),
        ("Widget.update", "k8s.object.name"),
        ("HorizontalPodAutoscaler.SuccessfulRescale", "k8s.hpa.name"),
    ],
)
def test_the_object_is_named(name: str, attribute: str) -> None:
    attributes = (("k8s.namespace.name", "shop"), (attribute, "web"))
    (row,) = document(made(span(name=name, attributes=attributes)))["spans"]
    assert row[6] == "web"


def test_a_page_is_about_what_was_changed() -> None:
    def change(number: int, name: str, object_name: str) -> Span:
        attributes: tuple[tuple[str, JSON], ...] = (("k8s.object.name", object_name),)
        return span(number, kind=SpanKind.CHANGE, name=name, attributes=attributes)

    web = (change(1, "Deployment.create", "web"), change(2, "Deployment.scale", "web"))
    assert subject((*web, span(3))) == "Deployment web"
    jobs = [change(number, "Job.create", f"j{number}") for number in range(4, 8)]
    assert subject((*web, *jobs)) == "Deployment web, Job j4, Job j5 and 2 more"
    assert subject([span(3)]) == ""


def test_spans_stand_below_their_causes_by_start() -> None:
    first = span(1)
    late = span(2, parent_id=first.span_id, start=START + 2)
    early = span(3, parent_id=first.span_id, start=START + 1)
    under = span(4, parent_id=late.span_id, start=START)
    orphan = span(5, parent_id="f" * 16, start=START - 1)
    elsewhere = span(1, trace_id="a" * 32, start=START + 5)
    assert by_cause([under, elsewhere, late, early, first, orphan]) == [
        (orphan, -1, 0),
        (first, -1, 0),
        (early, 1, 1),
        (late, 1, 1),
        (under, 3, 2),
        (elsewhere, -1, 0),
    ]


def test_spans_that_cause_each_other_are_shown_once() -> None:
    circle = [
        span(1, parent_id=f"{2:016x}"),
        span(2, parent_id=f"{1:016x}"),
        span(3, parent_id=f"{3:016x}"),
    ]
    ordered = by_cause(circle)
    assert sorted(one for one, _, _ in ordered) == circle
    assert all(parent < position for position, (_, parent, _) in enumerate(ordered))


def test_a_chain_of_causes_may_be_long() -> None:
    chain = [span(n, parent_id=f"{n - 1:016x}") for n in range(1, 5001)]
    assert [depth for _, _, depth in by_cause(chain)] == list(range(5000))


def test_a_page_may_have_no_spans() -> None:
    held = document(made())
    assert held["spans"] == [] and held["length"] == 0


def test_a_page_of_many_spans_stays_small() -> None:
    many = [
        span(
            number,
            kind=SpanKind.EVENT,
            parent_id=f"{1:016x}" if number > 1 else "",
            attributes=(
                ("k8s.pod.name", f"web-{number}"),
                ("k8s.namespace.name", "shop"),
            ),
        )
        for number in range(1, 5001)
    ]
    assert len(made(*many)) < 5000 * 250 + len(made())


_MACHADO = {
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
"""How the colour-blind see linear RGB: https://doi.org/10.1109/TVCG.2009.113"""


def _lab(colour: str, matrix: tuple[tuple[float, ...], ...]) -> list[float]:
    """Return what is seen of *colour* in CIELAB: https://www.w3.org/TR/css-color-4/"""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    rgb = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
    r, g, b = (min(max(sum(map(float.__mul__, row, rgb)), 0.0), 1.0) for row in matrix)
    x, y, z = (
        t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116
        for t in (
            (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505,
            0.2126 * r + 0.7152 * g + 0.0722 * b,
            (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089,
        )
    )
    return [116 * y - 16, 500 * (x - y), 200 * (y - z)]


@pytest.mark.parametrize("seen", _MACHADO)
def test_the_colour_blind_can_tell_the_colours_apart(seen: str) -> None:
    (style,) = Elements(made()).texts("style")
    colours = re.findall(r"--own: (#[0-9a-f]{6})", style)
    assert len(colours) == 6
    places = [_lab(colour, _MACHADO[seen]) for colour in colours]
    # A difference of 2.3 is just noticeable.
    assert min(math.dist(*pair) for pair in combinations(places, 2)) > 15

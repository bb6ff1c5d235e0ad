"""Change records as HTML: the first line of each, and what text prints below it."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from datetime import timezone
from typing import NamedTuple

from kubectl_spy.core.changes.record import ChangeRecord, ChangeType
from kubectl_spy.core.cluster.events import cluster_event, is_event
from kubectl_spy.core.headlines.headlines import Headline, summary
from kubectl_spy.core.times import rfc3339
from kubectl_spy.core.wording import many, phrases
from kubectl_spy.extras.html.page import escaped
from kubectl_spy.render.machine import event_type
from kubectl_spy.render.moments import day_and_clock, duration
from kubectl_spy.render.outline import outline
from kubectl_spy.render.palette import Palette
from kubectl_spy.render.text import TextRenderer, brief, folded, remark
from kubectl_spy.render.values import clipped, first_lines

_ROLES = Palette._fields[:-1]
_MARKS = Palette._make([*map(chr, range(1, len(_ROLES) + 1)), "\0"])
"""Colours as control characters, which are never in inert text."""
_MARK = re.compile(f"[\0-{chr(len(_ROLES))}]")
_LINES = 200  # the most lines of one change


class Change(NamedTuple):
    """A change record as HTML."""

    time: str
    kind: str
    said: str  # what its first line says behind these
    body: str  # its operations, or the new object; "" for none
    noise: bool  # whether it is nothing but times and the like


class ChangesHtml:
    """Renders records of one recording, with times in UTC.

    *day* is the date that is not repeated.
    """

    def __init__(self, day: str) -> None:
        self._day = day
        self._text, self._full = (
            TextRenderer(_MARKS, zone=timezone.utc, whole=False, full=full)
            for full in (False, True)
        )

    def change(self, record: ChangeRecord, headline: Headline) -> Change:
        """Return *record*, which *headline* sums up."""
        patch, note = folded(record, headline)
        noise = bool(note and not patch and not headline)
        briefly = brief(record.patch if noise else patch)
        rest: Iterable[str] = ()
        if record.type is ChangeType.ADDED:
            whole = outline(record.document)
            note = f"the whole object: {many(len(whole), 'line')}"
            rest = map(clipped, first_lines(whole, _LINES))
        elif noise:
            patch, note = record.patch, ""
        elif note:
            rest = self._full.body(record, record.patch)
        body = _block(self._text.body(record, patch))
        if note:
            more = f"<summary>… {escaped(note)}</summary>"
            body += f'<details class="rest">{more}{_block(rest)}</details>'
        kind = record.type.value
        return Change(
            time=self._time(record.time),
            kind=f'<span class="type {kind.lower()}">{kind}</span>',
            said=_said(record, headline, briefly),
            body=body,
            noise=noise,
        )

    def _time(self, moment: float) -> str:
        day, clock = day_and_clock(moment, timezone.utc)
        shown = clock if day == self._day else f"{day} {clock}"
        return f'<time datetime="{rfc3339(moment)}">{shown}Z</time>'


def _said(record: ChangeRecord, headline: Headline, briefly: str) -> str:
    lasted = "" if record.elapsed is None else f"+{duration(record.elapsed)}"
    by = ", ".join(record.managers)
    if record.actor is not None:
        by = f"{by} ({record.actor})"
    parts = (
        ("faint", lasted),
        ("headline", _event(record) or str(headline)),
        ("briefly", "" if headline else briefly or _new(record)),
        ("by", f"by {by}" if by else ""),
        ("notice", remark(record)),
    )
    return "".join(
        f' <span class="{name}">{escaped(text)}</span>' for name, text in parts if text
    )


def _event(record: ChangeRecord) -> str:
    """Return what a Kubernetes Event says, or "" if *record* is about none."""
    if not is_event(record.gvk) or not isinstance(record.document, dict):
        return ""
    event = cluster_event(record.document)
    times = f" x{event.times}" if event.times > 1 else ""
    about = f"{event.kind.lower()}/{event.name}"
    said = f"{event_type(event)} {about} {event.reason}{times}: {event.message}"
    return phrases([said], None)


def _new(record: ChangeRecord) -> str:
    """Return what a new object is, in a few words."""
    if record.type is not ChangeType.ADDED:
        return ""
    return phrases(summary(record.document)[:2], None)


def _block(lines: Iterable[str]) -> str:
    shown = first_lines(list(lines), _LINES)
    if not shown:
        return ""
    return (
        f'<div class="lines">{"".join(f"<div>{marked(x)}</div>" for x in shown)}</div>'
    )


def marked(line: str) -> str:
    """Return an inert *line*, painted with the marks, as HTML."""
    depth = 0

    def element(found: re.Match[str]) -> str:
        nonlocal depth
        if role := ord(found[0]):
            depth += 1
            return f'<span class="{_ROLES[role - 1]}">'
        closes = depth > 0
        depth -= closes
        return "</span>" if closes else ""

    return _MARK.sub(element, html.escape(line)) + "</span>" * depth

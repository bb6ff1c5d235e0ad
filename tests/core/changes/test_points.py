"""POINT: what people type for a moment of a recording, and which moment that is."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone, tzinfo
from datetime import time as Time
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.core.changes.points import (
    AtVersion,
    First,
    Last,
    Moment,
    Offset,
    Seq,
    TimeOfDay,
    parse_point,
)
from kubectl_spy.core.times import rfc3339, seconds
from kubectl_spy.render.moments import clock

ZONES = [timezone.utc, timezone(timedelta(hours=-11)), timezone(timedelta(hours=5.5))]
# Microseconds since the epoch, as records have them.
micros = st.integers(10**15, 4 * 10**15)


@pytest.mark.parametrize(
    ("text", "point"),
    [
        ("first", First()),
        ("last", Last()),
        ("seq:12", Seq(12)),
        ("rv:4711", AtVersion("4711")),
        ("rv:not:a number", AtVersion("not:a number")),
        ("2026-11-21T15:04:05.170250Z", Moment(1795273445.17025)),
        ("2026-11-21T15:04:05Z", Moment(1795273445)),
        ("2026-11-21T16:04:05+01:00", Moment(1795273445)),
        ("15:04:05", TimeOfDay(15, 4, 5, 0, 1_000_000)),
        ("15:04:05.17", TimeOfDay(15, 4, 5, 170_000, 10_000)),
        ("5:04:05.170250", TimeOfDay(5, 4, 5, 170_250, 1)),
        ("15:04", TimeOfDay(15, 4, 0, 0, 60_000_000)),
        (
            "2026-11-21T15:04:05.17",
            TimeOfDay(15, 4, 5, 170_000, 10_000, date(2026, 11, 21)),
        ),
        (
            "2026-11-21 15:04",
            TimeOfDay(15, 4, 0, 0, 60_000_000, date(2026, 11, 21)),
        ),
        ("-5m", Offset(300, before_end=True)),
        ("last-1.5s", Offset(1.5, before_end=True)),
        ("+1m30s", Offset(90, before_end=False)),
        ("first+30s", Offset(30, before_end=False)),
    ],
)
def test_a_point_is_what_it_says(text: str, point: object) -> None:
    assert parse_point(text) == point


@pytest.mark.parametrize("fraction", ["1", "17", "170", "1702", "17025", "170250123"])
def test_a_time_may_have_any_number_of_digits(fraction: str) -> None:
    """RFC 3339 §5.6; servers write nine of them."""
    parsed = parse_point(f"2026-11-21T15:04:05.{fraction}Z")
    micro = int(fraction.ljust(6, "0")[:6])
    assert parsed == Moment(round(1795273445 + micro / 1e6, 6))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "First",
        "seq:",
        "seq:-1",
        "seq:1.5",
        "seq:x",
        "rv:",
        "12",
        "now",
        "24:00:00",
        "15:4",
        "15:60:00",
        "15:04:05.1234567",
        "2026-02-30",
        "2026-02-30T15:04:05",
        "-5",
        "+",
        "first-5m",
        "last+5m",
        "--5m",
        "2026-13-21T15:04:05Z",
        "2026-11-21T15:04:05ZZ",
        "0001-01-01T00:00:00+23:00",
        "9999-12-31T23:59:59-23:00",
        "seq:²",
        "15:04:0５",
    ],
)
def test_invalid_points_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no point of a recording"):
        parse_point(text)


@given(micros)
def test_a_time_as_a_record_has_it_is_that_moment(micro: int) -> None:
    time = round(micro / 1e6, 6)
    assert seconds(rfc3339(time)) == time
    assert parse_point(rfc3339(time)) == Moment(time)


@given(micros, st.integers(0, 23 * 3600), st.sampled_from(ZONES))
def test_a_time_of_day_as_printed_holds_the_record_that_it_was_printed_with(
    micro: int, later: int, zone: timezone
) -> None:
    """Also past midnight: the recording began up to a day before."""
    time = round(micro / 1e6, 6)
    point = parse_point(clock(time, zone))
    assert isinstance(point, TimeOfDay)
    began = round(time - later, 6)
    first = point.moment(began, time, zone, end=False).time
    last = point.moment(began, time, zone, end=True).time
    assert first <= time <= last
    assert last - first < 0.001


@given(micros, st.integers(0, 6), st.sampled_from(ZONES))
def test_a_time_of_day_is_as_exact_as_its_digits(
    micro: int, digits: int, zone: timezone
) -> None:
    time = round(micro / 1e6, 6)
    text = datetime.fromtimestamp(time, zone).strftime("%H:%M:%S.%f")
    text = text[: 8 + (digits and digits + 1)]
    point = parse_point(text)
    assert isinstance(point, TimeOfDay)
    first = point.moment(time - 10, time, zone, end=False).time
    last = point.moment(time - 10, time, zone, end=True).time
    assert first <= time <= last
    assert round((last - first) * 1e6) == 10 ** (6 - digits) - 1


MIDNIGHT = ("2026-11-21T23:59:58Z", "2026-11-22T00:03:00Z")
AFTERNOON = ("2026-11-22T14:20:34Z", "2026-11-22T14:20:41Z")
# Clocks in Berlin go back from 03:00 to 02:00 on 2026-10-25, at 01:00 UTC.
FIRST_HOUR = ("2026-10-25T00:15:00Z", "2026-10-25T00:45:00Z")
SECOND_HOUR = ("2026-10-25T01:15:00Z", "2026-10-25T01:45:00Z")
BOTH_HOURS = ("2026-10-25T00:15:00Z", "2026-10-25T01:45:00Z")
AFTER_BOTH = ("2026-10-25T02:15:00Z", "2026-10-25T02:45:00Z")
BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("recorded", "text", "zone", "moment"),
    [
        # Before it, and not a day later; or after it, also past midnight.
        (MIDNIGHT, "23:59:59", timezone.utc, "2026-11-21T23:59:59Z"),
        (MIDNIGHT, "00:00:01", timezone.utc, "2026-11-22T00:00:01Z"),
        (MIDNIGHT, "23:59:57", timezone.utc, "2026-11-21T23:59:57Z"),
        (MIDNIGHT, "14:00:00", timezone.utc, "2026-11-21T14:00:00Z"),
        (MIDNIGHT, "00:10:00", timezone.utc, "2026-11-22T00:10:00Z"),
        # In a recording of one afternoon one o'clock at night is not tomorrow's.
        (AFTERNOON, "01:00:00", timezone.utc, "2026-11-22T01:00:00Z"),
        (AFTERNOON, "23:50:00", timezone.utc, "2026-11-22T23:50:00Z"),
        # A time that clocks show twice is the first in the recording.
        (FIRST_HOUR, "02:30:00", BERLIN, "2026-10-25T00:30:00Z"),
        (SECOND_HOUR, "02:30:00", BERLIN, "2026-10-25T01:30:00Z"),
        (BOTH_HOURS, "02:30:00", BERLIN, "2026-10-25T00:30:00Z"),
        (AFTER_BOTH, "02:30:00", BERLIN, "2026-10-25T01:30:00Z"),
    ],
)
def test_a_time_of_day_means_the_nearest_recorded(
    recorded: tuple[str, str], text: str, zone: tzinfo, moment: str
) -> None:
    point = parse_point(text)
    assert isinstance(point, TimeOfDay)
    began, ended = map(seconds, recorded)
    found = point.moment(began, ended, zone, end=False)
    assert found == Moment(seconds(moment))


@given(micros, st.integers(0, 5 * 86_400), st.times(), st.sampled_from(ZONES))
def test_a_time_of_day_is_in_a_recording_or_on_one_of_its_days(
    micro: int, length: int, time: Time, zone: timezone
) -> None:
    began = round(micro / 1e6, 6)
    ended = began + length
    point = parse_point(f"{time:%H:%M:%S.%f}")
    assert isinstance(point, TimeOfDay)
    found = point.moment(began, ended, zone, end=False).time
    first, last = (datetime.fromtimestamp(at, zone).date() for at in (began, ended))
    days = [first + timedelta(days=each) for each in range((last - first).days + 1)]
    shown = [datetime.combine(each, time, zone).timestamp() for each in days]
    inside = [at for at in shown if began <= at <= ended]
    away = [max(began - at, at - ended) for at in shown]
    assert found == round(inside[0] if inside else shown[away.index(min(away))], 6)


@pytest.mark.parametrize(
    "text",
    [
        "0001-01-01T00:00:00Z",
        "0001-01-01T00:00:00+23:59",
        "9999-12-31T23:59:59-23:59",
        "yesterday",
        "",
        "2026-11-21",
        "2026-11-21T15:04:05",
        "1969-12-31T23:59:59Z",
    ],
)
def test_a_time_that_no_clock_of_a_recorder_shows_is_none(text: str) -> None:
    with pytest.raises(ValueError):
        seconds(text)

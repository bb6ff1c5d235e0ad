"""Schedules, as the controller of CronJobs reads them."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubectl_spy.core.diagnosis.cron_schedule import next_run, parse_schedule, time_zone
from kubectl_spy.core.diagnosis.wording import clock_time
from kubectl_spy.core.times import seconds

BERLIN = ZoneInfo("Europe/Berlin")


def after(schedule: str, time: str, zone: str = "") -> str:
    """Return when *schedule* runs next after *time*."""
    found = next_run(parse_schedule(schedule), seconds(time), time_zone(zone) or BERLIN)
    return "never" if found is None else clock_time(found)


@pytest.mark.parametrize(
    ("schedule", "expected"),
    [
        ("* * * * *", "2026-11-21T15:05:00Z"),
        ("5/20 * * * *", "2026-11-21T15:05:00Z"),
        ("0,30 */6 * * ?", "2026-11-21T18:00:00Z"),
        ("0 0 * * mon-FRI", "2026-11-23T00:00:00Z"),
        ("0 0 29 feb *", "2028-02-29T00:00:00Z"),
        ("@hourly", "2026-11-21T16:00:00Z"),
        ("@weekly", "2026-11-22T00:00:00Z"),
        # Either day will do, if both are given ...
        ("0 0 1 * 1", "2026-11-23T00:00:00Z"),
        # ... and both must, if one is a star, but not with a step: */2 is no star.
        ("0 0 */31 * 1", "2026-11-23T00:00:00Z"),
        ("0 0 1 * *", "2026-12-01T00:00:00Z"),
        ("0 0 31 4 *", "never"),
    ],
)
def test_schedules_are_read_as_by_the_controller(schedule: str, expected: str) -> None:
    assert after(schedule, "2026-11-21T15:04:05Z") == expected


@pytest.mark.parametrize(
    "schedule",
    [
        "",
        "* * * *",
        "* * * * * *",
        "60 * * * *",
        "* 24 * * *",
        "* * 0 * *",
        "* * * * 7",
        "* * L * *",
        "5-1 * * * *",
        "*/0 * * * *",
        "1-2-3 * * * *",
        "1/2/3 * * * *",
        ", * * * *",
        "² * * * *",
        "@reboot",
        "@every soon",
        pytest.param(f"@every {'1' * 100_000}", id="many digits"),
        "@every",
    ],
)
def test_schedules_the_controller_refuses_are_refused(schedule: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_schedule(schedule)


def test_an_hour_that_the_clocks_leave_out_has_no_run() -> None:
    assert after("30 2 * * *", "2026-03-28T12:00:00Z", "Europe/Berlin") == (
        "2026-03-30T00:30:00Z"
    )


def test_an_hour_that_the_clocks_repeat_has_two() -> None:
    first = after("30 2 * * *", "2026-10-24T12:00:00Z", "Europe/Berlin")
    assert first == "2026-10-25T00:30:00Z"
    second = after("30 2 * * *", first, "Europe/Berlin")
    assert second == "2026-10-25T01:30:00Z"


@pytest.mark.parametrize(
    "name", ["Mars/Base", "../passwd", "Europe", "a\0b", "x" * 999]
)
def test_a_time_zone_that_is_none_is_not_known(name: str) -> None:
    assert time_zone(name) is None


@given(
    st.integers(0, 59),
    st.integers(0, 23),
    st.datetimes(datetime(2000, 1, 1), datetime(2090, 1, 1)),
)
def test_a_daily_run_is_at_the_first_such_time(
    minute: int, hour: int, moment: datetime
) -> None:
    """Compared with trying every minute."""
    start = moment.replace(tzinfo=timezone.utc, second=0, microsecond=0)
    minutes = (start + timedelta(minutes=each) for each in range(1, 3 * 24 * 60))
    local = (each.astimezone(BERLIN) for each in minutes)
    expected = next(t for t in local if (t.hour, t.minute) == (hour, minute))
    found = next_run(
        parse_schedule(f"{minute} {hour} * * *"), start.timestamp(), BERLIN
    )
    assert found == expected.timestamp()


@given(st.text(alphabet="0123456789*/,-?@LW# jan", max_size=20))
def test_any_text_is_a_schedule_or_refused(schedule: str) -> None:
    try:
        parsed = parse_schedule(schedule)
    except ValueError:
        return
    next_run(parsed, 1_795_273_445.0, BERLIN)

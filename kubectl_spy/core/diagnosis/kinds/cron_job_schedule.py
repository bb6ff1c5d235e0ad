"""The schedule of a CronJob: when it is due next, and which runs were left out.

https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#schedule-syntax
"""

from __future__ import annotations

import math

from kubectl_spy.core.cluster.events import ClusterEvent
from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.cron_schedule import (
    CronSchedule,
    next_run,
    parse_schedule,
    time_zone,
)
from kubectl_spy.core.diagnosis.finding import Finding, Verdict
from kubectl_spy.core.diagnosis.kinds.counting import clock_time
from kubectl_spy.core.diagnosis.wording import brief
from kubectl_spy.core.fields import mapping, mappings, moment, text
from kubectl_spy.core.remedy import NO_REMEDY, Remedy, kubectl

_MISSED = ("MissSchedule", "TooManyMissedTimes", "JobAlreadyActive", "FailedNeedsStart")
_UNREADABLE = (
    "UnparseableSchedule",
    "UnParseableCronJobSchedule",
    "InvalidSchedule",
    "UnknownTimeZone",
)


def schedule_finding(entry: Entry, now: float) -> Finding:
    """Return when the next run is due, after *now*, or why there is none."""
    written = text(entry.document, "spec", "schedule")
    zone_name = text(entry.document, "spec", "timeZone")
    try:
        schedule = parse_schedule(_without_zone(written))
    except ValueError as error:
        return _unreadable(entry, f"schedule {written} cannot be read: {error}")
    zone = time_zone(zone_name or _zone_within(written))
    if zone is None:
        where = zone_name or _zone_within(written)
        text_ = f"due by {written} in {where}, a time zone that is not known here"
        return Finding("schedule", Verdict.OK, text_)
    due = (
        _next_interval(entry, schedule, now)
        if schedule.every
        else next_run(schedule, now, zone)
    )
    if due is None:
        return _unreadable(entry, f"schedule {written} never comes: no such date")
    known = zone_name or _zone_within(written) or schedule.every
    # Without a time zone it is the controller manager's, which the API does not tell.
    guess = "" if known else ", if the controller manager runs in UTC"
    return Finding("schedule", Verdict.OK, f"next run at {clock_time(due)}{guess}")


def missed(entry: Entry, seen: Inventory, *, broken: bool) -> Finding | None:
    """Return why a run was left out, if none has started since.

    That the schedule cannot be read is no news of one that is known to be *broken*,
    and says nothing of a schedule that was written since.
    """
    reported = [
        event
        for event in seen.events(entry.uid)
        if event.reason in (*_MISSED, *_UNREADABLE, "SuccessfulCreate")
    ]
    if not reported or reported[-1].reason == "SuccessfulCreate":
        return None
    event = reported[-1]
    if event.reason in _UNREADABLE and (broken or not _is_of(entry, event)):
        return None
    scheduled = moment(entry.document, "status", "lastScheduleTime")
    if scheduled is not None and scheduled > (event.last or scheduled):
        return None
    verdict, text_, remedy = _told(event, entry)
    return Finding("missed", verdict, text_, remedy, since=event.last)


def _is_of(entry: Entry, event: ClusterEvent) -> bool:
    """Tell whether an Event quotes the schedule, or the time zone, of now.

    https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/controller/cronjob/cronjob_controllerv2.go
    """
    member = "timeZone" if event.reason == "UnknownTimeZone" else "schedule"
    written, told = text(entry.document, "spec", member), brief(event.message)
    return (
        f'"{written}"' in told
        or f": {written} : " in told
        or told.endswith(f": {written}")
    )


def _told(event: ClusterEvent, entry: Entry) -> tuple[Verdict, str, Remedy]:
    match event.reason:
        case "JobAlreadyActive":
            active = mappings(entry.document, "status", "active")
            names = ", ".join(text(each, "name") for each in active[:3])
            runs = f" ({names})" if names else ""
            text_ = f"a run was left out: the one before{runs} still runs"
            return Verdict.WAITING, f"{text_} (concurrencyPolicy Forbid)", NO_REMEDY
        case "MissSchedule":
            text_ = "a run was left out: it was later than startingDeadlineSeconds"
            return Verdict.FAILING, text_, NO_REMEDY
        case "TooManyMissedTimes" | "FailedNeedsStart":
            return (
                Verdict.FAILING,
                "more than 100 runs were missed: set startingDeadlineSeconds, or look"
                " for a wrong clock",
                _edit(entry),
            )
    return Verdict.FAILING, event.said or event.reason, _edit(entry)


def _edit(entry: Entry) -> Remedy:
    return kubectl("edit cronjob/{}", entry.name, namespace=entry.namespace)


def _unreadable(entry: Entry, text_: str) -> Finding:
    return Finding(
        "schedule",
        Verdict.FAILING,
        text_,
        remedy=_edit(entry),
        final=True,
    )


def _next_interval(entry: Entry, schedule: CronSchedule, now: float) -> float:
    """Return when `@every` comes next: from the last run, or from the creation."""
    began = moment(entry.document, "status", "lastScheduleTime") or moment(
        mapping(entry.document, "metadata"), "creationTimestamp"
    )
    start = now if began is None else began
    times = max(math.floor((now - start) / schedule.every), 0) + 1
    return start + times * schedule.every


def _zone_within(schedule: str) -> str:
    """Return the zone in `CRON_TZ=Europe/Berlin 0 2 * * *`, which is no longer made.

    https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#unsupported-timezone-specification
    """
    if not schedule.startswith(("TZ=", "CRON_TZ=")):
        return ""
    return schedule.split(maxsplit=1)[0].partition("=")[2]


def _without_zone(schedule: str) -> str:
    if not schedule.startswith(("TZ=", "CRON_TZ=")):
        return schedule
    return "".join(schedule.split(maxsplit=1)[1:])

"""How the runs of a CronJob went: its Jobs, those that are gone too.

https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#jobs-history-limits
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from kubectl_spy.core.cluster.inventory import Entry, Inventory
from kubectl_spy.core.diagnosis.finding import Finding, Verdict
from kubectl_spy.core.diagnosis.kinds import job as jobs_
from kubectl_spy.core.diagnosis.kinds import pod as pods
from kubectl_spy.core.diagnosis.kinds.counting import clock_time
from kubectl_spy.core.diagnosis.kinds.pod_states import is_replaced
from kubectl_spy.core.diagnosis.wording import brief
from kubectl_spy.core.fields import condition, mappings, moment, text
from kubectl_spy.core.remedy import advice, kubectl

_SAW = re.compile(r"\bSaw completed job: (?P<job>\S+), condition: (?P<how>\w+)$")
"""The message may begin with `(combined from similar events): `.
https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/controller/cronjob/cronjob_controllerv2.go"""


def active_run(active: Iterable[Entry], seen: Inventory) -> Finding | None:
    """Return what goes wrong in a Job that has not ended; None if nothing does."""
    for each in active:
        wrong = _wrong(each, seen)
        if wrong is not None:
            told = f"Job {each.name} has not succeeded so far: {wrong.text}"
            return wrong._replace(about="active-run", text=told, final=False)
    return None


def failed_run(
    entry: Entry, seen: Inventory, succeeded: Entry | None, failed: Entry | None
) -> Finding | None:
    """Return that the last run to end failed, if so.

    *succeeded* and *failed* are the last Jobs that did so and are there. Others are
    known by Events, and by times in the status of the CronJob.
    """
    if failed is not None and is_newer(failed, succeeded):
        return _failed(failed)
    if (gone := _gone(entry, seen, succeeded)) is not None:
        return gone
    ran = moment(entry.document, "status", "lastScheduleTime")
    success = moment(entry.document, "status", "lastSuccessfulTime")
    running = mappings(entry.document, "status", "active")
    if ran is None or running or (success is not None and success >= ran):
        return None
    # The controller writes the end and the success of a Job at the same time.
    told = f"the run scheduled for {clock_time(ran)} ended without a recorded success"
    remedy = kubectl(
        "get events --field-selector=involvedObject.name={}",
        entry.name,
        namespace=entry.namespace,
    )
    return Finding("last-failure", Verdict.WAITING, told, remedy)


def is_newer(job: Entry, other: Entry | None) -> bool:
    """Tell whether *job* ended after *other*, if that is known."""
    if other is None:
        return True
    ended, before = jobs_.phase_of(job)[1], jobs_.phase_of(other)[1]
    return ended is None or before is None or ended >= before


def _wrong(job: Entry, seen: Inventory) -> Finding | None:
    """Return the worst that is known of a Job that has not ended."""
    found = seen.once(jobs_.diagnose, job).findings
    for each in found:
        if each.verdict is Verdict.FAILING:
            return each
    for each in found:
        if each.about == "failures":
            return each
    for pod in seen.owned(job.uid, "Pod"):
        if is_replaced(pod):
            continue
        for each in seen.once(pods.diagnose, pod).findings:
            if each.verdict is Verdict.FAILING:
                told = f"pod {pod.name}: {each.text}"
                return each._replace(verdict=Verdict.WAITING, text=told)
    return None


def _failed(job: Entry) -> Finding:
    failed = condition(job.document, "Failed")
    why = text(failed, "reason") or text(failed, "message") or "no reason is given"
    return Finding(
        "last-failure",
        Verdict.FAILING,
        f"the last Job to end, {job.name}, failed: {why}",
        remedy=kubectl("describe job/{}", job.name, namespace=job.namespace),
        since=moment(failed, "lastTransitionTime"),
    )


def _gone(entry: Entry, seen: Inventory, succeeded: Entry | None) -> Finding | None:
    """Return that the last Job to end failed and is deleted, as an Event says."""
    ends = [each for each in seen.events(entry.uid) if each.reason == "SawCompletedJob"]
    if not ends:
        return None
    end = max(ends, key=lambda each: each.last or 0.0)
    found = _SAW.search(brief(end.message))
    if found is None or found["how"] != "Failed":
        return None
    if seen.named("batch", "Job", entry.namespace, found["job"]) is not None:
        return None
    ended = None if succeeded is None else jobs_.phase_of(succeeded)[1]
    recorded = moment(entry.document, "status", "lastSuccessfulTime")
    if max(ended or 0.0, recorded or 0.0) > (end.last or 0.0):
        return None
    told = f"the last Job to end, {found['job']}, failed; it is not there any more"
    remedy = advice("keep failed Jobs: set failedJobsHistoryLimit to 1 or more")
    return Finding("last-failure", Verdict.FAILING, told, remedy, since=end.last)

"""The members of `summary -o json`: docs/summary.md."""

from __future__ import annotations

from kubectl_spy.core.answer.failure import Failure
from kubectl_spy.core.answer.timeline import Warned
from kubectl_spy.core.answer.unwell import Unwell
from kubectl_spy.core.causes.suspects import Suspect
from kubectl_spy.core.causes.writes import Write
from kubectl_spy.core.changes.contents import Contents
from kubectl_spy.core.changes.earlier import PAST
from kubectl_spy.core.changes.record import ChangeRecord
from kubectl_spy.core.cluster.inventory import Entry
from kubectl_spy.core.diagnosis.finding import Diagnosis, Finding
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.summary.flaps import Flap
from kubectl_spy.core.summary.summary import Counts, most_first
from kubectl_spy.core.times import rfc3339
from kubectl_spy.core.wording import many
from kubectl_spy.render.findings import labelled, text


def said(failure: Failure) -> str:
    """Return what failed in one line: `12 Pods ImagePullBackOff: cannot pull …`."""
    words = text(failure.finding)
    of, top = failure.of, failure.top
    if of is None or of.uid == top.uid:
        return words
    name = of.name if failure.pods == 1 else many(failure.pods, of.gvk.kind)
    if failure.pods == 1:
        name = f"{of.gvk.kind} {name}"
    return labelled(f"{name} {failure.phase}", words)


def state_json(entry: Entry, diagnosis: Diagnosis) -> dict[str, JSON]:
    """Return the state of a target as a JSON object."""
    verdict, phase = diagnosis.verdict.value, diagnosis.phase
    said = {"verdict": verdict, "phase": phase, "summary": diagnosis.summary}
    return _object(entry) | said


def failure_json(failure: Failure) -> dict[str, JSON]:
    """Return a failure as a JSON object."""
    line = _object(failure.top) | _from(failure.since, bound=failure.bound)
    if failure.until is not None:
        line["until"] = rfc3339(failure.until)
    line |= {"what": said(failure), "times": failure.times}
    if failure.of is not None:
        line["finding"] = {**_object(failure.of), **_finding(failure.finding)}
    if failure.log is not None:
        line["log"] = list(failure.log.lines)
    line["by"] = [suspect_json(each) for each in failure.by]
    if failure.why_not is not None and not failure.by:
        line["why"] = text(failure.why_not)
        line["unknown"] = failure.why_not.as_json()
    return line


def warning_json(warning: Warned) -> dict[str, JSON]:
    """Return what somebody should look at as a JSON object."""
    line = _object(warning.of) | _from(warning.began, bound=warning.bound)
    line |= {"what": text(warning.finding), "finding": _finding(warning.finding)}
    return line | {"by": [suspect_json(each) for each in warning.by]}


def unwell_json(unwell: Unwell) -> dict[str, JSON]:
    """Return what is not well as a JSON object."""
    line = _object(unwell.of) | _from(unwell.since, bound=False)
    line |= {"phase": unwell.diagnosis.phase, "summary": unwell.diagnosis.summary}
    if unwell.warning is not None:
        line["warning"] = f"{unwell.warning.reason}: {unwell.warning.message}"
    return line | {"by": [suspect_json(each) for each in unwell.by]}


def _from(time: float, *, bound: bool) -> dict[str, JSON]:
    return {"from": rfc3339(time), **({"fromIsBound": True} if bound else {})}


def _finding(finding: Finding) -> dict[str, JSON]:
    return {"about": finding.about, **finding.fact.as_json()}


def suspect_json(suspect: Suspect) -> dict[str, JSON]:
    """Return a write that may have caused a failure as a JSON object."""
    lag = round(suspect.lag, 3)
    return write_json(suspect.write) | {"lag": lag, "certain": suspect.certain}


def write_json(write: Write) -> dict[str, JSON]:
    """Return a write as a JSON object."""
    record, edit = write.record, write.edit
    line = _object(record) | {
        "resourceVersion": record.resource_version,
        "type": record.type.value,
        "time": rfc3339(edit.time),
        "managers": list(edit.managers),
        "what": list(edit.what) or ["created"],
    }
    if edit.source:
        line |= {"type": PAST, "source": edit.source}
        if edit.after is not None:
            line |= {"time": rfc3339(edit.after), "until": rfc3339(edit.time)}
    if write.alike:
        line["alike"] = write.alike
    if write.times > 1:
        line["times"] = write.times
    if record.actor is not None:
        line["audit"] = record.actor._asdict()
    return line


def flap_json(flap: Flap) -> dict[str, JSON]:
    """Return a field that goes back and forth as a JSON object."""
    return _object(flap.record) | {
        "pointer": flap.pointer,
        "values": list(flap.values),
        "times": flap.returns,
        "period": round(flap.period, 3),
        "from": rfc3339(flap.first),
        "until": rfc3339(flap.last),
        "managers": list(flap.managers),
        "fight": flap.is_fight,
    }


def busiest(contents: Contents, counts: Counts) -> dict[str, dict[str, int]]:
    """Return how often objects, fields and managers changed, the most often first."""
    rows = [row for row in contents.rows("changes") if row.gvk.kind != "Event"]
    several = len({row.namespace for row in rows} - {None}) > 1
    objects = {
        f"{row.gvk.printed}/{row.name}"
        + (f" ({row.namespace})" if several and row.namespace else ""): row.changes
        for row in rows
    }
    return {
        "objects": most_first(objects),
        "fields": most_first(counts.fields),
        "managers": most_first(counts.managers),
    }


def _object(item: Entry | ChangeRecord) -> dict[str, JSON]:
    line: dict[str, JSON] = {"apiVersion": item.gvk.api_version, "kind": item.gvk.kind}
    if item.namespace:
        line["namespace"] = item.namespace
    return line | {"name": item.name}

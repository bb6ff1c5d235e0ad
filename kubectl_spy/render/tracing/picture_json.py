"""The members of `trace -o json`: docs/trace.md."""

from __future__ import annotations

import math

from kubectl_spy.core.changes.coverage import Coverage
from kubectl_spy.core.cluster.events import ClusterEvent
from kubectl_spy.core.diagnosis.finding import Finding
from kubectl_spy.core.fact import args_json
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.times import rfc3339
from kubectl_spy.core.trace.picture import Node, Picture
from kubectl_spy.render.findings import text


def picture_json(picture: Picture, coverage: Coverage) -> dict[str, JSON]:
    """Return *picture* as a JSON object, a line of `-o json`."""
    unknown = [each.as_json() for each in coverage.holes(picture.time, math.inf)]
    return {
        "time": rfc3339(picture.time),
        "objects": [node_json(root) for root in picture.roots],
        **({"more": picture.more} if picture.more else {}),
        **({"unknown": unknown} if unknown else {}),
    }


def node_json(node: Node) -> dict[str, JSON]:
    """Return *node* as a JSON object. Members that do not apply are absent."""
    shown: dict[str, JSON] = {
        "apiVersion": node.gvk.api_version,
        "kind": node.gvk.kind,
    }
    if node.namespace:
        shown["namespace"] = node.namespace
    shown |= {"name": node.name, "uid": node.uid}
    if node.role:
        shown["role"] = node.role
    shown |= {"phase": node.phase, "verdict": node.verdict.value}
    if node.summary:
        shown["summary"] = node.summary
    if node.since is not None:
        shown["since"] = rfc3339(node.since)
    if node.final:
        shown["final"] = True
    if node.before:
        shown["before"] = [
            {"phase": spell.phase}
            if spell.seconds is None
            else {"phase": spell.phase, "seconds": round(spell.seconds, 3)}
            for spell in node.before
        ]
    if node.findings:
        shown["findings"] = [_finding(each) for each in node.findings]
    if node.events:
        shown["events"] = [_event(each) for each in node.events]
    if node.children:
        shown["children"] = [node_json(child) for child in node.children]
    return shown


def _finding(finding: Finding) -> dict[str, JSON]:
    shown: dict[str, JSON] = {
        "code": finding.code,
        "about": finding.about,
        "verdict": finding.verdict.value,
        "text": text(finding),
    }
    if finding.args:
        shown["args"] = args_json(finding.args)
    if finding.remedy:
        shown["remedy"] = finding.remedy
    if finding.since is not None:
        shown["since"] = rfc3339(finding.since)
    if finding.final:
        shown["final"] = True
    return shown


def _event(event: ClusterEvent) -> dict[str, JSON]:
    shown: dict[str, JSON] = {
        "type": "Warning" if event.warning else "Normal",
        "reason": event.reason,
        "message": event.message,
        "count": event.times,
    }
    if event.last is not None:
        shown["last"] = rfc3339(event.last)
    if event.component:
        shown["component"] = event.component
    return shown

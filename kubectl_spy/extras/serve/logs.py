"""The logs that a recording holds: the ends of those of containers that failed."""

from __future__ import annotations

from collections.abc import Sequence

from kubectl_spy.core.changes.lines import LogLine
from kubectl_spy.core.fields import mapping, mappings, text
from kubectl_spy.extras.serve.api_server.exchange import (
    Answer,
    failure,
    is_true,
    parse_number,
)
from kubectl_spy.extras.serve.api_server.objects import Object
from kubectl_spy.sources.recording.index import Index

_ALL = ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses")
_PARTIAL = "only these last lines of the log were recorded, without times"
_CUT = "; the end of the last one is missing"


class Logs:
    """The logs in *index*."""

    def __init__(self, index: Index) -> None:
        self._found: dict[tuple[str, str], LogLine] = {}
        for number in range(len(index)):
            line = index.line(number) if index.type(number) == "LOG" else None
            if isinstance(line, LogLine):
                self._found[line.run.uid, line.run.container_id] = line

    def __bool__(self) -> bool:
        return bool(self._found)

    def answer(self, pod: Object, query: dict[str, str]) -> Answer:
        """Answer with a log of *pod*, or raise Refused if it was not recorded."""
        name = query.get("container") or _only(pod)
        previous = is_true(query.get("previous"))
        statuses = [one for each in _ALL for one in mappings(pod, "status", each)]
        runs = [_run(each, previous) for each in statuses if each.get("name") == name]
        for run in runs:
            if found := self._found.get((text(pod, "metadata", "uid"), run)):
                return _shown(found.lines, found.cut, query)
        which = "previous log" if previous else "log"
        raise failure(
            404,
            "NotFound",
            f'no {which} of container "{name}" was recorded by this moment: record '
            "--logs keeps the ends of logs of containers that failed, one for each "
            "kind of failure",
        )


def _run(status: Object, previous: bool) -> str:
    """Return the ID of the container whose log a kubelet reads; "" while it runs.

    A container that runs has not failed yet, so its log is not recorded.
    https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/kubelet/kubelet_pods.go
    """
    last = text(status, "lastState", "terminated", "containerID")
    if previous:
        return last
    if "running" in mapping(status, "state"):
        return ""
    return text(status, "state", "terminated", "containerID") or last


def _shown(lines: Sequence[str], cut: bool, query: dict[str, str]) -> Answer:
    if tail := query.get("tailLines"):
        count = parse_number(tail, "tailLines: ")
        lines = lines[-count:] if count > 0 else ()
    body = "".join(f"{each}\n" for each in lines).encode("utf-8", "replace")
    if limit := parse_number(query.get("limitBytes", ""), "limitBytes: "):
        body = body[:limit]
    # kubectl prints it on its standard error.
    warning = f'299 - "{_PARTIAL}{_CUT * cut}"'
    return Answer(200, body, "text/plain", (("Warning", warning),))


def _only(pod: Object) -> str:
    names = [text(each, "name") for each in mappings(pod, "spec", "containers")]
    marked = mapping(pod, "metadata", "annotations").get(
        "kubectl.kubernetes.io/default-container"
    )
    return str(marked or (names[0] if names else ""))

"""The logs that a recording holds: the ends of those of containers that failed."""

from __future__ import annotations

from kubectl_spy.api_server.exchange import Answer, failure, parse_number
from kubectl_spy.api_server.objects import Object
from kubectl_spy.core.changes.recording_format import BadLine, decode
from kubectl_spy.core.fields import mapping, mappings, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.sources.recording.index import Index


class Logs:
    """The logs in *index*."""

    def __init__(self, index: Index) -> None:
        self._found: dict[tuple[str, str], tuple[int, list[str]]] = {}
        for line in range(len(index)):
            if index.type(line) == "LOG":
                try:
                    self._take(line, decode(index.raw(line)))
                except BadLine:
                    continue

    def __bool__(self) -> bool:
        return bool(self._found)

    def _take(self, line: int, log: dict[str, JSON]) -> None:
        lines = log.get("lines")
        texts = [str(each) for each in lines] if isinstance(lines, list) else []
        self._found[text(log, "uid"), text(log, "containerID")] = line, texts

    def answer(self, pod: Object, query: dict[str, str], now: int) -> Answer:
        """Answer with a log of *pod* that was recorded up to the line *now*.

        Raises Refused if there is none.
        """
        name = query.get("container") or _only(pod)
        previous = query.get("previous", "") in ("true", "1")
        state = "lastState" if previous else "state"
        for each in mappings(pod, "status", "containerStatuses"):
            if text(each, "name") != name:
                continue
            run = text(each, state, "terminated", "containerID")
            run = run or ("" if previous else text(each, "containerID"))
            line, lines = self._found.get((text(pod, "metadata", "uid"), run), (-1, []))
            if 0 <= line <= now:
                tail = parse_number("tailLines", query.get("tailLines", ""))
                kept = lines[-tail:] if tail else lines
                body = "".join(f"{each}\n" for each in kept)
                encoded = body.encode("utf-8", "replace")
                return Answer(200, encoded, "text/plain")
        which = "previous log" if previous else "log"
        raise failure(
            404,
            "NotFound",
            f'the {which} of container "{name}" is not in the recording: '
            "record --logs keeps the end of the logs of containers that failed",
        )


def _only(pod: Object) -> str:
    names = [text(each, "name") for each in mappings(pod, "spec", "containers")]
    marked = mapping(pod, "metadata", "annotations").get(
        "kubectl.kubernetes.io/default-container"
    )
    return str(marked or (names[0] if names else ""))

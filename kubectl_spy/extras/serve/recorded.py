"""The cluster that a recording describes, at one of its lines."""

from __future__ import annotations

import gc
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kubectl_spy.core.changes.line_reading import HEAD
from kubectl_spy.core.changes.lines import LogLine
from kubectl_spy.core.changes.record import Refused
from kubectl_spy.core.fields import mapping, mappings, text
from kubectl_spy.core.objects import JSON, Resource, Selection
from kubectl_spy.extras.serve.api_server.cluster import (
    Cluster,
    Collection,
    Object,
    at_revision,
    revision_of,
)
from kubectl_spy.extras.serve.api_server.exchange import (
    Answer,
    failure,
    is_true,
    parse_number,
)
from kubectl_spy.sources.recording.index import Index, Subject
from kubectl_spy.sources.recording.versions import VersionAtLine, Versions

_NOWHERE = -1
_NUMBER, _DIGITS = re.compile("[0-9]{1,20}"), re.compile(rb"[0-9]{1,20}")  # of 64 bits


class _Listed(NamedTuple):
    """A first list that is complete: what its run did not show is gone."""

    line: int
    run: int
    selection: Selection


class RecordedCluster:
    """Holds in *cluster* the objects of *index*, which is complete, at one *line*.

    Other recordings may share the cluster, until one of them moves back.
    """

    def __init__(self, index: Index, cluster: Cluster | None = None) -> None:
        self.index = index
        self.cluster = cluster or Cluster()
        self.line = _NOWHERE
        streams = list(_streams(index))
        resources = {each.resource.gvk: each.resource for _, _, each in streams}
        self.resources: list[Resource] = list(resources.values())
        self._collections = {
            (each.gvk.api_version, each.gvk.kind): self.collection(each)
            for each in self.resources
        }
        self._listed = list(_lists(index, streams))
        self._subjects = [
            number
            for number, each in enumerate(index.subjects)
            if each.name and (each.api_version, each.kind) in self._collections
        ]
        again = _seen_again(index, streams)
        self._news: dict[int, Sequence[int]] = {
            number: _news(index, number)
            if (index.subjects[number].api_version, index.subjects[number].kind)
            in again
            else index.lines(number)
            for number in self._subjects
        }
        """The lines of each object that show something new."""
        self._lines = dict.fromkeys(self._subjects, _NOWHERE)
        self._revisions = dict.fromkeys(self._subjects, 0)
        self._versions: dict[int, Versions] = {}

    @staticmethod
    def collection(resource: Resource) -> Collection:
        """Return where the objects of *resource* are."""
        return Collection(resource.gvk.api_version, resource.plural)

    def refusal(self, collection: Collection) -> Refused | None:
        """Return why nothing of *collection* was listed, or None if anything was."""
        answers = [
            answer
            for selection, answer in self.index.coverage.answers()
            if self.collection(selection.resource) == collection
        ]
        refused = [each for each in answers if isinstance(each, Refused)]
        return refused[0] if refused and len(refused) == len(answers) else None

    def namespaces(self) -> JSON:
        """Return a list of the namespaces of which something was recorded."""
        names = {each.namespace for each in self.index.subjects}
        names |= {each.selection.namespace for each in self.index.declared}
        items: JSON = [
            {"metadata": {"name": each}} for each in sorted(filter(None, names))
        ]
        return {"kind": "NamespaceList", "apiVersion": "v1", "items": items}

    def seek(self, line: int) -> None:
        """Move to *line*. All objects change at once.

        A move back forgets all resourceVersions that clients were given. Open watches
        get the changes. A client that resumes from one of these versions must list
        again.
        """
        cluster = self.cluster
        with cluster.changed:
            back = line < self.line or self.line == _NOWHERE
            begins = self.line == _NOWHERE
            if back:
                cluster.forget()
            # Documents hold no cycles, so garbage collection would find nothing.
            gc.disable()
            try:
                for subject, at in self._differing(line):
                    self._show(subject, at, resumable=not back)
            finally:
                gc.freeze()
                gc.enable()
            self.line = line
            reached = max(self._revisions.values(), default=1)
            # A list at a line that was left has another revision than before.
            cluster.reach(
                cluster.newest + 1 if back and not begins else max(reached, 1)
            )
            cluster.jumps += 1
            cluster.changed.notify_all()

    def advance(self) -> None:
        """Go to the next line."""
        with self.cluster.changed:
            line = self.line + 1
            subject = self.index.subject(line)
            if subject in self._lines and self._line_of(subject, line) == line:
                self._show(subject, line, resumable=True)
            for listed in self._listed:
                if listed.line == line:
                    for each, at in self._differing(line):
                        self._show(each, at, resumable=True)
            self.line = line

    def _differing(self, line: int) -> list[tuple[int, int]]:
        """Return the objects that have another last line at *line*, and that line.

        They come in the order of these lines. Those that are not there come first.
        """
        run = self.index.run_of(line)
        listed = [each for each in self._listed if run <= each.line <= line]
        found = []
        for subject in self._subjects:
            at = self._line_of(subject, line)
            if at != _NOWHERE and at < run:
                named = self.index.subjects[subject]
                if any(named.may_be_in(each.selection) for each in listed):
                    at = _NOWHERE
            if at != self._lines[subject]:
                found.append((at, subject))
        return [(subject, at) for at, subject in sorted(found)]

    def _line_of(self, subject: int, line: int) -> int:
        of = self._news[subject]
        at = bisect_right(of, line)
        return of[at - 1] if at else _NOWHERE

    def _show(self, subject: int, line: int, *, resumable: bool) -> None:
        """Write what *subject* is at *line* to the cluster."""
        found = None
        if line != _NOWHERE:
            if subject not in self._versions:
                self._versions[subject] = Versions(self.index, subject)
            found = self._versions[subject].at(line)
        self._lines[subject] = line
        names = self.index.subjects[subject]
        collection = self._collections[names.api_version, names.kind]
        before = self.cluster.get(collection, (names.namespace or "", names.name))
        revision = 0 if found is None else _revision(found)
        self._revisions[subject] = revision
        if found is None or found.document is None:
            if before is not None:
                self._delete(collection, before, revision, resumable=resumable)
            return
        item = _whole(names, found.document, revision or self.cluster.newest + 1)
        if before is not None:
            if _uid(before) != _uid(item):
                self._delete(collection, before, 0, resumable=False)
            elif before == item:
                return
        self.cluster.write(collection, item, revision_of(item), resumable=resumable)

    def _delete(
        self, collection: Collection, before: Object, revision: int, *, resumable: bool
    ) -> None:
        """Delete an object, at the *revision* of its deletion if that was recorded."""
        known = revision > revision_of(before)
        self.cluster.write(
            collection,
            before,
            revision if known else revision_of(before),
            deleted=True,
            resumable=resumable and known,
        )


def _whole(names: Subject, document: Object, revision: int) -> Object:
    """Return the object as the API server had it, but for managedFields."""
    named = {"name": names.name, **document["metadata"]}
    if (names.name, names.namespace) != (named["name"], named.get("namespace")):
        named |= {"name": names.name, "namespace": names.namespace or ""}
    typed = {"kind": names.kind, "apiVersion": names.api_version}
    return at_revision({**typed, **document, "metadata": named}, revision)


def _revision(version: VersionAtLine) -> int:
    """Return the resourceVersion as a number, 0 if it is none."""
    text = version.resource_version
    return int(text) if _NUMBER.fullmatch(text) else 0


def _uid(item: Object) -> object:
    return item["metadata"].get("uid")


def _streams(index: Index) -> Iterator[tuple[int, int, Selection]]:
    """Yield what was recorded: a line, the number of the stream, what it selects."""
    for line, declared in zip(index.declarations, index.declared, strict=True):
        yield line, declared.stream, declared.selection


def _lists(
    index: Index, streams: list[tuple[int, int, Selection]]
) -> Iterator[_Listed]:
    for line in range(len(index)):
        if index.type(line) != "LISTED":
            continue
        number = index.line(line).stream
        run = index.run_of(line)
        for declared, stream, selection in reversed(streams):
            if run <= declared < line and stream == number:
                yield _Listed(line, run, selection)
                break


def _seen_again(
    index: Index, streams: list[tuple[int, int, Selection]]
) -> set[tuple[str, str]]:
    """Return the types whose versions may come twice.

    Several streams of one run hold them, or one that goes on from the run before.
    """
    runs = Counter(
        (index.run_of(line), each.resource.gvk.api_version, each.resource.gvk.kind)
        for line, _, each in streams
    )
    for each in index.declared:
        gvk = each.selection.resource.gvk
        runs[-1, gvk.api_version, gvk.kind] += 2 * (each.since is not None)
    return {(version, kind) for (_, version, kind), n in runs.items() if n > 1}


def _news(index: Index, subject: int) -> list[int]:
    """Return the lines that show a later version of *subject* than those before.

    Several streams show the same object, some later than others, and a recorder that
    goes on writes versions again.
    """
    found: list[int] = []
    run, latest, left = -1, 0, False
    for line in filter(index.is_version, index.lines(subject)):
        head = HEAD.match(index.raw(line))
        revision = int(head[9]) if head and _DIGITS.fullmatch(head[9]) else 0
        if index.run_of(line) != run:
            run, latest = index.run_of(line), 0
        kind = index.type(line)
        again = revision == latest and (kind == "DELETED" or left)
        if not revision or revision > latest or again:
            found.append(line)
            latest, left = max(latest, revision), kind == "LEFT"
    return found


# The logs that a recording holds: the ends of those of containers that failed.

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

"""Reads the end of the logs of containers that failed, each once, from threads.

The threads only collect the answers. The main thread takes them.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple
from urllib.parse import quote, urlencode

from kubectl_spy.core.changes.record import Logged
from kubectl_spy.core.diagnosis.pods.failed_runs import FailedRun, to_read
from kubectl_spy.core.remedy import kubectl
from kubectl_spy.errors import SpyError

_SHOWN = 5  # the most lines of a log to keep
_TAIL = 10  # lines to ask for: some may be blank
_LIMIT = 1 << 14  # bytes to read of a log
_PATIENCE = 3.0  # seconds for the whole answer

_NONE = (400, 404)
"""The answers where there is no log: no such run, the Pod is gone, not started yet.
https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/kubelet/kubelet_pods.go
"""
_GONE = "unable to retrieve container logs for "
"""How a kubelet begins a 200, where the runtime has removed the container.
https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/kubelet/kuberuntime/kuberuntime_container.go
"""

Ask = Callable[[str, float, int], tuple[int, bytes] | None]


class _Missing(NamedTuple):
    """A log that did not come. The status is 0 without an answer."""

    status: int
    run: FailedRun

    @property
    def namespace(self) -> str:
        return self.run.of.namespace

    @property
    def note(self) -> str:
        """Return what happened, and how to see the log."""
        of = self.run.of
        said = f"the server said {self.status}" if self.status else "no answer"
        logs = "logs {} -c {}" + " --previous" * self.run.previous
        again = kubectl(logs, of.name, of.container, namespace=of.namespace)
        return f"note: the log of pod/{of.name} does not come: {said}; try {again}"


class PodLogs:
    """Reads logs. One thread may call the methods. They never wait.

    *ask* takes a path, a timeout in seconds, and a limit in bytes. It returns status
    and body, None without an answer, or raises a SpyError. *wake* is called after each
    answer, from any thread. *say* gets a line if logs may not be read, and one about
    the first log that does not come although it is there.
    """

    def __init__(
        self, ask: Ask, *, wake: Callable[[], None], say: Callable[[str], None]
    ) -> None:
        self._ask = ask
        self._wake = wake
        self._say = say
        self._known: set[str] = set()  # the container IDs whose logs were requested
        self._unanswered = 0
        self._forbidden: set[str] = set()  # the namespaces whose logs may not be read
        self._lacking = False  # whether it was said that a log does not come
        self._came = queue.SimpleQueue[Logged | Exception | _Missing]()

    def read(self, runs: Iterable[FailedRun]) -> None:
        """Read the logs of *runs*, one for each kind of failure, each log once."""
        for run in to_read(runs, self._known):
            self._known.add(run.of.container_id)
            if run.of.namespace not in self._forbidden:
                self._unanswered += 1
                threading.Thread(target=self._run, args=(run,), daemon=True).start()

    def answers(self) -> Iterator[Logged]:
        """Yield the logs since the last call, or raise a thread's exception."""
        while not self._came.empty():
            answer = self._came.get()
            self._unanswered -= 1
            if isinstance(answer, Exception):
                raise answer
            if isinstance(answer, Logged):
                yield answer._replace(time=time.time())  # after what came before
            elif answer.status == 403:
                if not self._forbidden:
                    self._say(
                        f"note: may not get pods/log in namespace {answer.namespace}: "
                        "no logs of what failed; ask for that right, or use "
                        "--logs=false"
                    )
                self._forbidden.add(answer.namespace)
            elif answer.status not in _NONE and not self._lacking:
                self._lacking = True
                self._say(answer.note)

    @property
    def settled(self) -> bool:
        """Whether each request was answered, and `answers` has yielded the answer."""
        return not self._unanswered

    def _run(self, run: FailedRun) -> None:
        try:
            self._came.put(self._answer(run))
        except Exception as bug:  # otherwise it would go unnoticed
            self._came.put(bug)
        self._wake()

    def _answer(self, run: FailedRun) -> Logged | _Missing:
        status, body, cut = self._tail(run, _TAIL)
        if cut:  # a long line may hide the last one
            status, body, cut = self._tail(run, 1)
        gone = body.startswith(_GONE) and body.rstrip().endswith(run.of.container_id)
        if status != 200 or gone:
            return _Missing(404 if gone else status, run)
        lines = tuple(filter(None, map(str.rstrip, body.split("\n"))))
        return Logged(run.of, lines[-_SHOWN:], cut, time.time())

    def _tail(self, run: FailedRun, lines: int) -> tuple[int, str, bool]:
        """Return the status, the last *lines* of a log, and whether they are cut.

        The status is 0 without an answer.
        """
        namespace, name = quote(run.of.namespace, safe=""), quote(run.of.name, safe="")
        query = {
            "container": run.of.container,
            "previous": str(run.previous).lower(),
            "tailLines": lines,
            "limitBytes": _LIMIT,
        }
        path = f"/api/v1/namespaces/{namespace}/pods/{name}/log?{urlencode(query)}"
        end = time.monotonic() + _PATIENCE
        try:
            status, body = self._ask(path, _PATIENCE, _LIMIT) or (0, b"")
        except SpyError:
            return 0, "", False
        cut = len(body) >= _LIMIT or time.monotonic() > end
        return status, body.decode("utf-8", "replace"), cut

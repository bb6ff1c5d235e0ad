"""The view of `record`. It shows nothing, and requests logs for the recording."""

from __future__ import annotations

from itertools import chain

from kubectl_spy.cli.run.view import Scene, View
from kubectl_spy.core.changes.record import Aside, ChangeRecord, Item
from kubectl_spy.core.cluster.inventory import Inventory, entry_of
from kubectl_spy.core.diagnosis.pods.failed_runs import FailedRun, failed_runs


class LogReadingView(View):
    """Asks for the logs of recorded Pods, with `--logs`."""

    def __init__(self, scene: Scene) -> None:
        self._logs = scene.logs
        self._nothing = Inventory()
        self._failed: dict[str, tuple[FailedRun, ...]] = {}  # by the Pod's uid

    def take(self, item: Item | Aside, *, shown: bool = True) -> None:
        if self._logs is None or not isinstance(item, ChangeRecord):
            return
        if item.gvk.printed == "pod":
            entry = entry_of(item)
            runs = failed_runs(entry, self._nothing) if entry else ()
            if entry is None:
                self._failed.pop(item.identity, None)
            elif runs or item.identity in self._failed:
                self._failed[item.identity] = runs  # at its place among the others
            if runs:
                self._logs.read(chain.from_iterable(self._failed.values()))

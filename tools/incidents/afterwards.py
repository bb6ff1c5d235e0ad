"""Asks an API server about a scene that was just played, as somebody who looks late.

What `summary --since` names is compared with the label, and with what the recording of
the same scene says.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

from tests.core.summary.judge import RIGHT, UNTOLD, WELL, judge, summarize
from tests.processes import run
from tools.incidents.client import Client, Record, path_of, plural_of

GOOD = (RIGHT, UNTOLD, WELL)
START = 1.0  # seconds that a command takes until it knows what time it is
_OLDEST = re.compile(r"too old resource version: 1 \((\d+)\)")


class Answer(NamedTuple):
    """What was said of one failure of a scene."""

    scene: str
    failure: str
    asked: str  # the recording, its kinds, the namespace, or the object that fails
    verdict: str
    said: str
    cannot: str  # why the write that did it cannot be named, or ""


class Afterwards:
    """Asks about scenes, and keeps the answers. Scenes may end at once."""

    def __init__(self, client: Client, kubeconfig: Path) -> None:
        self._client = client
        self._kubeconfig = kubeconfig
        self.answers: list[Answer] = []

    def ask(
        self, scene: str, kinds: str, label: Record, began: float, recording: Path
    ) -> None:
        """Ask about *scene*, recorded since *began*, while its namespace is there."""
        failures = label["failures"]
        forgotten = [self._is_forgotten(each["by"], scene) for each in failures]
        asked = {"recording": summarize(recording)}
        asked["kinds"] = self._summary(scene, began, kinds)
        asked["namespace"] = self._summary(scene, began)
        for each in failures:
            name = f"{each['kind']}/{each['name']}"
            asked[name] = self._summary(scene, began, name)
        for what, summary in asked.items():
            verdicts = judge({**label, "flaps": []}, summary)
            for number, verdict in enumerate(verdicts):
                if "/" in what and what != verdict.about:
                    continue
                cannot = ""
                if failures and what != "recording":
                    by = failures[number]["by"] or {}
                    unseen = what != "kinds" and by.get("kind") == "Secret"
                    cannot = "forgotten" if forgotten[number] else ""
                    cannot = "a Secret, not asked for" if unseen else cannot
                found = verdict.about, what, verdict.is_, verdict.answer, cannot
                self.answers.append(Answer(scene, *found))

    def _summary(self, namespace: str, began: float, *words: str) -> Record:
        """Return what `kubectl spy summary --since` says."""
        since = f"{time.time() - began + START:.0f}s"
        more = ["-n", namespace, "--since", since, "-o", "json"]
        done = run(
            [sys.executable, "-m", "kubectl_spy", "summary", *words, *more],
            env={**os.environ, "KUBECONFIG": str(self._kubeconfig)},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        found: Record = json.loads(done.stdout)
        return found

    def _is_forgotten(self, write: Record | None, namespace: str) -> bool:
        """Return whether a watch from the version of *write* works no more."""
        if write is None:
            return False
        query = {"watch": 1, "resourceVersion": 1, "timeoutSeconds": 1}
        path = path_of(plural_of(write["kind"]), namespace)
        with self._client.open(f"{path}?{urlencode(query)}") as response:
            oldest = _OLDEST.search(response.readline().decode())
        return oldest is not None and int(oldest[1]) >= int(write["resourceVersion"])

    def report(self) -> Iterator[str]:
        """Yield each answer that is not right, then how many are."""
        counts: dict[str, Counter[str]] = {}
        for each in sorted(self.answers):
            good = each.verdict in GOOD
            about = "object" if "/" in each.asked else each.asked
            count = counts.setdefault(about, Counter())
            if good or not each.cannot:
                count[each.verdict] += 1
            else:
                count[each.cannot] += 1
            if not good:
                said = each.cannot or each.said
                yield f"{each.scene:24} {about:10} {each.failure} {each.verdict} {said}"
        for about, verdicts in counts.items():
            yield f"{about}: " + ", ".join(f"{is_} {n}" for is_, n in verdicts.items())

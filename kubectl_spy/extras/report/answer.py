"""What mattered in a recording, from its index: the answer of `summary`."""

from __future__ import annotations

from kubectl_spy.core.changes.lines import BadLine
from kubectl_spy.core.changes.playback import Playback
from kubectl_spy.core.cluster.scope import Scope
from kubectl_spy.core.summary.summary import Summary
from kubectl_spy.extras.review.folds import declared_first
from kubectl_spy.sources.recording.index import DAMAGED, Index


def summary_of(index: Index) -> Summary:
    """Return what mattered in the recording."""
    playback = Playback(keys=index.recording.keys)
    summary = Summary(Scope(others=declared_first(index)), lambda record: True)
    for line in range(len(index)):
        if index.type(line) == DAMAGED:
            playback.lost()
            continue
        try:
            for item in playback.observe(index.line(line)):
                summary.take(item)
        except BadLine:
            pass  # the playback has noted it
    return summary

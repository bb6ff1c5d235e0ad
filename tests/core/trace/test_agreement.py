"""What a trace says of an object and what `--for ready` waits for are one thing."""

from __future__ import annotations

import pytest

from kubectl_spy.core.readiness.readiness import State, readiness
from kubectl_spy.core.trace.picture import Verdict
from kubectl_spy.demo.recordings import load_recording, recording_names
from tests.tracing import recorded_pictures

STREAMS = [name for name in recording_names() if name != "node"]


def targets(stream: str) -> list[str]:
    """Return every object in a recording that is traced by rules of its kind."""
    recording = load_recording(stream)
    documents = [document for _, document in recording.initial]
    documents += [step.object for step in recording.steps]
    return sorted(
        {
            f"{each['kind']}/{each['metadata']['name']}"
            for each in documents
            if each["kind"] not in ("Event", "EndpointSlice", "Endpoints", "Service")
        }
    )


@pytest.mark.parametrize("stream", STREAMS)
def test_a_trace_and_readiness_agree_at_every_moment(stream: str) -> None:
    compared = 0
    for target in targets(stream):
        for trace, picture in recorded_pictures(stream, target):
            for node in picture.roots:
                entry = trace.seen.entry(node.uid)
                if entry is None:
                    continue
                state = readiness(entry.document)
                where = (stream, target, node.phase, node.summary, state)
                probed = any(each.about.startswith("probe/") for each in node.findings)
                if state.state is State.CURRENT:
                    # That a liveness probe fails, only Events tell.
                    assert node.verdict is Verdict.OK or probed, where
                elif state.state is State.FAILED:
                    assert node.verdict is Verdict.FAILING, where
                    assert node.final is state.final, where
                else:
                    assert node.verdict is not Verdict.OK, where
                compared += 1
    assert compared

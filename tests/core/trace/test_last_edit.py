"""What was changed last in a root, also if that was before the watch."""

from __future__ import annotations

import pytest

from kubectl_spy.core.changes.history import History
from kubectl_spy.core.cluster.scope import Scope
from kubectl_spy.core.headlines.edits import Edit
from kubectl_spy.core.trace.trace import Trace
from kubectl_spy.demo.recordings import load_recording
from tests.tracing import all_listed, selections_for


def first_picture_at(stream: str, seconds: float, kind: str) -> Edit | None:
    """Return the last change of the only *kind* if the watch begins at that moment."""
    recording = load_recording(stream)
    objects = {each["metadata"]["uid"]: each for _, each in recording.initial}
    for step in recording.steps:
        if step.time <= seconds:
            objects[step.object["metadata"]["uid"]] = step.object
            if step.deleted:
                del objects[step.object["metadata"]["uid"]]
    selections = selections_for(objects.values())
    scope = Scope((), tuple(selections.values()), lambda it: it.gvk.kind == kind)
    trace, history = Trace(scope), History()
    for event in all_listed(selections, objects.values()):
        for record in history.observe(event):
            trace.observe(record)
    picture = trace.picture()
    return picture.edits.get(picture.roots[0].uid)


@pytest.mark.parametrize(
    ("stream", "seconds", "kind", "text", "manager", "created"),
    [
        ("deploy-rollout", 7.3, "Deployment", "", "kubectl-client-side-apply", True),
        (
            "deploy-rollout",
            28.8,
            "Deployment",
            "image nginx:1.13-alpine → nginx:1.12-alpine",
            "kubectl-set",
            False,
        ),
        ("pod-bad-image", 47.12, "Pod", "", "kubectl-set", False),
    ],
)
def test_what_came_before_the_watch_is_told_as_far_as_it_is_known(
    stream: str, seconds: float, kind: str, text: str, manager: str, created: bool
) -> None:
    edit = first_picture_at(stream, seconds, kind)
    assert edit is not None
    assert (edit.text, edit.managers, edit.created) == (text, (manager,), created)

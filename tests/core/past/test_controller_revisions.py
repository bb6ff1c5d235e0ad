"""What ControllerRevisions tell of the past of a StatefulSet or DaemonSet."""

from __future__ import annotations

from kubectl_spy.core.past.revisions import of_controller_revisions
from tests.builders import Object
from tests.core.past.leaving import left, managed, owned, told, unmasked


def revision(
    image: str, second: float, number: int, last: float | None = None
) -> Object:
    template = {
        "$patch": "replace",
        "spec": {"containers": [{"name": "a", "image": image}]},
    }
    written = second if last is None else last
    entry = managed("kube-controller-manager", written, {"f:revision": {}})
    return owned(
        f"web-{image}",
        second,
        metadata={"managedFields": [entry]},
        data={"spec": {"template": template}},
        revision=number,
    )


def found(*revisions: Object) -> list[str]:
    return told(of_controller_revisions(left("StatefulSet"), revisions, unmasked))


def test_each_revision_is_what_it_changed_at_its_creation() -> None:
    sets = revision("a", 0, 1), revision("c", 20, 3), revision("b", 10, 2)
    assert found(*sets) == ["10 image a → b", "20 image b → c"]


def test_one_that_is_used_again_has_a_new_number_and_its_time() -> None:
    again = revision("a", 0, 3, last=30), revision("b", 10, 2)
    assert found(*again) == ["10 image a → b", "30 image b → a"]


def test_a_revision_that_was_only_labelled_later_was_not_used_again() -> None:
    labelled = revision("a", 0, 1, last=30), revision("b", 10, 2)
    assert found(*labelled) == ["10 image a → b"]


def test_where_a_use_is_missing_no_change_is_made_up() -> None:
    """a, b, a, b, a: of the third nothing is left."""
    lost = revision("a", 0, 5, last=40), revision("b", 10, 4, last=30)
    assert found(*lost) == [
        "0 owns spec.template",
        "10 owns spec.template",
        "30 owns spec.template",
        "40 image b → a",
    ]


def test_behind_a_pruned_revision_only_that_the_template_was_written_is_told() -> None:
    assert found(revision("b", 10, 4), revision("c", 20, 5)) == [
        "10 owns spec.template",
        "20 image b → c",
    ]

"""What releases of Helm tell of an object: what their manifests intended."""

from __future__ import annotations

from typing import Any

from kubectl_spy.core.objects import Resource
from kubectl_spy.core.past.releases import Release, of_releases
from tests.builders import Object
from tests.core.past.leaving import START, left, managed, told, unmasked

KEY = "v1", "ConfigMap", "shop", "web"


def release(number: int, value: str | None, status: str = "superseded") -> Release:
    """Return a revision in which the object has a *value*, or is missing."""
    held: dict[Any, Any] = {}
    if value is not None:
        metadata = {"name": "web", "labels": {"v": value}}
        held = {KEY: {"kind": "ConfigMap", "metadata": metadata, "data": {"a": value}}}
    time = START + 10 * number
    return Release("web", "shop", number, status, time, time, held)


def found_in(*releases: Release) -> list[str]:
    subject = left("ConfigMap", group="")
    return told(of_releases(subject, releases, unmasked))


def test_each_revision_is_what_its_manifest_changed() -> None:
    assert found_in(release(1, "x"), release(2, "y"), release(3, "y")) == [
        "20 label v x → y · a x → y by helm"
    ]


def test_the_last_time_of_helm_says_when_between_its_begin_and_its_end() -> None:
    entries = [managed("helm", 24, {}), managed("kubectl", 22, {})]
    subject = left("ConfigMap", group="", entries=entries)
    slow = release(2, "y")._replace(until=START + 25)
    revisions = release(1, "x"), slow, release(3, "z")
    found = told(of_releases(subject, revisions, unmasked))
    assert [each.split()[0] for each in found] == ["24", "30"]
    assert found_in(*revisions)[0].startswith("20-25 ")


def test_a_release_before_the_object_was_made_did_not_change_it() -> None:
    early = release(2, "y")._replace(time=START - 60, until=START + 60)
    assert not found_in(release(1, "x"), early)


def test_a_failed_release_is_named_as_one() -> None:
    (write,) = of_releases(
        left("ConfigMap", group=""),
        [release(1, "x"), release(2, "y", "failed")],
        unmasked,
    )
    assert write.source == "HelmRelease web, revision 2, failed" and write.approximate


def test_behind_a_failed_release_only_what_is_certain_is_told() -> None:
    """It may have changed the object, or not: `y` or `x` was there before."""
    assert found_in(release(1, "x"), release(2, "y", "failed"), release(3, "z")) == [
        "20 label v x → y · a x → y by helm",
        "30 label v z · a z by helm",
    ]
    assert found_in(release(1, "x"), release(2, "x", "failed"), release(3, "z")) == [
        "30 label v x → z · a x → z by helm"
    ]


def test_behind_a_pruned_revision_nothing_is_told() -> None:
    assert not found_in(release(1, "x"), release(3, "y"))


def test_what_a_revision_added_or_took_away_is_no_change_of_a_field() -> None:
    assert not found_in(release(1, None), release(2, "y"), release(3, None))


def test_releases_of_other_names_are_not_mixed() -> None:
    other = release(2, "y")._replace(name="other")
    assert not found_in(other._replace(revision=1), release(2, "z"))


def test_manifests_are_masked_before_they_are_compared() -> None:
    def masked(document: Object, resource: Resource) -> Object:
        return {**document, "data": "***", "metadata": {}}

    subject = left("ConfigMap", group="")
    assert not list(of_releases(subject, [release(1, "x"), release(2, "y")], masked))

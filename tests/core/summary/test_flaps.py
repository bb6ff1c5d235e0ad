"""Fields that go back and forth."""

from __future__ import annotations

from typing import Any

from kubectl_spy.core.summary.flaps import Flap
from tests.core.summary.cluster import Cluster, deployment, pod


def flaps(*versions: tuple[str, dict[str, Any]]) -> list[Flap]:
    """Return what goes back and forth in versions that come every 10 seconds."""
    cluster = Cluster()
    cluster.listed()
    for by, each in versions:
        cluster.write(each, by=by)
        cluster.now += 10
    return cluster.summary().flaps.found()


def scaled(count: int) -> list[tuple[str, dict[str, Any]]]:
    managers = "argocd", "scaler"
    return [(managers[n % 2], deployment("app:1", (3, 5)[n % 2])) for n in range(count)]


def test_a_field_that_comes_back_three_times_flaps_and_names_who_fights() -> None:
    (flap,) = (each for each in flaps(*scaled(7)) if each.pointer == "/spec/replicas")
    assert flap.values == (3, 5)
    assert (flap.returns, flap.period) == (3, 20)
    assert sorted(flap.managers) == ["argocd", "scaler"]


def test_the_period_is_of_whole_periods_also_if_it_is_longer_at_one_value() -> None:
    for moves in (6, 7, 8):
        cluster = Cluster()
        cluster.listed()
        cluster.write(deployment("app:1", 3))
        for number in range(moves):
            replicas, after = ((5, 14), (3, 1))[number % 2]
            cluster.write(deployment("app:1", replicas), after=after)
        found = cluster.summary().flaps.found()
        (flap,) = (each for each in found if each.pointer == "/spec/replicas")
        assert (flap.moves, flap.period) == (moves, 15)


def test_a_field_that_comes_back_twice_does_not() -> None:
    assert flaps(*scaled(6)) == []


def test_a_value_in_between_begins_anew() -> None:
    other = ("argocd", deployment("app:1", 4))
    assert flaps(*scaled(4), other, *scaled(3)) == []


def test_conditions_flap_and_status_counters_do_not() -> None:
    bad = ("kubelet", pod("app:1", "CrashLoopBackOff"))
    found = flaps(*[("kubelet", pod()), bad] * 4)
    assert [(each.pointer, each.label) for each in found] == [
        ("/status/conditions/0/status", "type=Ready")
    ]

"""Which objects are read and watched because the targets refer to them."""

from __future__ import annotations

from typing import Any

from kubectl_spy.core.objects import JSON
from kubectl_spy.errors import SpyError
from kubectl_spy.sources.resolution.dependents import dependents
from kubectl_spy.sources.resolution.discovery import Catalogue
from kubectl_spy.sources.resolution.referred import referred
from tests.builders import resource
from tests.sources.resolution.test_resolve import REAL, Server, resolved

SHARED = resource("Pool", "example.org", namespaced=False)
OWN = resource("Claim", "example.org")
LARGE = Catalogue((*REAL.resources, SHARED, OWN))


class Objects:
    """Answers with objects, and notes what was asked for."""

    def __init__(self, **specs: dict[str, Any]) -> None:
        self._specs = specs
        self.asked: list[str] = []

    def __call__(self, path: str) -> JSON:
        self.asked.append(path)
        name = path.rpartition("/")[2]
        if name not in self._specs:
            raise SpyError(f"{name} is not there")
        return {"metadata": {"name": name}, "spec": self._specs[name]}


def along_with(line: str, objects: Objects) -> list[str]:
    """Return what is watched because of references: `NAMESPACE/TYPE/NAME`."""
    selections = resolved(line, Server(LARGE)).selections
    return [
        f"{each.namespace or ''}/{each.resource.plural}/{each.name or ''}"
        for each in referred(LARGE, selections, objects)
    ]


def to(kind: str, name: str, **more: str) -> dict[str, Any]:
    return {"kind": kind, "name": name, "apiVersion": "example.org/v1", **more}


def test_references_are_followed_to_their_end() -> None:
    objects = Objects(
        a={"poolRef": to("Pool", "p")},
        p={"claimRef": to("Claim", "b", namespace="other")},
        b={"poolRef": to("Pool", "p"), "serviceRef": {"kind": "Service", "name": "s"}},
    )
    assert along_with("claim/a", objects) == ["/pools/p", "other/claims/b"]
    assert [each.rpartition("/")[2] for each in objects.asked] == ["a", "p", "b"]


def test_kinds_of_kubernetes_are_not_read() -> None:
    objects = Objects()
    for line in ("deploy/web", "pod/web", "cm/web", "claims"):
        assert along_with(line, objects) == []
    assert objects.asked == []


def test_many_of_a_type_are_one_stream_and_secrets_are_none() -> None:
    pools = [to("Claim", f"c{number}") for number in range(9)]
    secret = {"kind": "Secret", "name": "s", "apiVersion": "v1"}
    objects = Objects(a={"claimRefs": pools, "secretRef": secret})
    assert along_with("claim/a", objects) == ["default/claims/"]
    assert len(objects.asked) == 10


def test_what_names_without_end_is_read_twenty_times() -> None:
    pools = {
        f"p{number}": {"nextRef": to("Pool", f"p{number + 1}")} for number in range(99)
    }
    objects = Objects(**pools)
    along_with("pool/p0", objects)
    assert len(objects.asked) == 20


def test_what_a_referred_kind_owns_is_watched_if_that_is_known() -> None:
    spec = {"service": {"name": "metrics", "namespace": "kube-system"}}
    objects = Objects(**{"v1.metrics": spec})
    selections = resolved("apiservice/v1.metrics", Server()).selections
    named = referred(REAL, selections, objects)
    found = dependents(REAL, selections, named).all
    assert {("kube-system", "services"), ("kube-system", "endpointslices")} <= {
        (each.namespace, each.resource.plural) for each in found
    }


def test_of_another_namespace_not_all_claims_are_watched() -> None:
    web = {"kind": "Deployment", "apiVersion": "apps/v1", "name": "web"}
    objects = Objects(a={"workloadRef": web | {"namespace": "other"}})
    selections = resolved("claim/a", Server(LARGE)).selections
    found = dependents(LARGE, selections, referred(LARGE, selections, objects))
    beside = {(it.namespace, it.resource.plural, it.name) for it in found.beside}
    assert ("other", "deployments", "web") in beside
    assert ("other", "persistentvolumeclaims", None) not in beside

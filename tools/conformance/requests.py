"""Several hundred requests, and what they ask."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

HERE, THERE = "conformance", "elsewhere"
JSON = "application/json"
META = "v=v1;g=meta.k8s.io"
TABLE = f"{JSON};as=Table;{META}"
KUBECTL = f"{TABLE},{JSON};as=Table;v=v1beta1;g=meta.k8s.io,{JSON}"
PARTIAL = f"{JSON};as=PartialObjectMetadata;{META}"
PARTIAL_LIST = f"{JSON};as=PartialObjectMetadataList;{META}"
PROTOBUF = "application/vnd.kubernetes.protobuf"

NAMESPACED = (
    "/api/v1 pods",
    "/apis/apps/v1 deployments",
    "/apis/apps/v1 statefulsets",
    "/apis/apps/v1 replicasets",
    "/apis/apps/v1 daemonsets",
    "/apis/apps/v1 controllerrevisions",
    "/apis/batch/v1 jobs",
    "/apis/batch/v1 cronjobs",
    "/api/v1 replicationcontrollers",
    "/api/v1 services",
    "/api/v1 endpoints",
    "/apis/discovery.k8s.io/v1 endpointslices",
    "/apis/networking.k8s.io/v1 ingresses",
    "/apis/networking.k8s.io/v1 networkpolicies",
    "/api/v1 configmaps",
    "/api/v1 secrets",
    "/api/v1 serviceaccounts",
    "/api/v1 persistentvolumeclaims",
    "/apis/autoscaling/v2 horizontalpodautoscalers",
    "/apis/policy/v1 poddisruptionbudgets",
    "/apis/coordination.k8s.io/v1 leases",
    "/api/v1 events",
    "/apis/example.com/v1 widgets",
)
CLUSTER = (
    "/api/v1 nodes",
    "/api/v1 namespaces",
    "/api/v1 persistentvolumes",
    "/apis/storage.k8s.io/v1 storageclasses",
    "/apis/apiextensions.k8s.io/v1 customresourcedefinitions",
    "/apis/example.com/v1 gadgets",
)


@dataclass(frozen=True)
class Asked:
    """A request. In *path*, {rv} is the resourceVersion of a list of this collection.

    {old} is that of an object before its last change, {token} is a continue token.
    """

    path: str
    accept: str = JSON
    method: str = "GET"

    @property
    def name(self) -> str:
        return f"{self.method} {self.path} [{self.accept}]"


def collection(row: str, namespace: str = HERE) -> str:
    root, plural = row.split()
    within = f"/namespaces/{namespace}" if row in NAMESPACED and namespace else ""
    return f"{root}{within}/{plural}"


def asked() -> Iterator[Asked]:
    """Yield all requests."""
    for row in (*NAMESPACED, *CLUSTER):
        yield from _of(collection(row), row)
    maps, pods = collection("/api/v1 configmaps"), collection("/api/v1 pods")
    for path in (
        maps,
        pods,
        "/api/v1/nodes",
        collection("/apis/example.com/v1 widgets"),
    ):
        yield from _lists(path)
        yield from _watches(path)
    yield from _selected(pods)
    yield from _single(maps)
    yield from _accepted(maps)
    yield from _bad()


def _of(path: str, row: str) -> Iterator[Asked]:
    """Yield what is asked of every kind."""
    yield Asked(path)
    yield Asked(path, KUBECTL)
    yield Asked(path, TABLE)
    yield Asked(path, PARTIAL_LIST)
    yield Asked(f"{path}?limit=1")
    yield Asked(f"{path}?limit=2", KUBECTL)
    yield Asked(f"{path}?labelSelector=app%3Dweb")
    yield Asked(f"{path}?fieldSelector=metadata.name%3Dweb", KUBECTL)
    yield Asked(f"{path}?watch=1&timeoutSeconds=1")
    yield Asked(f"{path}?watch=1&timeoutSeconds=1", TABLE)
    yield Asked(f"{path}?watch=1&timeoutSeconds=1&resourceVersion={{rv}}")
    yield Asked(f"{path}/nobody")
    if row in NAMESPACED and not row.endswith("leases"):
        yield Asked(collection(row, ""), KUBECTL)
        yield Asked(f"{collection(row, '')}?limit=3&labelSelector=tier")


_VERSIONS = ("", "0", "{rv}", "{old}", "1", "999999999", "x")
_MATCHES = ("", "Exact", "NotOlderThan", "Sometimes")


def _lists(path: str) -> Iterator[Asked]:
    for limit in ("", "1", "2", "500"):
        for version in _VERSIONS:
            for match in _MATCHES:
                words = {
                    "limit": limit,
                    "resourceVersion": version,
                    "resourceVersionMatch": match,
                }
                query = "&".join(f"{k}={v}" for k, v in words.items() if v)
                yield Asked(f"{path}?{query}")
    for more in (
        "&resourceVersion={rv}",
        "&resourceVersionMatch=Exact",
        "&resourceVersion=0",
        "&limit=1",
        "&limit=0",
        "&labelSelector=tier",
    ):
        yield Asked(f"{path}?limit=2&continue={{token}}{more}")
    yield Asked(f"{path}?sendInitialEvents=true")
    yield Asked(f"{path}?limit=-1")
    yield Asked(f"{path}?limit=x")
    yield Asked(f"{path}?continue=nonsense")
    yield Asked(f"{path}?timeoutSeconds=x")
    yield Asked(f"{path}?watch=x&timeoutSeconds=1")


def _watches(path: str) -> Iterator[Asked]:
    for version in _VERSIONS:
        base = f"{path}?watch=true&timeoutSeconds=1"
        if version == "999999999":
            continue
        words = f"&resourceVersion={version}" if version else ""
        yield Asked(base + words)
        yield Asked(base + words, TABLE)
        yield Asked(base + words, PARTIAL)
        yield Asked(f"{base}{words}&labelSelector=app%3Dmoved")
        yield Asked(f"{base}{words}&labelSelector=app%21%3Dmoved")
        for send in ("true", "false"):
            for match in ("", "NotOlderThan", "Exact"):
                more = f"&sendInitialEvents={send}"
                more += f"&resourceVersionMatch={match}" if match else ""
                yield Asked(f"{base}{words}{more}&allowWatchBookmarks=true")
        yield Asked(
            f"{base}{words}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
        )
        yield Asked(f"{base}{words}&resourceVersionMatch=NotOlderThan")
        yield Asked(f"{base}{words}&limit=1")
    yield Asked(f"{path}?watch=1&timeoutSeconds=x")
    yield Asked(f"{path}?watch=1&timeoutSeconds=1&labelSelector=((")
    yield Asked(
        f"{path}?watch=1&timeoutSeconds=1&resourceVersion={{old}}&includeObject=Object",
        TABLE,
    )
    yield Asked(f"{path}?watch=1&timeoutSeconds=1", PROTOBUF)
    yield Asked(
        f"{path}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3Done&resourceVersion={{old}}"
    )


def _selected(pods: str) -> Iterator[Asked]:
    labels = (
        "app", "!app", "app=web", "app==web", "app!=plain", "app in (plain,done)",
        "app notin (plain,done)", "tier=web,app!=plain", "tier=web,!gone", "app=",
        "app in ()", "app in (plain", "a b", "=", ",", "app=web,", "x/y/z=1", "app>1",
        "-bad", "app=-bad", "app in (plain),tier=db", " app = plain ", "app=a=b",
    )  # fmt: skip
    fields = (
        "status.phase=Running", "status.phase!=Running", "spec.nodeName=node-1",
        "spec.nodeName=", "metadata.name=plain", "metadata.namespace=conformance",
        "spec.restartPolicy=Never,status.phase=Failed", "nothing=1", "metadata.uid=x",
        "status.phase", "a=b=c", "status.podIP=10.0.0.7",
        "spec.schedulerName=default-scheduler", "spec.hostNetwork=false",
        "metadata.name=plain,metadata.name=done", ",",
    )  # fmt: skip
    for each in labels:
        yield Asked(f"{pods}?labelSelector={quote(each)}", PARTIAL_LIST)
    for each in fields:
        yield Asked(f"{pods}?fieldSelector={quote(each)}", PARTIAL_LIST)
    for each in (
        "reason=Pulled",
        "type!=Normal",
        "involvedObject.name=plain",
        "source=kubelet",
        "reportingComponent=scheduler",
        "involvedObject.nothing=1",
    ):
        yield Asked(f"/api/v1/events?fieldSelector={quote(each)}", KUBECTL)
    others = {
        "/api/v1/secrets": "type=Opaque",
        "/api/v1/nodes": "spec.unschedulable=true",
        "/api/v1/namespaces": "status.phase=Active",
        "/apis/apps/v1/replicasets": "status.replicas=3",
        "/apis/batch/v1/jobs": "status.successful=2",
        "/api/v1/services": "spec.type=LoadBalancer",
        "/api/v1/replicationcontrollers": "status.replicas=0",
        "/apis/example.com/v1/widgets": "spec.size=1",
        "/api/v1/configmaps": "data=1",
        "/apis/apps/v1/deployments": "spec.replicas=3",
    }
    for path, field in others.items():
        yield Asked(f"{path}?fieldSelector={quote(field)}", PARTIAL_LIST)
        yield Asked(f"{path}?fieldSelector=metadata.name%3Dweb", PARTIAL_LIST)
    yield Asked(
        f"{pods}?labelSelector=tier%3Dweb&fieldSelector=status.phase%3DRunning&limit=1"
    )


def _single(maps: str) -> Iterator[Asked]:
    for accept in (JSON, TABLE, PARTIAL, PARTIAL_LIST, KUBECTL, "", "*/*"):
        yield Asked(f"{maps}/one", accept)
    yield Asked(f"{maps}/one?resourceVersion={{rv}}")
    yield Asked(f"{maps}/one?resourceVersion=0")
    yield Asked(f"{maps}/one?resourceVersion=x")
    yield Asked(f"{maps}/three")
    yield Asked(f"{maps}/one/status")
    yield Asked(f"/api/v1/namespaces/{HERE}/pods/running/status")
    yield Asked(f"/apis/apps/v1/namespaces/{HERE}/deployments/web/status")
    yield Asked(f"/apis/apps/v1/namespaces/{HERE}/deployments/web/nothing")
    yield Asked(f"/api/v1/namespaces/{HERE}/pods/plain", TABLE)
    for include in ("None", "Metadata", "Object", "", "Nothing"):
        yield Asked(f"{maps}?includeObject={include}", TABLE)
        yield Asked(f"{maps}/one?includeObject={include}", TABLE)
    yield Asked(f"{maps}?watch=1&timeoutSeconds=1&includeObject=None", TABLE)


def _accepted(maps: str) -> Iterator[Asked]:
    for accept in (
        "", "*/*", "application/*", JSON, f"{PROTOBUF},{JSON}", f"{JSON},{PROTOBUF}",
        "text/html", "text/html,*/*;q=0.8", f"{JSON};as=Table;v=v1beta1;g=meta.k8s.io",
        f"{JSON};as=Table;v=v2;g=meta.k8s.io",
        f"{JSON};as=Table;v=v2;g=meta.k8s.io,{JSON}", f"{JSON};as=Chair;{META}",
        f"{JSON};pretty=1", f"{JSON};q=0.5", f"{PARTIAL},{JSON}",
        f"{PARTIAL_LIST},{PARTIAL}", "nonsense", "application/xml", f"{JSON};as=Table",
    ):  # fmt: skip
        yield Asked(f"{maps}?limit=1", accept)
        yield Asked(f"{maps}/one", accept)


def _bad() -> Iterator[Asked]:
    for path in (
        "/nothing", "/api/v2", "/api/v1/nothing", "/apis/nothing", "/apis/apps",
        "/apis/apps/v9", "/apis/apps/v1/nothing", "/apis/apps/v1/namespaces/x/nothing",
        f"/api/v1/namespaces/{THERE}/pods/plain", "/api/v1/pods/plain",
        "/api/v1/namespaces/nowhere/pods", f"/api/v1/namespaces/{HERE}",
        f"/api/v1/namespaces/{HERE}/nodes", "/api/v1/nodes/nobody",
        f"/api/v1/namespaces/{HERE}/pods/", "/healthz", "/livez", "/readyz",
        f"/api/v1/namespaces/{HERE}/status",
        f"/api/v1/watch/namespaces/{HERE}/configmaps?timeoutSeconds=1",
        f"/api/v1/watch/namespaces/{HERE}/configmaps/one?timeoutSeconds=1",
    ):  # fmt: skip
        yield Asked(path)

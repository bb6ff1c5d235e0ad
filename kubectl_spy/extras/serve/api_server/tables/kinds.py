"""The cells that code computes, by the names that kinds.txt has for them."""

from __future__ import annotations

from kubectl_spy.core.diagnosis.pods.columns import Columns, columns
from kubectl_spy.core.fields import condition, mapping, mappings, moment, number, text
from kubectl_spy.core.objects import JSON
from kubectl_spy.extras.serve.api_server.tables.cells import (
    NONE,
    UNKNOWN,
    UNSET,
    Object,
    human_duration,
    is_deleted,
    some,
)

# Pods, and what runs, scales and protects them.

_TERMINATING = "Terminating"
_JOB_STATES = (
    "Complete",
    "Failed",
    _TERMINATING,
    "Suspended",
    "FailureTarget",
    "SuccessCriteriaMet",
)


class _Rows:
    """Remembers the columns of the last Pod: three cells need them."""

    def __init__(self) -> None:
        self._last: tuple[Object, Columns] = ({}, columns({}))

    def of(self, pod: Object) -> Columns:
        """Return the columns of *pod*."""
        last = self._last
        if last[0] is not pod:
            last = self._last = pod, columns(pod)
        return last[1]


_ROWS = _Rows()


def pod_ready(pod: Object, now: float) -> JSON:
    found = _ROWS.of(pod)
    return f"{found.ready}/{found.total}"


def pod_status(pod: Object, now: float) -> JSON:
    return _ROWS.of(pod).status


def pod_restarts(pod: Object, now: float) -> JSON:
    """Return the number of restarts, and when the last of them was."""
    restarts = _ROWS.of(pod).restarts
    if not restarts:
        return "0"
    sidecars = {
        text(each, "name")
        for each in mappings(pod, "spec", "initContainers")
        if each.get("restartPolicy") == "Always"
    }
    counted = mappings(pod, "status", "initContainerStatuses")
    if condition(pod, "Initialized").get("status") == "True":
        counted = [each for each in counted if text(each, "name") in sidecars]
        counted += mappings(pod, "status", "containerStatuses")
    ended = [
        moment(each, "lastState", "terminated", "finishedAt") or 0.0 for each in counted
    ]
    last = max(ended, default=0.0)
    if not last:
        return str(restarts)
    return f"{restarts} ({human_duration(now - last)} ago)"


def readiness_gates(pod: Object, now: float) -> JSON:
    gates = mappings(pod, "spec", "readinessGates")
    if not gates:
        return NONE
    met = [condition(pod, text(each, "conditionType")).get("status") for each in gates]
    return f"{met.count('True')}/{len(gates)}"


def job_status(job: Object, now: float) -> JSON:
    for state in _JOB_STATES:
        if state == _TERMINATING:
            is_so = is_deleted(job)
        else:
            is_so = condition(job, state).get("status") == "True"
        if is_so:
            return state
    return "Running"


def completions(job: Object, now: float) -> JSON:
    succeeded = number(job, "status", "succeeded")
    if "completions" in mapping(job, "spec"):
        return f"{succeeded}/{number(job, 'spec', 'completions')}"
    parallel = number(job, "spec", "parallelism")
    return f"{succeeded}/1 of {parallel}" if parallel > 1 else f"{succeeded}/1"


def job_duration(job: Object, now: float) -> JSON:
    started = moment(job, "status", "startTime")
    if started is None:
        return ""
    ended = moment(job, "status", "completionTime")
    return human_duration((now if ended is None else ended) - started)


def targets(autoscaler: Object, now: float) -> JSON:
    """Return the metrics of an HorizontalPodAutoscaler: what they are, and should."""
    specs = mappings(autoscaler, "spec", "metrics")
    current = mappings(autoscaler, "status", "currentMetrics")
    if not specs:
        return NONE
    shown = [
        _metric(spec, current[place] if place < len(current) else {})
        for place, spec in enumerate(specs)
    ]
    more = f" + {len(shown) - 2} more..." if len(shown) > 2 else ""
    return ", ".join(shown[:2]) + more


def _metric(spec: Object, status: Object) -> str:
    kind = text(spec, "type")
    member = kind[:1].lower() + kind[1:]
    of, now = mapping(spec, member), mapping(status, member, "current")
    target = mapping(of, "target")
    average = text(target, "averageValue")
    named = f"{text(of, 'name')}: " if kind.endswith("Resource") else ""
    if kind not in ("External", "Pods", "Object", "Resource", "ContainerResource"):
        return "<unknown type>"
    if average or kind == "Pods":
        per_pod = " (avg)" if kind in ("External", "Object") else ""
        return f"{named}{text(now, 'averageValue') or UNKNOWN}/{average}{per_pod}"
    if not named:
        return f"{text(now, 'value') or UNKNOWN}/{text(target, 'value')}"
    is_known = "averageUtilization" in now
    used = f"{number(now, 'averageUtilization')}%" if is_known else UNKNOWN
    wanted = f"{number(target, 'averageUtilization')}%"
    return f"{named}{used}/{wanted if 'averageUtilization' in target else '<auto>'}"


def controller(item: Object, now: float) -> JSON:
    """Return what controls an object: `daemonset.apps/agent`."""
    for each in mappings(item, "metadata", "ownerReferences"):
        if each.get("controller") is True:
            group = text(each, "apiVersion").rpartition("/")[0]
            kind = ".".join(filter(None, (text(each, "kind").lower(), group)))
            return f"{kind}/{text(each, 'name')}"
    return NONE


# Services, Ingresses, endpoints and Nodes.

_ROLE = "node-role.kubernetes.io/"


def external_ip(service: Object, now: float) -> JSON:
    kind = text(service, "spec", "type")
    if kind == "ExternalName":
        return text(service, "spec", "externalName")
    if kind not in ("ClusterIP", "NodePort", "LoadBalancer"):
        return UNKNOWN
    given = mapping(service, "spec").get("externalIPs")
    addresses = [str(each) for each in given] if isinstance(given, list) else []
    if kind != "LoadBalancer":
        return ",".join(addresses) or NONE
    return ",".join([*_ingress_points(service), *addresses]) or "<pending>"


def ports(service: Object, now: float) -> JSON:
    shown = []
    for each in mappings(service, "spec", "ports"):
        node = number(each, "nodePort")
        number_of = f"{number(each, 'port')}:{node}" if node else number(each, "port")
        shown.append(f"{number_of}/{text(each, 'protocol')}")
    return ",".join(shown) or NONE


def hosts(ingress: Object, now: float) -> JSON:
    rules = mappings(ingress, "spec", "rules")
    named = [text(each, "host") for each in rules if each.get("host")]
    return some(named, "*", len(rules))


def address(ingress: Object, now: float) -> JSON:
    return ",".join(_ingress_points(ingress))


def ingress_ports(ingress: Object, now: float) -> JSON:
    return "80, 443" if mapping(ingress, "spec").get("tls") else "80"


def _ingress_points(item: Object) -> list[str]:
    points = mappings(item, "status", "loadBalancer", "ingress")
    found = {text(each, "ip") or text(each, "hostname") for each in points}
    return sorted(found - {""})


def endpoints(item: Object, now: float) -> JSON:
    found = []
    for subset in mappings(item, "subsets"):
        addresses = [text(each, "ip") for each in mappings(subset, "addresses")]
        listening = [number(each, "port") for each in mappings(subset, "ports")]
        if not listening:
            found += addresses
        found += [f"{_bracketed(a)}:{port}" for port in listening for a in addresses]
    return some(found, "" if mappings(item, "subsets") else NONE)


def _bracketed(address: str) -> str:
    return f"[{address}]" if ":" in address else address


def slice_ports(item: Object, now: float) -> JSON:
    found = [
        str(each["port"]) if "port" in each else text(each, "name") or "*"
        for each in mappings(item, "ports")
    ]
    return some(found, UNSET)


def slice_endpoints(item: Object, now: float) -> JSON:
    found: list[str] = []
    for each in mappings(item, "endpoints"):
        addresses = each.get("addresses")
        found += map(str, addresses if isinstance(addresses, list) else [])
    return some(found, UNSET)


def node_status(node: Object, now: float) -> JSON:
    ready = condition(node, "Ready")
    shown = "Ready" if ready.get("status") == "True" else "NotReady"
    status = [shown if ready else "Unknown"]
    if mapping(node, "spec").get("unschedulable") is True:
        status.append("SchedulingDisabled")
    return ",".join(status)


def node_roles(node: Object, now: float) -> JSON:
    labels = mapping(node, "metadata", "labels")
    roles = {each.removeprefix(_ROLE) for each in labels if each.startswith(_ROLE)}
    roles.add(str(labels.get("kubernetes.io/role", "")))
    return ",".join(sorted(roles - {""})) or NONE


def internal_ip(node: Object, now: float) -> JSON:
    return _address(node, "InternalIP")


def node_external_ip(node: Object, now: float) -> JSON:
    return _address(node, "ExternalIP")


def _address(node: Object, kind: str) -> str:
    found = (
        text(each, "address")
        for each in mappings(node, "status", "addresses")
        if each.get("type") == kind
    )
    return next(found, NONE)


def kernel(node: Object, now: float) -> JSON:
    shown = text(node, "status", "nodeInfo", "kernelVersion") or UNKNOWN
    architecture = text(node, "status", "nodeInfo", "architecture")
    return f"{shown} ({architecture})" if architecture else shown


# Events, volumes, and what holds data.

_MODES = {
    "ReadWriteOnce": "RWO",
    "ReadOnlyMany": "ROX",
    "ReadWriteMany": "RWX",
    "ReadWriteOncePod": "RWOP",
}
_DEFAULTS = ("storageclass", "storageclass.beta")


def event_object(event: Object, now: float) -> JSON:
    about = mapping(event, "involvedObject") or mapping(event, "regarding")
    kind, name = text(about, "kind").lower(), text(about, "name")
    return f"{kind}/{name}" if name else kind


def event_source(event: Object, now: float) -> JSON:
    source = mapping(event, "source") or mapping(event, "deprecatedSource")
    reporter = text(event, "reportingComponent") or text(event, "reportingController")
    component = text(source, "component") or reporter
    host = text(source, "host") or text(event, "reportingInstance")
    return f"{component}, {host}" if host else component


def event_message(event: Object, now: float) -> JSON:
    return (text(event, "message") or text(event, "note")).strip()


def volume_phase(volume: Object, now: float) -> JSON:
    return "Terminating" if is_deleted(volume) else text(volume, "status", "phase")


def volume_modes(volume: Object, now: float) -> JSON:
    return _modes(mapping(volume, "spec").get("accessModes"))


def claim_modes(item: Object, now: float) -> JSON:
    bound = text(item, "spec", "volumeName")
    return _modes(mapping(item, "status").get("accessModes")) if bound else ""


def claim_capacity(item: Object, now: float) -> JSON:
    bound = text(item, "spec", "volumeName")
    return (text(item, "status", "capacity", "storage") or "0") if bound else ""


def _modes(modes: JSON) -> str:
    given = modes if isinstance(modes, list) else []
    return ",".join(short for mode, short in _MODES.items() if mode in given)


def is_default(item: Object, now: float) -> JSON:
    """Return the name of a class, and whether it is the default one."""
    notes = mapping(item, "metadata", "annotations")
    named = (f"{kind}.kubernetes.io/is-default-class" for kind in _DEFAULTS)
    mark = " (default)" if any(notes.get(each) == "true" for each in named) else ""
    return text(item, "metadata", "name") + mark

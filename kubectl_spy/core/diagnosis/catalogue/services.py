"""Facts about traffic: selectors, endpoints, ports, addresses, DNS, Ingresses."""

from __future__ import annotations

from kubectl_spy.core.diagnosis.catalogue.code import Code, Verdict

OK, WAITING, UNKNOWN = Verdict.OK, Verdict.WAITING, Verdict.UNKNOWN
_DEBUG = "https://kubernetes.io/docs/tasks/debug/debug-application/debug-service/"
_SERVICE = "https://kubernetes.io/docs/concepts/services-networking/service/"
_INGRESS = "https://kubernetes.io/docs/concepts/services-networking/ingress/"
_ABSENT = "[: {made}|; {differs}|: there are no Pods in the namespace{none!}]"
_NEAREST = "nearest is [pod {pod}|{kind} {name}]: "

SELECTORS = (
    Code(
        "SelectorAbsent",
        "it has no selector: somebody else has to write its EndpointSlices",
        OK,
    ),
    Code("SelectedPodsUnseen", "which Pods have {selector} is unknown: {why}", UNKNOWN),
    Code("SelectorMatches", "its selector {selector} matches Pods", OK),
    Code(
        "SelectorMatchesNothing",
        "[all Pods with {selector} are terminating or have ended{left!}"
        "|no Pod has {selector}]" + _ABSENT,
        fields=("selector", "replicas", "label"),
        page=_DEBUG,
    ),
    Code("PodsComing", "{kind} {name} makes such Pods, and has none yet", WAITING),
    Code("PodsOnNoNode", "{kind} {name} makes such Pods, on no node", WAITING),
    Code("ScaledToZero", "{kind} {name} makes such Pods, and is scaled to 0", WAITING),
    Code("LabelsDiffer", _NEAREST + "{labels}", WAITING),
    Code("LabelIs", "{key} is [{value}|empty]", WAITING),
    Code("LabelAbsent", "it has no label {key}[, but {other}={value}]", WAITING),
    Code("ExpressionsUnmet", _NEAREST + "it does not meet {unmet}", WAITING),
    Code("NoSuchLabel", "no Pod in the namespace has a label {labels, or }", WAITING),
    Code(
        "LabelsApart",
        "each of these labels is there, but no Pod has all of them",
        WAITING,
    ),
    Code("LabelValues", "in the namespace {labels}", WAITING),
    Code("LabelHas", "{key} is [{values,, } or ]{last}", WAITING),
)

_SELECTED = (
    "[{ready } of {pods } Pods ready|no Pod is left][; {reasons,; }]"
    "[; {others} more not ready for other reasons][; {terminating} terminating]"
    "[; {ended} ended (Succeeded or Failed)]"
    "[; publishNotReadyAddresses gives traffic to all{unready!}]"
)
ENDPOINTS = (
    Code(
        "SelectedPods",
        _SELECTED,
        OK,
        page=_DEBUG,
    ),
    Code("SelectedPodsUnready", _SELECTED, WAITING, page=_DEBUG),
    Code("PodUnready", "{pod}[ and {others} more]: {why}", WAITING),
    Code("EndpointsUnseen", "endpoints are unknown: {why}", UNKNOWN),
    Code("EndpointsServe", "{parts,; }", OK, page=f"{_SERVICE}#endpoints"),
    Code("EndpointsIncomplete", "{parts,; }", WAITING, page=_DEBUG),
    Code("NoReadyEndpoints", "{parts,; }", WAITING, page=_DEBUG),
    Code("EndpointsReady", "{ready } of {endpoints } endpoints ready[: {places}]", OK),
    Code("FamilyWithoutAddress", "the Service has no address of family {families}"),
    Code("PortsLeadNowhere", "no port of the Service leads there"),
    Code("TerminatingServe", "traffic goes to {places}, terminating", WAITING),
    Code(
        "EndpointsEmpty",
        "[its EndpointSlices list{several!}|its EndpointSlice lists] no address"
        "[: traffic goes nowhere{lost!}]",
        WAITING,
    ),
    Code(
        "PodsUnlisted", "ready, but not listed yet: {pods}[ and {more} more]", WAITING
    ),
    Code(
        "ForeignEndpoints",
        "{slice}[ (written by {manager})| still] lists {pods}[ and {more} more], "
        "which it does not select",
        WAITING,
    ),
    Code(
        "FamilyUnready",
        "no {family} endpoint is ready[: its Pods have no {family} address{lacking!}]",
    ),
    Code("ReportedBy", "{reason}: {message}"),
    Code(
        "EndpointSliceMissing",
        "no EndpointSlice has the label kubernetes.io/service-name={name}: "
        "traffic goes nowhere",
        remedy="write one, with that label and the addresses, in its namespace",
        page=f"{_SERVICE}#services-without-selectors",
    ),
    Code(
        "EndpointSliceAwaited",
        "no EndpointSlice yet[; {trouble}]",
        WAITING,
        remedy="if it stays so: does kube-controller-manager run?",
    ),
    Code(
        "PortProtocolDiffers",
        "port {port} leads to {target}, which container {container} has as {protocol}",
        fields=("ports", "target port"),
    ),
    Code(
        "TargetPortUnknown",
        "port {port} leads to {target}, a port that [none of {pod}|no container] has: "
        "[they have {there}|they declare no port]",
        fields=("ports", "target port"),
        page=f"{_SERVICE}#field-spec-ports",
    ),
    Code(
        "TargetPortUndeclared",
        "port {port} leads to {target}/{protocol}, which no container declares "
        "(they declare [{there}|none]): it works if one listens there",
        OK,
    ),
    Code(
        "TargetPortRefuses",
        "port {port} leads to {target}/{protocol}, which no container declares "
        "(they declare [{there}|none]), and which refuses connections",
        fields=("ports", "target port"),
    ),
    Code(
        "PortUnlisted",
        "port {port} leads nowhere: EndpointSlice {slice} has [{there}|no port]",
    ),
    Code("PortAnswers", "port {port} answers the API server: {answer}", OK),
    Code("PortSilent", "port {port} does not answer the API server: {answer}"),
    Code("PortUnknown", "whether port {port} answers is unknown: {answer}", UNKNOWN),
)

ADDRESSES = (
    Code(
        "Headless",
        "headless: its name leads to the addresses of the Pods themselves",
        OK,
        page=f"{_SERVICE}#headless-services",
    ),
    Code("ClusterIPAwaited", "no cluster IP is allocated yet", WAITING),
    Code("ServiceAddress", "{parts,; }", OK),
    Code("ServiceAddressPending", "{parts,; }", WAITING),
    Code("ClusterAddress", "{ips} {ports port}", OK),
    Code("NodePorts", "{ports node port}", OK),
    Code("ExternalIPs", "externalIPs {ips}", OK),
    Code("LoadBalancerAddress", "load balancer {addresses~4}", OK),
    Code("LoadBalancerPortError", "load balancer {errors}"),
    Code("LoadBalancerPortFailed", "port {port}: {message}"),
    Code(
        "LoadBalancerPending",
        "no load balancer yet: [{reason}: {message}|no controller of class {name} has"
        "|no controller has provisioned one]",
        WAITING,
        page=f"{_SERVICE}#loadbalancer",
    ),
    Code(
        "ExternalTrafficLocal",
        "externalTrafficPolicy Local: from outside [{nodes~4}|no node] answers",
        OK,
    ),
    Code(
        "InternalTrafficLocal",
        "internalTrafficPolicy Local: only [{nodes~4}|no node] gets through",
        OK,
    ),
    Code("SessionAffinity", "each client stays with one Pod", OK),
    Code(
        "ServiceName",
        "[{name} (by default) is an alias of {target}|{name} by default]; {state}",
        OK,
        page="https://kubernetes.io/docs/concepts/services-networking/dns-pod-service/",
    ),
    Code(
        "ServiceNameUnresolved",
        "[{name} (by default) is an alias of {target}|{name} by default]; {state}",
        page="https://kubernetes.io/docs/concepts/services-networking/dns-pod-service/",
    ),
    Code(
        "ExternalNameIsAddress",
        "externalName {target} is an address: it is taken for a name, and does not "
        "resolve",
        remedy="use a Service without a selector, and an EndpointSlice",
        page=f"{_SERVICE}#externalname",
    ),
    Code("DNSUnseen", "the cluster's DNS is unknown: {why}", UNKNOWN),
    Code(
        "DNSElsewhere",
        "no Service in kube-system has k8s-app=kube-dns; the cluster's DNS may be "
        "elsewhere",
        UNKNOWN,
    ),
    Code("DNSReady", "{server} has {endpoints ready endpoint}", OK),
    Code("DNSEndpointsUnseen", "endpoints of {server} are unknown: {why}", UNKNOWN),
    Code("DNSDown", "{server} in kube-system has no ready endpoint"),
    Code("ProxyElsewhere", "kube-proxy leaves it to {proxy} (label {label})", UNKNOWN),
    Code("ProxiesUnseen", "the nodes' proxies are unknown: {why}", UNKNOWN),
    Code(
        "NoProxyPods",
        "no kube-proxy among the Pods of kube-system; k3s and others build it in, and "
        "the API does not show it",
        UNKNOWN,
    ),
    Code(
        "ProxyNodesUnseen",
        "{proxy} runs; whether on every node is unknown: {why}",
        UNKNOWN,
    ),
    Code(
        "ProxyRuns",
        "{proxy} runs on {fine} of {nodes} Ready nodes[; none on {without~3}]"
        "[; not ready on {kept~3}: {why}]",
        OK,
        page="https://kubernetes.io/docs/reference/networking/virtual-ips/",
    ),
    Code(
        "ProxyLacking",
        "{proxy} runs on {fine} of {nodes} Ready nodes[; none on {without~3}]"
        "[; not ready on {kept~3}: {why}]",
        page="https://kubernetes.io/docs/reference/networking/virtual-ips/",
    ),
)

_LEADS = "{route} leads to {backend}: "
_TLS = "[TLS for {hosts~4}|TLS] "
_CLASS = "class {name}[ (by the old annotation kubernetes.io/ingress.class){legacy!}]"
INGRESSES = (
    Code(
        "IngressLeadsNowhere",
        "it has neither a path nor a default backend: it leads nowhere",
    ),
    Code("RouteServes", _LEADS + "{endpoints ready endpoint}", OK),
    Code("RouteIsAlias", _LEADS + "an alias of {target}", OK),
    Code("RouteUnseen", _LEADS + "unknown: {why}", UNKNOWN),
    Code(
        "RouteToResource",
        _LEADS + "no Service: only its controller knows what it does",
        UNKNOWN,
    ),
    Code("BackendMissing", _LEADS + "there is no Service {name}", page=_INGRESS),
    Code(
        "BackendPortMissing",
        _LEADS + "the Service has no port [{port}|named], only [{there}|none]",
        fields=("port",),
        page=_INGRESS,
    ),
    Code("BackendWithoutEndpoints", _LEADS + "no ready endpoint", page=_INGRESS),
    Code("TLSByController", _TLS + "with the controller's own certificate", OK),
    Code(
        "TLSFromSecret", _TLS + "from Secret {secret}, which is not read here", UNKNOWN
    ),
    Code("IngressAddress", "{addresses~4}", OK),
    Code(
        "IngressPending",
        "no address yet: [{reason}: {message}|its controller has reported none]",
        WAITING,
    ),
    Code(
        "IngressClassKnown",
        _CLASS + "[ of controller {controller}]",
        OK,
        page=f"{_INGRESS}#ingress-class",
    ),
    Code(
        "IngressClassUnseen", _CLASS + "; whether it exists is unknown: {why}", UNKNOWN
    ),
    Code(
        "IngressClassOfAnnotation",
        _CLASS + ", of which there is no IngressClass",
        UNKNOWN,
    ),
    Code(
        "IngressClassMissing",
        "IngressClass {name} does not exist: [there is {there}|there is none at all]",
        remedy="kubectl get ingressclasses",
        page=f"{_INGRESS}#ingress-class",
    ),
    Code("IngressTaken", "it names no class; some controller has taken it", OK),
    Code(
        "IngressDefaultUnseen",
        "it names no class; whether there is a default is unknown: {why}",
        UNKNOWN,
    ),
    Code(
        "IngressWithoutClass",
        "it names no class, and [is older than the default, {default}"
        "|there is no default]: "
        "only a controller that takes every Ingress serves it",
        UNKNOWN,
        remedy="set spec.ingressClassName",
        page=f"{_INGRESS}#default-ingress-class",
    ),
)

"""Facts about containers: how they run, end and are started again; probes; images."""

from __future__ import annotations

from kubectl_spy.core.diagnosis.catalogue.code import Code, Verdict

OK, WAITING, UNKNOWN = Verdict.OK, Verdict.WAITING, Verdict.UNKNOWN
_LIFECYCLE = "https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/"
_PROBES = "https://kubernetes.io/docs/concepts/configuration/liveness-readiness-startup-probes/"
_CHECK_COMMAND = "check command and args of container {container} against its image"

WHERE = (
    Code("InContainer", "container {name}", OK),
    Code("InInitContainer", "init container {name}", OK),
    Code("InSidecar", "sidecar {name}", OK),
)

RUNS = (
    Code("ContainerCreating", "waits to be created[; {restarts}]", WAITING),
    Code("PullingImage", "pulling image {image}", WAITING, explains=("Pulling",)),
    Code("InitRunning", "running[; {restarts}]", WAITING, explains=("Started",)),
    Code(
        "ContainerReady",
        "[by its kubelet's last report: {stale!}]running, ready[; {restarts}]"
        "[; it may end again{again!}]",
        OK,
        page=f"{_LIFECYCLE}#container-states",
    ),
    Code(
        "ContainerNotReady",
        "running, not ready[: its {probe} probe ({question}) has not passed"
        "|: its {probe} probe has not passed][; {restarts}]"
        "[; it may end again{again!}]",
        WAITING,
        fields=("{probe} probe",),
        page=f"{_LIFECYCLE}#container-states",
    ),
    Code("ContainerStopping", "is being stopped", WAITING, explains=("Killing",)),
    Code("ContainerStopped", "does not run", OK),
    Code("ContainerCompleted", "completed", OK),
    Code("KilledAfterGrace", "killed: it did not stop within its grace period", OK),
    Code("ContainerWaiting", "{reason}[: {message}]"),
)
_AGAIN = "[; restarted {times time}][, waits {wait} before the next start]"
ENDS = (
    Code(
        "CrashLoop",
        f"fails again and again[: {{why}}]{_AGAIN}",
        explains=("BackOff",),
        page=f"{_LIFECYCLE}#restart-policy",
    ),
    Code(
        "CompletesAgain",
        "ends again and again (exit code 0), and is always started again" + _AGAIN,
        explains=("BackOff",),
        page=f"{_LIFECYCLE}#restart-policy",
    ),
    Code(
        "EndsAndRestarts",
        "{why}; it will be started again, as restartPolicy is Always"
        "[; restarted {times time} before]",
        page=f"{_LIFECYCLE}#restart-policy",
    ),
    Code(
        "ContainerFailed",
        "{why}[, will be restarted{again!}[; restarted {times time} before]"
        "|; it is not restarted, as the Pod has failed: {whole}"
        "|; it is not restarted (restartPolicy {policy})"
        "|; it is not restarted, as the Pod has failed]",
        final=True,
        page=f"{_LIFECYCLE}#restart-policy",
    ),
    Code("Restarted", "restarted {times time}[, the last time it {why}]", OK),
    Code(
        "ExitedWith",
        "exited with {exit}[ ({reason})][: {meaning}][: {last}]",
        page=f"{_LIFECYCLE}#container-states",
    ),
    Code("KilledBySignal", "was killed by signal {signal}[ ({reason})][: {last}]"),
    Code(
        "OutOfMemory",
        "ran out of memory (OOMKilled), [its limit is {limit}"
        "|the limit of the Pod is {whole}"
        "|it has no limit of its own: the node's memory ran out]",
        fields=("memory", "limits"),
        blames="memory",
        page="https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/",
    ),
    Code("NeverStarted", "could not be started: {message}", explains=("Failed",)),
    Code("EndUnseen", "ended when nobody saw it: the node lost track of it"),
    Code(
        "KilledForProbe",
        "was killed because its {probe} probe failed (exit code {exit})",
        fields=("{probe} probe",),
        explains=("Killing",),
        page=_PROBES,
    ),
    Code(
        "KilledForHook",
        "was killed because its postStart hook failed (exit code {exit})",
        fields=("lifecycle", "post start"),
        explains=("FailedPostStartHook", "Killing"),
        page="https://kubernetes.io/docs/concepts/containers/container-lifecycle-hooks/",
    ),
    Code("CommandNotExecutable", "its command cannot be executed", fields=("command",)),
    Code("CommandNotFound", "its command was not found", fields=("command",)),
    Code("Aborted", "it aborted (SIGABRT)"),
    Code("Killed", "killed (SIGKILL)"),
    Code("Crashed", "it crashed, a segmentation fault (SIGSEGV)"),
    Code("ToldToStop", "it was told to stop (SIGTERM)"),
    Code("EndedBySignal", "killed by {signal}"),
)

STARTS = (
    Code(
        "RunsAsRoot",
        "its image runs as root, or as a user without a number, and runAsNonRoot "
        "forbids that",
        remedy="set securityContext.runAsUser of container {container}",
        fields=("security context", "run as"),
        blames="configuration",
        page="https://kubernetes.io/docs/tasks/configure-pod-container/security-context/",
    ),
    Code(
        "ContainerConfigInvalid",
        "its configuration does not work[: {message}]",
        fields=("configuration",),
        blames="configuration",
    ),
    Code("ContainerNotCreated", "cannot be created[: {message}]"),
    Code(
        "ContainerNotStarted", "cannot be started[: {message}]", remedy=_CHECK_COMMAND
    ),
    Code(
        "PostStartFailed",
        "its postStart hook failed[: {message}]",
        remedy="check lifecycle.postStart of container {container}",
        fields=("lifecycle", "post start"),
        page="https://kubernetes.io/docs/concepts/containers/container-lifecycle-hooks/",
    ),
)

PROBES = (
    Code(
        "ProbeFailed",
        "{probe} probe[ ({question})] failed: [{answer}|it says nothing][; {port}]"
        "[; the container is being restarted for it{restarting!}]",
        fields=("{probe} probe",),
        blames="probe",
        explains=("Unhealthy", "ProbeWarning", "Killing"),
        page=_PROBES,
    ),
    Code(
        "PortNameUnknown",
        "the container has no port named {port}[, but {others}]",
        fields=("ports",),
    ),
    Code(
        "PortUndeclared",
        "no container declares port {port}, but {others}",
        fields=("ports",),
    ),
)

_PULL = "cannot pull image[ {image}]: "
_IMAGES = "https://kubernetes.io/docs/concepts/containers/images/"
_CHECK_TAG = (
    "check the image's name and tag; for a private registry add imagePullSecrets"
)
_CHECK_NODE = "check that the node can reach the registry (DNS, proxy, firewall)"


def _pull(name: str, why: str, remedy: str, blames: str = "image") -> Code:
    return Code(
        name,
        _PULL + why,
        remedy=remedy,
        fields=("image",),
        blames=blames,
        sure=name == "ImageNotFound",
        explains=("Failed", "BackOff", "Pulling"),
        page=_IMAGES,
    )


IMAGES = (
    _pull("ImageNotFound", "the registry has no such image or tag", _CHECK_TAG),
    _pull(
        "ImageAccessDenied",
        "the registry denies access, or has no such image",
        "check the image's name; for a private registry add imagePullSecrets",
        "registry",
    ),
    _pull(
        "ImagePlatformMismatch",
        "it is not built for the node's platform",
        "build the image for the node's architecture, or choose other nodes",
    ),
    _pull(
        "ImagePullRateLimited",
        "the registry limits how often it may be pulled (429 Too Many Requests)",
        "add imagePullSecrets of an account with a higher limit, or use a mirror",
    ),
    _pull(
        "RegistryNameUnresolved",
        "the node cannot resolve the registry's host {host}",
        "check the registry's name in the image, and the node's DNS",
    ),
    _pull(
        "RegistryCertificateUntrusted",
        "the node does not trust the registry's certificate",
        "let the container runtime of the node trust the registry's CA",
    ),
    _pull(
        "RegistryWithoutTLS",
        "the registry speaks HTTP, and the node asks with HTTPS",
        "give the registry a certificate, or configure it as insecure on the node",
    ),
    _pull("RegistryRefuses", "the registry refuses connections", _CHECK_NODE),
    _pull("RegistryUnreachable", "the node cannot reach the registry", _CHECK_NODE),
    _pull(
        "NodeDiskFull",
        "the node has no disk space left",
        "free disk space on the node",
    ),
    _pull(
        "RegistryError",
        "the registry answers {answer}",
        "try again later, or ask who runs the registry",
    ),
    Code(
        "ImagePullFailed",
        "cannot pull image[ {image}][: {message}]",
        remedy=_CHECK_TAG,
        fields=("image",),
        blames="image",
        sure=False,
        explains=("Failed", "BackOff", "Pulling"),
        page=_IMAGES,
    ),
    Code(
        "InvalidImageName",
        "[{image}|its image] is no valid name of an image",
        remedy="correct the image of container {container}",
        final=True,
        fields=("image",),
        blames="image",
        explains=("InspectFailed", "Failed"),
        page=_IMAGES,
    ),
    Code(
        "ImageNeverPulled",
        "image {image} is not on the node, and imagePullPolicy is Never",
        remedy="change imagePullPolicy, or bring the image onto the node",
        final=True,
        fields=("image",),
        blames="image",
        explains=("ErrImageNeverPull", "Failed"),
        page=f"{_IMAGES}#image-pull-policy",
    ),
    Code(
        "ImageUnreadable",
        "its image cannot be read on the node[: {message}]",
        fields=("image",),
        blames="image",
        sure=False,
    ),
    Code(
        "RegistryUnavailable",
        "the registry of its image is unavailable[: {message}]",
        fields=("image",),
        blames="image",
        sure=False,
    ),
    Code(
        "ImageSignatureInvalid",
        "the signature of its image does not verify[: {message}]",
        remedy="use a signed image, or change the signature policy of the node",
        fields=("image",),
        blames="image",
        sure=False,
    ),
)

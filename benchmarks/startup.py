"""How long until something is there to read: help, version, the first line."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from benchmarks.measure import Failed, interleaved, to_exit, to_first_line
from benchmarks.objects import NAMESPACE
from benchmarks.table import Row
from benchmarks.tools import (
    POD,
    LoadServer,
    Settings,
    kubectl,
    kubectl_spy,
    kubespy,
    load_server,
    python,
)

WITHOUT_A_CLUSTER = [["--help"], ["--version"]]
CLICK = "import click"
IMPORTS = "import click, ssl, http.client, orjson"
"""What a command in Python that asks a server with TLS imports at least."""
TAB = {
    "Tab behind `status`: types, discovery cached": (["status", ""], CLICK, 1.3),
    "Tab behind `status pods`: names, one request": (
        ["status", "pods", ""],
        IMPORTS,
        2,
    ),
}
"""What kubectl and shells ask about, what to compare it with, and the goal.

What is typed so far stands last.
"""


def rows(settings: Settings) -> Iterator[Row]:
    """Yield the rows of starting up."""
    yield from without_a_cluster(settings)
    yield from completion(settings)
    yield from first_line(settings)


def without_a_cluster(settings: Settings) -> Iterator[Row]:
    """Compare what needs no cluster with importing click and nothing else."""
    candidates = {
        "click": partial(to_exit, settings.command(python("-c", "import click")))
    }
    for arguments in WITHOUT_A_CLUSTER:
        if argv := kubectl_spy(*arguments):
            candidates[arguments[0]] = partial(to_exit, settings.command(argv))
    # Short runs scatter more: three times as many.
    medians = interleaved(candidates, 3 * settings.runs)
    for arguments in WITHOUT_A_CLUSTER:
        ours = medians.get(arguments[0])
        peer = "`python -c 'import click'`"
        yield Row(f"`{' '.join(arguments)}`", ours, peer, medians["click"], 1.5)


def completion(settings: Settings) -> Iterator[Row]:
    """Compare the candidates for a Tab with imports and nothing else."""
    with load_server(settings, pods=10, events=1) as server:
        candidates = {
            text: partial(to_exit, settings.command(python("-c", text), server))
            for text in (CLICK, IMPORTS)
        }
        for what, (words, _, _) in TAB.items():
            if argv := kubectl_spy("__complete", *words):
                candidates[what] = partial(to_exit, settings.command(argv, server))
        medians = interleaved(candidates, 3 * settings.runs)
    for what, (_, text, goal) in TAB.items():
        yield Row(what, medians.get(what), f"`python -c '{text}'`", medians[text], goal)


def first_line(settings: Settings) -> Iterator[Row]:
    """Compare the first lines of commands with imports alone, and with peers."""
    with load_server(settings, pods=1, events=1) as server:
        server.hold()
        words = ["status", f"pod/{POD}", "-n", NAMESPACE]
        ours = kubectl_spy(*words)
        archive = [str(settings.archive), *words] if settings.archive else None
        baseline = python("-c", IMPORTS)
        candidates = {"imports": partial(to_exit, settings.command(baseline, server))}
        for name, argv in {
            "ours": ours,
            "archive": archive,
            "trace": kubectl_spy("trace", "--once", f"pod/{POD}", "-n", NAMESPACE),
            "kubespy status": kubespy("status", "v1", "Pod", f"{NAMESPACE}/{POD}"),
            "kubectl get -w": kubectl("get", "pod", POD, "-w", "-o", "json"),
        }.items():
            if argv:
                candidates[name] = partial(
                    to_first_line, settings.command(argv, server)
                )
        medians = interleaved(candidates, 2 * settings.runs)
        note = requests_before_first_line(settings, server, ours) if ours else ""
    what = "first line of `status`, discovery cached"
    peer = f"`python -c '{IMPORTS}'`"
    mine = medians.get("ours")
    yield Row(what, mine, peer, medians["imports"], 1.6, note=note)
    yield Row(what, mine, "`kubespy status`", medians.get("kubespy status"), 2)
    yield Row(what, mine, "`kubectl get -w`", medians.get("kubectl get -w"))
    yield Row(f"{what}, krew archive", medians.get("archive"), "the same", mine, 1)
    first = "first line of `trace --once`"
    yield Row(first, medians.get("trace"), peer, medians["imports"], 2.2)


def requests_before_first_line(
    settings: Settings, server: LoadServer, argv: list[str]
) -> str:
    """Return how many requests a run sends with its discovery cached."""
    server.requests()
    try:
        to_first_line(settings.command(argv, server))
    except Failed:
        return ""
    sent = server.requests()
    watches = sum("watch=" in request for request in sent)
    return f"requests before it: {len(sent)}, watches among them: {watches}"

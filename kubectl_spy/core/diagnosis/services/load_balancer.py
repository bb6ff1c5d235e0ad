"""The external addresses of Services and Ingresses."""

from __future__ import annotations

from collections.abc import Callable

from kubectl_spy.core.cluster.events import ClusterEvent
from kubectl_spy.core.cluster.inventory import Entry
from kubectl_spy.core.diagnosis.finding import Verdict
from kubectl_spy.core.diagnosis.wording import listed, message_line
from kubectl_spy.core.fields import mappings, number, text


def addresses(entry: Entry) -> list[str]:
    """Return the addresses and names in `status.loadBalancer`."""
    ingress = mappings(entry.document, "status", "loadBalancer", "ingress")
    found = (text(each, "ip") or text(each, "hostname") for each in ingress)
    return [each for each in found if each]


def written(found: list[str]) -> str:
    """Return addresses as they are written in a sentence."""
    return message_line(listed(found, 4))


def port_errors(entry: Entry) -> list[str]:
    """Return the controller's errors about ports."""
    return [
        message_line(f"port {number(port, 'port')}: {text(port, 'error')}")
        for each in mappings(entry.document, "status", "loadBalancer", "ingress")
        for port in mappings(each, "ports")
        if text(port, "error")
    ]


def progress(
    events: tuple[ClusterEvent, ...], counts: Callable[[ClusterEvent], bool]
) -> tuple[Verdict, str]:
    """Return the message of the last Event that *counts*, or "".

    EnsuringLoadBalancer comes before every attempt, so it ends no failure.
    """
    told = [each for each in events if counts(each)]
    ends = [each for each in told if not each.reason.startswith("Ensuring")]
    for event in (ends or told)[-1:]:
        verdict = Verdict.FAILING if event.warning else Verdict.WAITING
        return verdict, message_line(f"{event.reason}: {event.said}")
    return Verdict.WAITING, ""

"""Every fact that a diagnosis may state: docs/findings.md is made from it."""

from __future__ import annotations

from kubectl_spy.core.diagnosis.catalogue import (
    cluster,
    containers,
    jobs,
    pods,
    services,
    storage,
    workloads,
)
from kubectl_spy.core.diagnosis.catalogue.code import Code as Code
from kubectl_spy.core.diagnosis.catalogue.code import Verdict as Verdict

TABLES: tuple[tuple[str, tuple[Code, ...]], ...] = (
    ("What does not exist", pods.MISSING),
    ("Images", containers.IMAGES),
    ("Containers that start and run", containers.RUNS + containers.STARTS),
    ("Containers that end", containers.ENDS),
    ("Probes", containers.PROBES),
    ("Which container", containers.WHERE),
    ("The place of a Pod", pods.SCHEDULING),
    ("Volumes and network of a Pod", pods.VOLUMES),
    ("The end of a Pod", pods.ENDS),
    ("The state of a Pod", pods.STATES),
    ("What makes Pods", workloads.COMMON),
    ("Refused requests", workloads.REFUSALS),
    ("Deployments and ReplicaSets", workloads.DEPLOYMENTS),
    ("StatefulSets and DaemonSets", workloads.SETS),
    ("Jobs and CronJobs", jobs.JOBS),
    ("PodDisruptionBudgets", workloads.BUDGETS),
    ("Nodes", cluster.NODES),
    ("Namespaces", cluster.NAMESPACES),
    ("Claims and volumes", storage.CLAIMS),
    ("The Pods of a Service", services.SELECTORS),
    ("Endpoints and ports", services.ENDPOINTS),
    ("Addresses, DNS and proxies", services.ADDRESSES),
    ("Ingresses", services.INGRESSES),
    ("Any kind", cluster.ANY_KIND),
    ("Why no write is named", cluster.CAUSES),
)
"""The codes by what they are about."""

CODES = {code.name: code for _, table in TABLES for code in table}


def code_of(name: str) -> Code:
    """Return what the catalogue says of the code *name*. Raise KeyError if nothing."""
    return CODES[name]

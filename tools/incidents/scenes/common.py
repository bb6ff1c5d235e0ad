"""What most scenes have: other workloads, and other people at work."""

from __future__ import annotations

from tools.incidents.objects import (
    autoscaler,
    config_map,
    deployment,
    image,
    labels,
    notes,
    probe,
    service,
)
from tools.incidents.programs import Program
from tools.incidents.steps import change, create, rollout_restart, scale

API = (deployment("api"), service("api"), config_map("banner", text="hello"))
"""Bystanders: nothing depends on them."""

# Changes that do no harm
LABEL_API = change("kubectl-label", "deploy/api", labels(team="blue"))
NOTE_WEB = change("kubectl-annotate", "deploy/web", notes(note="see-runbook"))
LABEL_WEB = change("kubectl-label", "deploy/web", labels(tier="front"))
EDIT_BANNER = change("kubectl-edit", "cm/banner", {"data": {"text": "welcome"}})
PATCH_SERVICE = change("kubectl-patch", "svc/api", notes(owner="blue"))
SCALE_API = scale("deploy/api", 3)
ROLL_API = change("kubectl-set", "deploy/api", image("api", "1.1"))
ARGO_API = change("argocd-controller", "deploy/api", image("api", "1.1"))
RESTART_API = rollout_restart("deploy/api")
NEW_WORKER = create(deployment("worker", 1), "helm")
SCALED = (
    deployment("web", 3, readinessProbe=probe()),
    service("web"),
    autoscaler("web", 2, 10),
)
QUICK = {"migrate": Program(ends=4, flags="up"), "tick": Program(ends=3)}

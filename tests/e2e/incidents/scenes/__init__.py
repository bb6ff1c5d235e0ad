"""The scenes, by what goes wrong."""

from __future__ import annotations

from tests.e2e.incidents.scenes import (
    configuration,
    images,
    nobody,
    placement,
    resources,
    traffic,
    workloads,
)

SCENES = (
    *images.SCENES,
    *configuration.SCENES,
    *resources.SCENES,
    *traffic.SCENES,
    *workloads.SCENES,
    *workloads.WELL,
    *nobody.SCENES,
    *placement.SCENES,
)

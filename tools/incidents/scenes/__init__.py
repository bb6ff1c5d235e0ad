"""The scenes, by what goes wrong."""

from __future__ import annotations

from tools.incidents.scenes import (
    answers,
    binding,
    configuration,
    containers,
    fights,
    hanging,
    images,
    innocent,
    intended,
    lasting,
    nobody,
    placement,
    resources,
    storage,
    traffic,
    well,
    workloads,
)

SCENES = (
    *images.SCENES,
    *configuration.SCENES,
    *resources.SCENES,
    *storage.SCENES,
    *traffic.SCENES,
    *workloads.SCENES,
    *fights.SCENES,
    *well.SCENES,
    *nobody.SCENES,
    *placement.SCENES,
    *innocent.SCENES,
    *containers.SCENES,
    *lasting.SCENES,
    *answers.SCENES,
    *hanging.SCENES,
    *binding.SCENES,
    *intended.SCENES,
)

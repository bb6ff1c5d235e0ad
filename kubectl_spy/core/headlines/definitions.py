"""Definitions of custom resources: a new one of a controller changes much at once.

https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from kubectl_spy.core.fields import mappings, text
from kubectl_spy.core.headlines.leaves import Leaf
from kubectl_spy.core.objects import JSON
from kubectl_spy.core.patch.operation import PatchOperation
from kubectl_spy.core.wording import many

DEFINITION = "CustomResourceDefinition"
_SCHEMA = r"(?s)/spec/(?:versions/([0-9]{1,9})/schema|validation)(?:/.*)?"
"""Where schemas are, also in v1beta1, which had one for all versions."""
_WEBHOOK = "/spec/conversion/webhook"
_COLUMNS = "additionalPrinterColumns"
_ORDER = {"spec/versions": 0, "spec/conversion": 1, f"spec/{_COLUMNS}": 2}


def without_schemas(
    patch: Iterable[PatchOperation], document: JSON
) -> tuple[list[PatchOperation], list[str]]:
    """Return the operations of *patch* to tell, and phrases that count the others.

    Those in schemas are counted. A webhook that comes or goes is left out, because the
    strategy of the conversion changes with it. *document* is the new version.
    """
    versions = mappings(document, "spec", "versions")
    kept: list[PatchOperation] = []
    counts: dict[str, int] = {}
    for step in patch:
        found = re.fullmatch(_SCHEMA, step.path)
        if found is None:
            if step.path != _WEBHOOK or step.op == "replace":
                kept.append(step)
            continue
        at = int(found[1] or len(versions))
        version = text(versions[at], "name") if at < len(versions) else ""
        counts[version] = counts.get(version, 0) + 1
    return kept, [
        f"schema{f' of {version}' if version else ''}: {many(count, 'change')}"
        for version, count in counts.items()
    ]


def rank_in_definition(leaf: Leaf) -> int:
    """Return when to tell *leaf*: versions, conversion, columns, and then others."""
    if _COLUMNS in leaf.tokens:
        return 2
    return _ORDER.get("/".join(leaf.tokens[:2]), 3)

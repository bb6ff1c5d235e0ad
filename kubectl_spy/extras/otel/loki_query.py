"""What to ask Loki for.

https://grafana.com/docs/loki/latest/query/log_queries/
"""

from __future__ import annotations

import re
from typing import NamedTuple

from kubectl_spy.extras.otel.otlp_lines import PART, RECORDING, SEQ

LABELS = [name.replace(".", "_") for name in (RECORDING, SEQ, PART)]
"""These attributes of log records, as Loki names them."""
_NAME = re.compile("[A-Za-z0-9_.:-]+")


class Query(NamedTuple):
    """What to read: of one recording and of one namespace, or "" for all."""

    since: float
    until: float
    recording: str = ""
    namespace: str = ""
    object: str = ""  # the name of the one object
    most: int = 1 << 30  # bytes
    strict: bool = False  # whether each run that was before has to be known

    @property
    def logql(self) -> str:
        """The log query."""
        # Lines about the recording itself, and of cluster-wide objects, have none.
        place = self.namespace if _NAME.fullmatch(self.namespace) else ""
        within = f', k8s_namespace_name=~"({place})?"' if place else ""
        query = f'{{service_name="kubectl-spy"{within}}}'
        if re.fullmatch("[0-9a-f]+", self.recording):
            query += f' | {LABELS[0]}=~"{self.recording}.*"'
        if _NAME.fullmatch(self.object):
            # Loki 3.7 takes no "|NAME" for "none, or NAME".
            name = self.object.replace(".", "[.]")
            query += f' | k8s_object_name=~"({name})?"'
        return query

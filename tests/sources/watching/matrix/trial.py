"""One row of the matrix: a true cluster, a server that errs, and a watch of it."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kubectl_spy.sources.connection.access import ConnectionSettings
from kubectl_spy.sources.connection.connect import Connection
from kubectl_spy.sources.watching.actions import Pace
from tests.sources.connection.certificates import trusting
from tests.sources.connection.kubeconfigs import kubeconfig, write
from tests.sources.watching.following import Following, following
from tests.sources.watching.matrix.cluster import Cluster
from tests.sources.watching.matrix.judge import (
    PROMPT,
    judge_documents,
    judge_order,
    judge_requests,
    judge_versions,
)
from tests.sources.watching.matrix.server import ModelServer, model_server

SECOND = 1 / 100
"""How long a second is here."""
PACE = Pace(
    first_wait=0.8 * SECOND,
    longest_wait=30 * SECOND,
    retry_after_at_most=0.06,
    healthy_after=120 * SECOND,
    # Longer in proportion: machines that test are busy ones.
    short_watch=0.05,
    stale_after=3.0,
)
READ_TIMEOUT = 1.0


@dataclass
class Trial:
    """What a test acts on; `judge` waits for the end, and tells what was missed."""

    cluster: Cluster
    server: ModelServer
    seen: Following
    listed_at: int
    missed: set[int] = field(default_factory=set)

    def write(self, count: int = 1, name: str = "web") -> None:
        """Write new versions of an object, each with characters of several bytes."""
        for _ in range(count):
            self.cluster.put(name, text=f"version {self.cluster.number + 1} é ✓")

    @property
    def said(self) -> str:
        return "\n".join(self.seen.said)

    def wait_until_well(self) -> None:
        """Wait until the end of the trouble is told; it was to be told once, too."""
        self.wait_until_said("watching again")
        assert self.said.count("trying again in") == 1, self.said
        assert self.said.count("watching again") == 1, self.said

    def wait_until_said(self, text: str) -> None:
        self.seen.wait_until(lambda seen: any(text in line for line in seen.said))

    def wait_until_seen(self) -> None:
        """Wait until a last version, which marks the end, has arrived."""
        # Its name comes last in a list, too.
        last = str(self.cluster.put("zebra", text="é").number)
        self.seen.wait_until(
            lambda seen: any(each.resource_version == last for each in seen.records)
        )

    def judge(self, *, missed: bool = False) -> None:
        """Check all but how it ends; *missed* is whether versions were lost."""
        self.server.wait_until(lambda server: server.faultless)
        self.wait_until_seen()
        records = self.seen.records
        judge_order(records)
        judge_documents(records, self.cluster.present)
        lost = judge_versions(records, self.cluster.versions, self.listed_at)
        admitted = any(each.type.value == "GAP" for each in records)
        assert (bool(lost), admitted) == (missed, missed), lost
        judge_requests(self.server.log, SECOND)
        assert self.seen.error is None


@dataclass(frozen=True)
class Ground:
    """Where trials are held: in plain HTTP or under TLS."""

    home: Path
    tls: ssl.SSLContext | None
    authority: Any

    def connection(self, url: str, request_timeout: float | None) -> Connection:
        cluster = {"server": url}
        if self.tls is not None:
            cluster = trusting(self.authority, url)
        path = write(self.home / "config", kubeconfig(cluster))
        settings = ConnectionSettings(
            kubeconfig=str(path), request_timeout=request_timeout
        )
        environ = {"HOME": str(self.home)}
        return Connection(settings, environ=environ, say=lambda line: None)

    @contextmanager
    def trial(
        self,
        *,
        request_timeout: float | None = None,
    ) -> Iterator[Trial]:
        """Watch a cluster with two objects."""
        cluster = Cluster()
        cluster.put("web", text="é")
        cluster.put("other", text="é")
        with model_server(cluster, self.tls) as server:
            listed_at = cluster.number
            with following(
                self.connection(server.url, request_timeout),
                read_timeout=READ_TIMEOUT,
                pace=PACE,
                noise=True,
            ) as seen:
                server.wait_for_watch()
                yield Trial(cluster, server, seen, listed_at)
            assert seen.closed_within < PROMPT

"""A recording that is served, read by HTTP and by kubectl."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests import processes
from tests.cli.command import Running, Spy
from tests.extras.serve.demo.client import Reply

needs_kubectl = pytest.mark.skipif(
    shutil.which("kubectl") is None, reason="kubectl is not installed"
)


class Served:
    """A recording that is served, for plain HTTP."""

    def __init__(self, running: Running, kubeconfig: Path) -> None:
        self.running = running
        self.kubeconfig = kubeconfig
        config = json.loads(kubeconfig.read_text())
        url = urlsplit(config["clusters"][0]["cluster"]["server"])
        self.host, self.token = url.netloc, url.path

    def ask(
        self,
        path: str,
        *,
        method: str = "GET",
        body: str | None = None,
        token: str | None = None,
        **headers: str,
    ) -> Reply:
        token = self.token if token is None else token
        connection = HTTPConnection(self.host, timeout=processes.PATIENCE)
        try:
            connection.request(method, token + path, body, headers)
            response = connection.getresponse()
            return Reply(response.status, response.headers, response.read())
        finally:
            connection.close()

    def seek(self, point: str) -> None:
        """Go to another point."""
        assert self.ask(f"/spy/seek?at={point}", method="POST").status == 200

    def kubectl(self, *words: str) -> subprocess.CompletedProcess[str]:
        cache = self.kubeconfig.with_name("cache")
        config = f"--kubeconfig={self.kubeconfig}"
        return processes.run(
            ["kubectl", config, f"--cache-dir={cache}", *words],
            capture_output=True,
            text=True,
        )


@contextmanager
def serving(spy: Spy, *words: str) -> Iterator[Served]:
    with spy.running("serve", *words) as running:
        running.wait_for_lines(1)
        running.wait_for_talk("/spy/seek")
        said = re.fullmatch(r"export KUBECONFIG=(\S+)\n", running.stdout.decode())
        assert said is not None
        yield Served(running, Path(said[1]))
        ended = running.end()
        assert ended.code == 130, ended.err
        assert not Path(said[1]).exists()

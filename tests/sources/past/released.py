"""Releases of Helm as an API server has them, and how they are asked for."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Mapping
from typing import Any

from kubectl_spy.core.times import rfc3339
from tests.builders import Object

START = 1_795_273_200.0
METADATA = "as=PartialObjectMetadataList"


def at(second: float) -> str:
    return rfc3339(START + second)[:19] + "Z"


def config_map(value: str = "x", name: str = "web") -> str:
    made = {"metadata": {"name": name}, "data": {"a": value}}
    return f"---\n{json.dumps({'apiVersion': 'v1', 'kind': 'ConfigMap', **made})}\n"


def document(number: int, manifest: str, status: str, **more: Any) -> Object:
    info = {"status": status, "last_deployed": at(10 * number)}
    made = {"name": "web", "version": number, "info": info, "manifest": manifest}
    return {**made, **more}


def packed(content: bytes) -> str:
    """Return bytes as Helm stores them, and the server then again."""
    return base64.b64encode(base64.b64encode(content)).decode()


def secret(
    number: int,
    manifest: str = "",
    status: str = "superseded",
    *,
    content: bytes | None = None,
    **more: Any,
) -> Object:
    """Return the Secret of a revision, made 10 seconds after the one before."""
    if content is None:
        made = document(number, manifest or config_map(str(number)), status, **more)
        content = gzip.compress(json.dumps(made).encode())
    labels = {
        "owner": "helm",
        "name": "web",
        "version": str(number),
        "status": status,
        "modifiedAt": "1",
    }
    return {
        "metadata": {
            "name": f"sh.helm.release.v1.web.v{number}",
            "namespace": "shop",
            "creationTimestamp": at(10 * number),
            "labels": labels,
        },
        "data": {"release": packed(content)},
    }


def never() -> None:
    """End no reading."""


class Server:
    """Answers for *secrets*, and keeps what it was asked for."""

    def __init__(self, *secrets: Object) -> None:
        self._secrets = {each["metadata"]["name"]: each for each in secrets}
        self.asked: list[str] = []
        self.error: Exception | None = None

    def __call__(
        self,
        path: str,
        accept: str | None = None,
        *,
        query: Mapping[str, str] | None = None,
        read_timeout: float,
    ) -> Any:
        name = path.rpartition("/")[2]
        self.asked.append(name)
        if self.error is not None:
            raise self.error
        if name in self._secrets:
            return self._secrets[name]
        assert METADATA in (accept or "")
        items = [{"metadata": each["metadata"]} for each in self._secrets.values()]
        return {"items": items}

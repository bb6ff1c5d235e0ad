"""A cluster whose ConfigMaps change all the time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests import builders
from tests.extras.serve.api_server.server import ApiServer


def config_map(number: int, name: str = "web", size: int = 0) -> dict[str, Any]:
    """Return a version of a ConfigMap, with a text of *size* besides its number."""
    data: Any = {"number": str(number)}
    if size:
        data["filler"] = f"{number:09}" * (size // 9)
    return builders.config_map(name, "default", **data)


@contextmanager
def writing(
    server: ApiServer, *, objects: int = 1, size: int = 500, pause: float = 0.0
) -> Iterator[None]:
    """Change ConfigMaps in turn for the length of the block."""
    over = threading.Event()

    def write() -> None:
        number = 0
        while not over.wait(pause):
            number += 1
            server.put(config_map(number, f"web-{number % objects}", size))

    writer = threading.Thread(target=write)
    writer.start()
    try:
        yield
    finally:
        over.set()
        writer.join()

"""Where the rows of the matrix run: in plain HTTP, or under TLS."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme

from tests.sources.connection.certificates import server_tls
from tests.sources.watching.matrix.trial import Ground


@pytest.fixture(scope="session")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def ground(
    request: pytest.FixtureRequest, authority: trustme.CA, tmp_path: Path
) -> Ground:
    """Plain HTTP, but for the rows that ask for "tls"."""
    encrypted = getattr(request, "param", "plain") == "tls"
    tls = server_tls(authority) if encrypted else None
    return Ground(tmp_path, tls, authority)


@pytest.fixture(scope="module", autouse=True)
def leaks_of_ssl_end_here() -> Iterator[None]:
    """Collect what ssl leaves behind before other tests are blamed for it."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()

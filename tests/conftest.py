from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Examples take as long as the machine is busy. Everyone checks the same, and `full`
# four times as many. `night` draws others, and prints how to repeat one that fails.
# `thorough` looks for minutes into one parser.
settings.register_profile("default", deadline=None, derandomize=True, max_examples=25)
settings.register_profile("full", deadline=None, derandomize=True, max_examples=100)
settings.register_profile(
    "night", deadline=None, derandomize=False, max_examples=400, print_blob=True
)
settings.register_profile(
    "thorough",
    deadline=None,
    derandomize=False,
    max_examples=5_000,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("default")

LONGEST = (
    *("cli/test_mutants.py", "e2e/test_deploy.py", "e2e/test_earlier.py"),
    *("e2e/test_past.py", "matrix/test_answers.py", "knowledge/test_any_object.py"),
    *("e2e/test_interruptions.py", "answer/test_agreement.py", "cli/test_resume.py"),
    *("e2e/test_resume.py", "e2e/test_conformance.py", "review/test_review.py"),
    *("e2e/test_traces.py", "soak/test_soak.py", "cli/test_signals.py"),
)
"""Files that take longest run first: no worker is left with one at the end."""
GOLDEN = Path(__file__).parent / "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write what is printed now into tests/golden, for a person to review",
    )
    parser.addoption(
        "--kubeconfig",
        metavar="FILE",
        help="run the end-to-end tests on the cluster this leads to",
    )
    parser.addoption(
        "--schedules",
        type=int,
        default=1_000,
        metavar="N",
        help="how many random schedules of faults the watch has to follow",
    )
    parser.addoption(
        "--schedule", type=int, metavar="SEED", help="follow this one of them only"
    )


def pytest_configure(config: pytest.Config) -> None:
    # CPython leaves the socket open where the peer has reset the connection before a
    # handshake: SSLSocket._create raises what recv does before it looks after it. It is
    # found out whenever garbage is collected, in any test.
    warning = (
        "Exception ignored in. <ssl.SSLSocket:pytest.PytestUnraisableExceptionWarning"
    )
    config.addinivalue_line("filterwarnings", f"ignore:{warning}")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    ranks = {name: rank for rank, name in enumerate(LONGEST)}

    def rank(item: pytest.Item) -> int:
        return ranks.get("/".join(item.path.parts[-2:]), len(ranks))

    items.sort(key=rank)


def pytest_collection_finish() -> None:
    # Collected tests stay: looking through them for garbage takes a twentieth of a run.
    gc.collect()
    gc.freeze()


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with the file of a name in tests/golden."""
    update = request.config.getoption("--update-golden")

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if update:
            path.write_bytes(text.encode())
        assert text == path.read_bytes().decode(), "see --update-golden"

    return compare

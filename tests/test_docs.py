"""Pages that are written from the code are as the code is."""

from __future__ import annotations

from collections.abc import Callable

from tests.cli_reference import reference


def test_the_reference_says_what_the_commands_take(
    golden: Callable[[str, str], None],
) -> None:
    golden("../../docs/cli.md", reference())

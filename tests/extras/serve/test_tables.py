"""The table of columns and the functions that it names."""

from __future__ import annotations

import re
from pathlib import Path

from kubectl_spy.extras.serve.api_server.tables import kinds
from kubectl_spy.extras.serve.api_server.tables.columns import columns_of

TABLE = Path(str(kinds.__file__)).with_suffix(".txt").read_text()


def test_the_table_names_every_function_that_computes_a_cell() -> None:
    defined = {
        name
        for name, each in vars(kinds).items()
        if getattr(each, "__module__", "") == kinds.__name__ and name[0] != "_"
    }
    assert defined == set(re.findall(r"(\w+)\(\)", TABLE))


def test_several_kinds_share_columns() -> None:
    shared = columns_of("", "Event")
    assert shared and shared == columns_of("events.k8s.io", "Event")
    assert [each.name for each in shared if not each.wide][:2] == ["Last Seen", "Type"]
    assert columns_of("example.com", "Event") is None

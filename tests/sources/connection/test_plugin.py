"""A credential plugin ends, is told of, or is ended."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kubectl_spy.sources.connection.plugin import PluginFailed, run_plugin
from tests.sources.connection.kubeconfigs import credential, exec_user
from tests.sources.connection.kubeconfigs import program as written
from tests.sources.connection.test_connect import plugin


def run(program: Path, seconds: float, said: list[str] | None = None) -> Any:
    user = exec_user(program)["exec"]
    told = [] if said is None else said
    return run_plugin(user, {}, told.append, seconds=seconds)


def test_an_answering_plugin_is_not_reported(tmp_path: Path) -> None:
    program, said = plugin(tmp_path / "login", credential(token="t")), list[str]()
    assert run(program, 60, said) == {"token": "t"}
    assert said == []


@pytest.mark.parametrize(
    "script",
    ["exec sleep 600", "exec >&- 2>&-; exec sleep 600", "sleep 600 & echo '{}'"],
    ids=["silent", "without streams", "with a child"],
)
def test_an_endless_plugin_is_killed(tmp_path: Path, script: str) -> None:
    program = written(tmp_path / "login", script)
    with pytest.raises(PluginFailed, match=r"within 0.5 s"):
        run(program, 0.5)


def test_as_much_as_credentials_need_may_be_printed(tmp_path: Path) -> None:
    program = plugin(tmp_path / "login", credential(token="t" * 500_000))
    assert len(run(program, 60)["token"]) == 500_000

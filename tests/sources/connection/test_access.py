"""Choosing cluster, user and namespace from context and flags."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kubectl_spy.errors import SpyError, UsageError
from kubectl_spy.sources.connection.access import (
    Access,
    ConnectionSettings,
    choose_access,
)
from kubectl_spy.sources.connection.kubeconfig import load_kubeconfig
from tests.sources.connection.kubeconfigs import in_home, kubeconfig


def choose(home: Path, document: object, **flags: Any) -> Access:
    """Return the access that *flags* choose from *document*."""
    settings = ConnectionSettings(**flags)
    return choose_access(load_kubeconfig(None, in_home(home, document)), settings)


def two() -> dict[str, Any]:
    """Return a kubeconfig with the contexts dev (current) and prod."""
    dev = kubeconfig({"server": "http://dev"}, {"token": "d"}, name="dev")
    prod = kubeconfig(
        {"server": "http://prod/"}, {"token": "p"}, name="prod", namespace="shop"
    )
    for section in ("clusters", "users", "contexts"):
        dev[section] += prod[section]
    return dev


def test_the_current_context_is_used(tmp_path: Path) -> None:
    access = choose(tmp_path, two())
    assert (access.context, access.server, access.namespace) == (
        "dev",
        "http://dev",
        "default",
    )


def test_the_flags_override_the_context_one_by_one(tmp_path: Path) -> None:
    access = choose(tmp_path, two(), context="prod", user="dev", namespace="x")
    assert access.server == "http://prod"
    assert access.namespace == "x"
    assert access.user == {"token": "d"}
    assert choose(tmp_path, two(), context="prod").namespace == "shop"
    assert choose(tmp_path, two(), cluster="prod").server == "http://prod"


def test_server_overrides_the_url_and_keeps_the_rest(tmp_path: Path) -> None:
    document = kubeconfig({"server": "https://a", "tls-server-name": "b"})
    access = choose(tmp_path, document, server="https://c:6443/")
    assert (access.server, access.cluster["tls-server-name"]) == ("https://c:6443", "b")


def test_server_alone_needs_no_kubeconfig(tmp_path: Path) -> None:
    access = choose(tmp_path, {}, server="localhost:8001")
    assert (access.server, access.context) == ("http://localhost:8001", "")


def test_a_server_without_scheme_is_https_with_tls(tmp_path: Path) -> None:
    document = kubeconfig({"server": "host:6443", "certificate-authority-data": "eA=="})
    assert choose(tmp_path, document).server == "https://host:6443"


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ({"context": "stage"}, 'no context "stage" .*; known: dev, prod'),
        ({"cluster": "stage"}, 'no cluster "stage" .*; known: dev, prod'),
        ({"user": "stage"}, 'no user "stage" .*; known: dev, prod'),
        ({"server": "ftp://x"}, "no URL of an API server"),
        ({"server": "https://"}, "no URL of an API server"),
        ({"server": "https://x:99999"}, "no URL of an API server"),
        ({"server": "https://x/?a"}, "no URL of an API server"),
        ({"server": "https://x/a b"}, "no URL of an API server"),
        ({"namespace": "A"}, "invalid namespace"),
        ({"as_groups": ("a",)}, "without a user; add --as"),
        ({"as_user": "a\r\nb"}, "control character"),
    ],
)
def test_unknown_names_and_impossible_values_are_errors(
    tmp_path: Path, flags: dict[str, Any], message: str
) -> None:
    with pytest.raises(SpyError, match=message):
        choose(tmp_path, two(), **flags)


def test_a_password_in_the_url_is_refused_and_not_repeated(tmp_path: Path) -> None:
    with pytest.raises(SpyError) as caught:
        choose(tmp_path, two(), server="https://me:hunter2@host")
    assert "hunter2" not in str(caught.value)


def test_a_missing_current_context_lists_the_known_ones(tmp_path: Path) -> None:
    document = {**two(), "current-context": ""}
    with pytest.raises(SpyError, match=r"no current context .*; known: dev, prod"):
        choose(tmp_path, document)


def test_a_context_without_a_cluster_is_named(tmp_path: Path) -> None:
    document = kubeconfig()
    document["contexts"][0]["context"] = {"user": "test"}
    with pytest.raises(SpyError, match='context "test" names no cluster'):
        choose(tmp_path, document)


def test_without_any_configuration_it_says_where_it_looked(tmp_path: Path) -> None:
    config = load_kubeconfig(None, {"HOME": str(tmp_path)})
    with pytest.raises(SpyError, match=str(tmp_path / ".kube" / "config")):
        choose_access(config, ConnectionSettings())


def test_impersonation_comes_from_the_kubeconfig_and_flags_win(tmp_path: Path) -> None:
    user = {
        "as": "jane",
        "as-groups": ["dev", "ops"],
        "as-uid": "7",
        "as-user-extra": {"scopes": ["a", "b"]},
    }
    whom = choose(tmp_path, kubeconfig(user=user)).impersonation
    assert (whom.user, whom.uid, whom.groups) == ("jane", "7", ("dev", "ops"))
    assert whom.extra == (("scopes", "a"), ("scopes", "b"))
    whom = choose(
        tmp_path, kubeconfig(user=user), as_user="root", as_groups=("x",)
    ).impersonation
    assert (whom.user, whom.groups) == ("root", ("x",))


def test_groups_without_a_user_are_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        choose(tmp_path, kubeconfig(user={"as-groups": ["a"]}))


def test_an_access_never_shows_its_secrets(tmp_path: Path) -> None:
    assert "hunter2" not in repr(
        choose(tmp_path, kubeconfig(user={"token": "hunter2"}))
    )

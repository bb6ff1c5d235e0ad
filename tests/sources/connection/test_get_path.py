"""What Tab asks goes to whom kubectl would ask, as whom kubectl would be."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import trustme

from kubectl_spy.errors import ConnectionFailed, RequestRefused
from kubectl_spy.sources.connection.connect import Connection, ConnectionSettings
from tests.sources.api_server import Answer, as_json, serve
from tests.sources.connection.certificates import client_user, server_tls, trusting
from tests.sources.connection.kubeconfigs import in_home, kubeconfig

PATH = "/api/v1/namespaces"


def ask(home: Path, cluster: Mapping[str, Any], **user: Any) -> Any:
    """Ask for namespaces with a kubeconfig of that *cluster* and *user*."""
    environ = in_home(home, kubeconfig(dict(cluster), user))
    settings = ConnectionSettings(request_timeout=5)
    connection = Connection(settings, environ, say=lambda _: None)
    return connection.get_path(PATH, "x/y", query={"limit": "5"})


def test_a_token_and_whom_to_act_as_reach_the_server(tmp_path: Path) -> None:
    who = {"as": "jane", "as-groups": ["devs", "ops"]}
    with serve({PATH: as_json({"items": []})}) as api:
        assert ask(tmp_path, {"server": api.url}, token="t0k3n", **who) == {"items": []}
    (request,) = api.requests
    assert request.query == {"limit": ["5"]}
    assert request.header("accept") == ["x/y"]
    assert request.header("authorization") == ["Bearer t0k3n"]
    assert request.header("impersonate-user") == ["jane"]
    assert request.header("impersonate-group") == ["devs", "ops"]


def test_a_user_and_password_are_sent_in_utf_8(tmp_path: Path) -> None:
    with serve({PATH: as_json({})}) as api:
        ask(tmp_path, {"server": api.url}, username="jané", password="p:w")
    assert api.requests[0].header("authorization") == ["Basic amFuw6k6cDp3"]


def test_certificates_are_checked_on_both_sides(tmp_path: Path) -> None:
    authority = trustme.CA()
    with serve({PATH: as_json({})}, server_tls(authority, clients=authority)) as api:
        trusted, me = trusting(authority, api.url), client_user(authority)
        assert ask(tmp_path, trusted, **me) == {}
        with pytest.raises(ConnectionFailed):
            ask(tmp_path, trusted)
        with pytest.raises(ConnectionFailed):
            ask(tmp_path, trusting(trustme.CA(), api.url), **me)
    assert len(api.requests) == 1


def test_another_name_of_the_server_is_the_one_checked(tmp_path: Path) -> None:
    authority = trustme.CA()
    with serve({PATH: as_json({})}, server_tls(authority, "kube.example.com")) as api:
        cluster = trusting(authority, api.url)
        assert ask(tmp_path, cluster | {"tls-server-name": "kube.example.com"}) == {}
        with pytest.raises(ConnectionFailed):
            ask(tmp_path, cluster)


def test_a_redirect_is_not_followed_with_credentials(tmp_path: Path) -> None:
    with serve({PATH: as_json({})}) as other:
        away = Answer(302, headers=(("Location", f"{other.url}{PATH}"),))
        with serve({PATH: away}) as api, pytest.raises(RequestRefused):
            ask(tmp_path, {"server": api.url}, token="t0k3n")
    assert other.requests == []


def test_invalid_json_is_no_answer(tmp_path: Path) -> None:
    page = Answer(body="<html>")
    with serve({PATH: page}) as api, pytest.raises(ConnectionFailed):
        ask(tmp_path, {"server": api.url})

"""The connection, against real HTTP and TLS servers on loopback."""

from __future__ import annotations

import json
import os
import ssl
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
import trustme

from kubectl_spy import __version__
from kubectl_spy.core.objects import Selection
from kubectl_spy.errors import ConnectionFailed, SpyError, Unauthenticated
from kubectl_spy.http.client import beginning
from kubectl_spy.sources.connection.connect import Connection, ConnectionSettings
from tests import processes
from tests.builders import DEPLOYMENTS, PODS, resource
from tests.processes import PATIENCE, limits, wait_until
from tests.sources.api_server import (
    Answer,
    ApiServer,
    aggregated,
    plain,
    recorded,
    serve,
)
from tests.sources.connection.certificates import (
    client_user,
    server_tls,
    sloppy_authority,
    trusting,
)
from tests.sources.connection.kubeconfigs import (
    b64,
    credential,
    exec_user,
    in_home,
    kubeconfig,
    program,
)

PATH = "/api/v1/namespaces/default/pods"
ONE = Selection(resource=PODS, namespace="default", name="web")
Join = Callable[..., Connection]
UNAUTHORIZED = Answer(
    401, '{"kind":"Status","message":"Unauthorized","reason":"Unauthorized","code":401}'
)


@pytest.fixture
def api() -> Iterator[ApiServer]:
    with serve({PATH: Answer(body='{"items":[]}')}) as server:
        yield server


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def join(tmp_path: Path, said: list[str]) -> Join:
    """Return a connection by a document as ~/.kube/config and flags."""

    def connected(document: object, **flags: Any) -> Connection:
        # The kubernetes package reads the proxies from the process's own environment.
        environ = {**os.environ, **in_home(tmp_path, document)}
        return Connection(ConnectionSettings(**flags), environ=environ, say=said.append)

    return connected


def read(connection: Connection, selection: Selection = ONE, **more: Any) -> bytes:
    """List *selection* and return the body."""
    with closing(connection.get(selection, read_timeout=PATIENCE, **more)) as answer:
        return beginning(answer, 1 << 20)


def plugin(path: Path, output: str, *, exit_code: int = 0, stderr: str = "") -> Path:
    """Write a credential plugin that counts its runs in a file beside it."""
    script = f"echo run >> {path}.runs\necho '{stderr}' >&2\n"
    return program(path, f"{script}cat <<'END'\n{output}\nEND\nexit {exit_code}")


def test_connect_sends_nothing(join: Join, api: ApiServer, said: list[str]) -> None:
    document = kubeconfig({"server": api.url}, name="dev", namespace="shop")
    connection = join(document)
    assert connection.context == "dev"
    assert (connection.namespace, connection.server) == ("shop", api.url)
    assert api.requests == []
    assert said == []


def test_one_object_is_listed_by_a_field_selector(join: Join, api: ApiServer) -> None:
    connection = join(kubeconfig({"server": api.url}))
    assert read(connection, query={"limit": "5"}) == b'{"items":[]}'
    (request,) = api.requests
    assert request.path == PATH
    assert request.query == {"fieldSelector": ["metadata.name=web"], "limit": ["5"]}
    assert request.header("User-Agent") == [f"kubectl-spy/{__version__}"]
    assert request.header("Authorization") == []


def test_selectors_are_joined_and_quoted(join: Join, api: ApiServer) -> None:
    connection = join(kubeconfig({"server": api.url}))
    selection = Selection(
        resource=PODS,
        namespace="default",
        name="a,b=c&watch=true",
        label_selector="app in (a,b),x!=é&limit=1",
        field_selector="spec.nodeName=n 1",
    )
    read(connection, selection, watch=True)
    assert api.requests[0].query == {
        "fieldSelector": [r"metadata.name=a\,b\=c&watch\=true,spec.nodeName=n 1"],
        "labelSelector": ["app in (a,b),x!=é&limit=1"],
        "watch": ["true"],
    }


@pytest.mark.parametrize(
    ("selection", "path"),
    [
        (Selection(resource=PODS), "/api/v1/pods"),
        (Selection(resource=resource("Node", namespaced=False)), "/api/v1/nodes"),
        (
            Selection(resource=DEPLOYMENTS, namespace="shop"),
            "/apis/apps/v1/namespaces/shop/deployments",
        ),
    ],
)
def test_the_path_follows_group_and_scope(
    join: Join, api: ApiServer, selection: Selection, path: str
) -> None:
    api.answers[path] = Answer()
    connection = join(kubeconfig({"server": f"{api.url}/"}))
    read(connection, selection)
    assert api.paths == [path]


def test_an_object_is_got_by_name(join: Join, api: ApiServer) -> None:
    api.answers["/base/api/v1/namespaces/default/pods/a%3Fwatch%3D1%23"] = Answer()
    connection = join(kubeconfig({"server": f"{api.url}/base"}))
    selection = Selection(resource=PODS, namespace="default", name="a?watch=1#")
    read(connection, selection, single=True)
    assert api.requests[0].query == {}


def test_impersonation_is_sent(join: Join, api: ApiServer) -> None:
    user = {"as-user-extra": {"example.com/Scope": ["a", "b"]}}
    connection = join(
        kubeconfig({"server": api.url}, user),
        as_user="jané",
        as_groups=("dev", "ops,x"),
        as_uid="7",
    )
    read(connection)
    (request,) = api.requests
    assert request.header("Impersonate-User") == ["jané".encode().decode("latin-1")]
    assert request.header("Impersonate-Group") == ["dev", "ops,x"]
    assert request.header("Impersonate-Uid") == ["7"]
    assert request.header("Impersonate-Extra-example.com%2fscope") == ["a", "b"]


@pytest.mark.parametrize(
    ("user", "header"),
    [
        ({"token": "t0ken"}, "Bearer t0ken"),
        ({"username": "me", "password": "hunter2"}, "Basic bWU6aHVudGVyMg=="),
        (
            {"username": "jané", "password": "日本"},
            f"Basic {b64('jané:日本'.encode())}",
        ),
    ],
)
def test_the_kubeconfigs_credentials_are_sent(
    join: Join, api: ApiServer, user: dict[str, Any], header: str
) -> None:
    read(join(kubeconfig({"server": api.url}, user)))
    assert api.requests[0].header("Authorization") == [header]


def test_warnings_are_said_once(join: Join, api: ApiServer, said: list[str]) -> None:
    headers = (
        ("Warning", r'299 - "v1 \"X\" is deprecated", 299 - "other"'),
        ("Warning", '299 - "third\x1b"'),
    )
    api.answers[PATH] = Answer(headers=headers)
    connection = join(kubeconfig({"server": api.url}))
    read(connection)
    read(connection)
    assert said == [
        'Warning: v1 "X" is deprecated',
        "Warning: other",
        "Warning: third\x1b",
    ]


def test_many_warnings_of_an_answer_are_counted(
    join: Join, api: ApiServer, said: list[str]
) -> None:
    warnings = (("Warning", f'299 - "policy {number}"') for number in range(90))
    api.answers[PATH] = Answer(headers=tuple(warnings))
    read(join(kubeconfig({"server": api.url})))
    assert said == [
        *(f"Warning: policy {number}" for number in range(5)),
        "Warning: 85 more warnings of the server",
    ]


def test_a_warning_shows_no_credential_of_ours(
    join: Join, api: ApiServer, said: list[str]
) -> None:
    echo = ("Warning", '299 - "got Bearer s3cret-token"')
    api.answers[PATH] = Answer(headers=(echo,))
    read(join(kubeconfig({"server": api.url}, {"token": "s3cret-token"})))
    assert said == ["Warning: got Bearer ***"]


def test_a_client_certificate_is_used_and_its_key_not_left_on_disk(
    join: Join, said: list[str]
) -> None:
    authority = trustme.CA()
    before = set(Path(tempfile.gettempdir()).glob("tmp*"))
    tls = server_tls(authority, clients=authority)
    with serve({PATH: Answer(body="yes")}, tls) as api:
        document = kubeconfig(trusting(authority, api.url), client_user(authority))
        connection = join(document)
        left = set(Path(tempfile.gettempdir()).glob("tmp*")) - before
        assert read(connection) == b"yes"
        assert read(connection) == b"yes"
    assert not [
        path for path in left if path.is_file() and b"PRIVATE" in path.read_bytes()
    ]
    assert said == []


def test_relative_files_are_used(join: Join, tmp_path: Path) -> None:
    authority = trustme.CA()
    with serve({PATH: Answer(body="yes")}, server_tls(authority)) as api:
        cluster = {"server": api.url, "certificate-authority": "pki/ca.pem"}
        (tmp_path / ".kube" / "pki").mkdir(parents=True)
        authority.cert_pem.write_to_path(str(tmp_path / ".kube" / "pki" / "ca.pem"))
        connection = join(kubeconfig(cluster))
        assert read(connection) == b"yes"


def test_tls_server_name_is_verified(join: Join) -> None:
    authority = trustme.CA()
    tls = server_tls(authority, "kube.example.com")
    with serve({PATH: Answer(body="yes")}, tls) as api:
        cluster = trusting(authority, api.url)
        cluster["tls-server-name"] = "kube.example.com"
        assert read(join(kubeconfig(cluster))) == b"yes"


def test_skipping_verification_warns_once(join: Join, said: list[str]) -> None:
    with serve({PATH: Answer(body="yes")}, server_tls(trustme.CA())) as api:
        connection = join(
            kubeconfig(trusting(trustme.CA(), api.url)), insecure_skip_tls_verify=True
        )
        assert read(connection) == b"yes"
        assert read(connection) == b"yes"
        assert said == [f"warning: the certificate of {api.url} is not checked"]


def test_strictness_is_dropped_for_one_error(join: Join, said: list[str]) -> None:
    """Python checks for RFC 5280's letter from 3.13 on, and EKS's authority fails."""
    pem, server = sloppy_authority()
    with serve({PATH: Answer(body="yes")}, server) as api:
        cluster = {"server": api.url, "certificate-authority-data": b64(pem)}
        connection = join(kubeconfig(cluster))
        tls = connection._sessions.latest.tls
        assert tls is not None
        tls.verify_flags |= ssl.VERIFY_X509_STRICT
        assert read(connection) == b"yes"
        assert read(connection) == b"yes"
        assert not tls.verify_flags & ssl.VERIFY_X509_STRICT
        assert tls.verify_mode == ssl.CERT_REQUIRED
        connection.renew()
        assert read(connection) == b"yes"
    assert len(said) == 1
    assert "RFC 5280" in said[0]


def test_a_plugin_runs_once(join: Join, tmp_path: Path, api: ApiServer) -> None:
    login = plugin(tmp_path / "login", credential(token="t0ken"))
    connection = join(kubeconfig({"server": api.url}, exec_user(login)))
    read(connection)
    read(connection)
    assert api.requests[1].header("Authorization") == ["Bearer t0ken"]
    assert Path(f"{login}.runs").read_text() == "run\n"


def test_expiry_reruns_the_plugin(join: Join, tmp_path: Path, api: ApiServer) -> None:
    past = credential(token="old", expirationTimestamp="2020-01-01T00:00:00.123456789Z")
    login = plugin(tmp_path / "login", past)
    document = kubeconfig({"server": api.url}, exec_user(login))
    connection = join(document)
    plugin(login, credential(token="new", expirationTimestamp="2999-01-01T00:00:00Z"))
    read(connection)
    read(connection)
    assert api.requests[0].header("Authorization") == ["Bearer new"]
    assert Path(f"{login}.runs").read_text() == "run\nrun\n"


def test_plugins_may_give_a_client_certificate(join: Join, tmp_path: Path) -> None:
    authority = trustme.CA()
    leaf = authority.issue_cert("jane@example.com")
    output = credential(
        clientCertificateData=leaf.cert_chain_pems[0].bytes().decode(),
        clientKeyData=leaf.private_key_pem.bytes().decode(),
    )
    tls = server_tls(authority, clients=authority)
    with serve({PATH: Answer(body="yes")}, tls) as api:
        user = exec_user(plugin(tmp_path / "login", output))
        connection = join(kubeconfig(trusting(authority, api.url), user))
        assert read(connection) == b"yes"


def test_a_plugin_gets_the_cluster_if_it_asks_for_it(
    join: Join, tmp_path: Path, api: ApiServer
) -> None:
    say = f'echo "$KUBERNETES_EXEC_INFO" > {tmp_path}/info'
    login = program(tmp_path / "login", f"{say}\necho '{credential(token='x')}'")
    (tmp_path / "ca.pem").write_text("PEM")
    cluster = {"server": api.url, "certificate-authority": str(tmp_path / "ca.pem")}
    user = exec_user(login, provideClusterInfo=True, interactiveMode="Never")
    join(kubeconfig(cluster, user))
    info = json.loads((tmp_path / "info").read_text())
    assert info["spec"]["cluster"] == {
        "server": api.url,
        "certificate-authority-data": b64(b"PEM"),
    }


@pytest.mark.parametrize(
    ("output", "exit_code", "why"),
    [
        ("", 3, "process returned 3. not logged in"),
        ("nonsense", 0, "failed to decode"),
        ("[]", 0, "malformed response"),
        ("5", 0, "configured or answers wrongly"),
        (credential(), 0, "gave neither token nor certificate"),
        (credential(clientCertificateData="x"), 0, "gave neither"),
        (credential(token="a b"), 0, "holds characters no token has"),
        (credential(token="x").replace("/v1", "/v9"), 0, "does not match"),
        (credential(token="x").replace('"status"', '"state"'), 0, "missing key"),
    ],
)
def test_a_failing_plugin_is_an_error_and_never_anonymous(
    join: Join, tmp_path: Path, api: ApiServer, output: str, exit_code: int, why: str
) -> None:
    login = plugin(
        tmp_path / "login", output, exit_code=exit_code, stderr="not logged in"
    )
    document = kubeconfig({"server": api.url}, exec_user(login))
    with pytest.raises(SpyError, match=why) as caught:
        join(document)
    assert "login" in caught.value.message
    assert "\n" not in str(caught.value)


def test_a_missing_plugin_shows_its_hint(join: Join) -> None:
    user = exec_user("no-such-login", installHint="get it\n  from example.com")
    with pytest.raises(SpyError, match=r"not installed; get it from example\.com"):
        join(kubeconfig(user=user))


def test_a_denied_plugin_does_not_run(join: Join, tmp_path: Path) -> None:
    login = plugin(tmp_path / "login", credential(token="x"))
    (tmp_path / ".kube").mkdir()
    (tmp_path / ".kube" / "kuberc").write_text("credentialPluginPolicy: DenyAll")
    with pytest.raises(SpyError, match="DenyAll"):
        join(kubeconfig(user=exec_user(login)))
    assert not Path(f"{login}.runs").exists()


def jwt(**claims: object) -> str:
    """Return an unsigned JWT."""
    payload = b64(json.dumps(claims).encode()).rstrip("=")
    return f"e30.{payload}.c2ln".replace("+", "-").replace("/", "_")


def oidc_user(token: str) -> dict[str, Any]:
    """Return a kubeconfig's user with an OIDC token and no CA for its issuer."""
    config = {
        "id-token": token,
        "refresh-token": "r",
        "client-id": "c",
        "client-secret": "s",
        "idp-issuer-url": "https://127.0.0.1:1",
    }
    return {"auth-provider": {"name": "oidc", "config": config}}


def test_valid_oidc_tokens_are_used(join: Join, api: ApiServer) -> None:
    token = jwt(exp=time.time() + 3600)
    read(join(kubeconfig({"server": api.url}, oidc_user(token))))
    assert api.requests[0].header("Authorization") == [f"Bearer {token}"]


@pytest.mark.parametrize("token", [jwt(exp=1), ""])
def test_expired_oidc_tokens_are_left_to_kubectl(join: Join, token: str) -> None:
    """The package would refresh it without checking the issuer's certificate."""
    with pytest.raises(SpyError, match="expired; run any kubectl command"):
        join(kubeconfig(user=oidc_user(token)))


def test_dropped_auth_providers_are_refused(join: Join) -> None:
    user = {"auth-provider": {"name": "gcp"}}
    with pytest.raises(SpyError, match='auth-provider "gcp"'):
        join(kubeconfig(user=user))


@pytest.mark.parametrize(
    ("cluster", "user", "why"),
    [
        ({"certificate-authority-data": "%"}, {}, "is not base64"),
        ({"certificate-authority-data": b64(b"x")}, {}, "no PEM certificate"),
        ({"certificate-authority": "none.pem"}, {}, r"cannot read .*none\.pem"),
        ({}, {"client-certificate-data": b64(b"x")}, "has no client-key"),
        ({}, {"client-key-data": b64(b"x")}, "has no client-certificate"),
        (
            {},
            {"client-certificate-data": b64(b"x"), "client-key-data": b64(b"y")},
            "client certificate and key cannot be used",
        ),
        ({}, {"tokenFile": "none"}, "cannot read"),
        ({}, {"token": "a\nb"}, "holds characters no token has"),
        ({}, {"exec": {"command": ""}}, "has no command"),
    ],
)
def test_unusable_material_is_named(
    join: Join, cluster: dict[str, Any], user: dict[str, Any], why: str
) -> None:
    document = kubeconfig({"server": "https://127.0.0.1:1", **cluster}, user)
    with pytest.raises(SpyError, match=why) as caught:
        join(document)
    assert "\n" not in str(caught.value)


def test_renewing_reads_the_files_again_but_keeps_the_context(
    join: Join, tmp_path: Path, api: ApiServer
) -> None:
    connection = join(kubeconfig({"server": api.url}, {"token": "old"}, name="a"))
    document = kubeconfig({"server": api.url}, {"token": "new"}, name="a")
    other = kubeconfig({"server": "http://other"}, name="b")
    for section in ("clusters", "users", "contexts"):
        document[section] += other[section]
    in_home(tmp_path, {**document, "current-context": "b"})
    connection.renew()
    read(connection)
    assert connection.context == "a"
    assert api.requests[0].header("Authorization") == ["Bearer new"]


def test_threads_that_were_refused_together_renew_once(
    join: Join, tmp_path: Path, api: ApiServer
) -> None:
    login = plugin(tmp_path / "login", credential(token="x"))
    connection = join(kubeconfig({"server": api.url}, exec_user(login)))
    api.answers[PATH] = UNAUTHORIZED
    together = threading.Barrier(8)

    def refused(_: int) -> None:
        with pytest.raises(Unauthenticated):
            read(connection)
        together.wait()
        connection.renew()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(refused, range(8)))
    assert Path(f"{login}.runs").read_text() == "run\n" * 2


def test_a_failed_renewal_keeps_the_session(
    join: Join, tmp_path: Path, api: ApiServer
) -> None:
    login = plugin(tmp_path / "login", credential(token="x"))
    connection = join(kubeconfig({"server": api.url}, exec_user(login)))
    plugin(login, "", exit_code=1)
    with pytest.raises(SpyError, match="failed"):
        connection.renew()
    assert read(connection) == b'{"items":[]}'


def test_an_expired_token_is_looked_for_in_the_files_again(
    join: Join, tmp_path: Path, api: ApiServer
) -> None:
    """kubectl renews an OIDC token in the kubeconfig while a watch goes on."""
    for seconds in limits(5):
        expires = time.time() + seconds
        old, new = jwt(exp=expires), jwt(exp=expires + 3600)
        connection = join(kubeconfig({"server": api.url}, oidc_user(old)))
        with suppress(SpyError):  # on a slow machine it has expired already
            read(connection)
            break
    wait_until(lambda: time.time() > expires)
    with pytest.raises(SpyError, match="has expired; run any kubectl command"):
        read(connection)
    in_home(tmp_path, kubeconfig({"server": api.url}, oidc_user(new)))
    read(connection)
    sent = [request.header("Authorization") for request in api.requests]
    assert sent == [[f"Bearer {old}"], [f"Bearer {new}"]]


def test_a_document_that_is_no_json_is_an_error(join: Join, api: ApiServer) -> None:
    connection = join(kubeconfig({"server": api.url}))
    api.answers["/version"] = Answer(body='{"gitVersion": "v1.36.2"}')
    assert connection.get_path("/version") == {"gitVersion": "v1.36.2"}
    for body in (b"", b"{", b"\xff", b"[" * 100_000):
        api.answers["/version"] = Answer(body=body)
        with pytest.raises(ConnectionFailed, match="other than JSON"):
            connection.get_path("/version")


WITHOUT_MEMORY_FILES = """
import os, sys
if hasattr(os, "memfd_create"):
    del os.memfd_create
from kubectl_spy.__main__ import main
main()
"""
"""A process as on macOS and Windows, where there are none."""


def test_keys_need_a_file_without_memfd(tmp_path: Path) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    before = temporary.stat().st_mtime_ns
    authority = trustme.CA()
    tls = server_tls(authority, clients=authority)
    answers = {**aggregated(), PATH: recorded("forbidden")}
    with serve(answers, tls) as api:
        document = kubeconfig(trusting(authority, api.url), client_user(authority))
        ended = processes.run(
            [sys.executable, "-c", WITHOUT_MEMORY_FILES, "changes", "pods"],
            env={
                **in_home(tmp_path, document),
                "TMPDIR": str(temporary),
                "PYTHONPATH": os.pathsep.join(sys.path),
            },
            capture_output=True,
            text=True,
        )
        assert PATH in api.paths, ended.stderr
    assert list(temporary.iterdir()) == []
    assert temporary.stat().st_mtime_ns > before  # something was there


def test_renewal_reads_token_files(join: Join, tmp_path: Path, api: ApiServer) -> None:
    (tmp_path / "token").write_text("old\n")
    user = {"tokenFile": str(tmp_path / "token")}
    connection = join(kubeconfig({"server": api.url}, user))
    read(connection)
    (tmp_path / "token").write_text("new\n")
    connection.renew()
    read(connection)
    sent = [request.header("Authorization") for request in api.requests]
    assert sent == [["Bearer old"], ["Bearer new"]]


def test_threads_share_a_connection(join: Join, api: ApiServer) -> None:
    connection = join(kubeconfig({"server": api.url}))
    with ThreadPoolExecutor(16) as pool:
        bodies = list(pool.map(lambda _: read(connection), range(64)))
    assert set(bodies) == {b'{"items":[]}'}


def test_the_catalogue_is_discovered_once_and_then_read_from_the_cache(
    join: Join, tmp_path: Path, api: ApiServer
) -> None:
    api.answers.update(aggregated())
    document = kubeconfig({"server": api.url})
    first = join(document).catalogue()
    second = join(document).catalogue()
    assert api.paths == ["/api", "/apis"]
    assert (first.cached, second.cached) == (False, True)
    assert first.resources == second.resources
    (file,) = (tmp_path / ".kube" / "cache" / "spy").iterdir()
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_refresh_asks_again_and_rewrites_the_cache(
    join: Join, tmp_path: Path, api: ApiServer
) -> None:
    document = kubeconfig({"server": api.url})
    api.answers.update(plain())
    join(document, cache_dir=str(tmp_path / "c")).catalogue()
    api.answers.update(aggregated())
    connection = join(document, cache_dir=str(tmp_path / "c"))
    assert connection.catalogue().cached
    assert not connection.catalogue(refresh=True).cached
    assert api.paths[-2:] == ["/api", "/apis"]


def test_failing_groups_are_one_warning(
    join: Join, api: ApiServer, said: list[str]
) -> None:
    api.answers.update(plain())
    del api.answers["/apis/policy/v1"]
    api.answers["/apis/batch/v1"] = recorded("forbidden")
    api.answers["/apis/apps/v1"] = Answer(503, "<html>", "text/html")
    api.answers["/apis/autoscaling/v2"] = Answer(body="no json")
    connection = join(kubeconfig({"server": api.url}))
    found = {resource.plural for resource in connection.catalogue().resources}
    assert {"pods", "widgets", "networkpolicies"} < found
    assert len(said) == 1
    for name in ("apps/v1 (503)", "batch/v1 (403)", "policy/v1 (404)"):
        assert name in said[0]
    assert "autoscaling/v2 (no answer)" in said[0]


def test_a_proxy_of_the_kubeconfig_is_used(
    join: Join, api: ApiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "*")
    cluster = {"server": "http://kube.invalid", "proxy-url": api.url}
    connection = join(kubeconfig(cluster))
    api.answers[PATH] = Answer(body="through the proxy")
    assert read(connection) == b"through the proxy"


def test_a_socks_proxy_needs_pysocks(join: Join) -> None:
    cluster = {"server": "http://x", "proxy-url": "socks5://127.0.0.1:1"}
    with pytest.raises(ConnectionFailed, match="PySocks"):
        join(kubeconfig(cluster))


@pytest.mark.parametrize(
    "url", ["ftp://127.0.0.1:1", "http://", "http://[", "nonsense"]
)
def test_a_bad_proxy_url_is_an_error(join: Join, url: str) -> None:
    document = kubeconfig({"server": "https://kube", "proxy-url": url})
    with pytest.raises(ConnectionFailed) as caught:
        read(join(document))
    assert "proxy" in str(caught.value)


def test_request_timeout_limits_lists_only(join: Join, api: ApiServer) -> None:
    api.answers[PATH] = Answer(body="late", delay=0.6)
    document = kubeconfig({"server": api.url})
    connection = join(document, request_timeout=0.2)
    with pytest.raises(ConnectionFailed, match="did not answer in time"):
        read(connection)
    assert read(connection, watch=True) == b"late"


def test_a_repr_shows_no_credentials(join: Join, api: ApiServer) -> None:
    document = kubeconfig({"server": api.url}, {"token": "hunter2"})
    connection = join(document)
    assert "hunter2" not in repr(connection)
    assert "hunter2" not in repr(connection._sessions.latest)


def test_nothing_of_the_callers_environment_is_changed(
    join: Join, api: ApiServer
) -> None:
    before = dict(os.environ)
    read(join(kubeconfig({"server": api.url})))
    assert dict(os.environ) == before

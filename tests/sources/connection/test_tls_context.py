"""What many threads begin their connections with."""

from __future__ import annotations

import ssl

from urllib3.util.ssl_ import ALPN_PROTOCOLS

from kubectl_spy.sources.connection.tls import tls_context


def hello(context: ssl.SSLContext) -> bytes:
    """Return the first message that a client with *context* sends."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = context.wrap_bio(incoming, outgoing, server_hostname="example.com")
    try:
        client.do_handshake()
    except ssl.SSLWantReadError:
        return outgoing.read()
    raise AssertionError("it did not wait for an answer")


def test_a_tls_context_is_set_before_threads_share_it() -> None:
    context = tls_context(verify=True, authority=b"", certificate=b"", key=b"")
    assert b"\x08http/1.1" in hello(context)
    context.set_alpn_protocols(["another"])
    assert b"\x08http/1.1" in hello(context) and b"another" not in hello(context)


def test_settings_of_urllib3_are_set_once() -> None:
    assert ALPN_PROTOCOLS == ["http/1.1"]

"""The SSLContext for all connections.

The kubernetes package writes keys to temporary files that stay after a SIGTERM. Here
OpenSSL reads them once, from memory where possible.
(https://github.com/kubernetes-client/python/issues/1782).
"""

from __future__ import annotations

import base64
import os
import re
import ssl
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timezone
from pathlib import Path

from kubectl_spy.errors import SpyError

_STRICT_ONLY = range(80, 94)
"""Verification errors that OpenSSL reports under X509_V_FLAG_X509_STRICT alone
(openssl/x509_vfy.h, PATHLEN_INVALID_FOR_NON_CA to EXTENSIONS_REQUIRE_VERSION_3)."""


def tls_context(
    *, verify: bool, authority: bytes, certificate: bytes, key: bytes
) -> ssl.SSLContext:
    """Return the SSLContext for one cluster and one user.

    Raises SpyError if certificate or key cannot be used.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.check_hostname = verify
    context.verify_mode = ssl.CERT_REQUIRED if verify else ssl.CERT_NONE
    context.hostname_checks_common_name = False
    context.post_handshake_auth = True  # a proxy may ask for the certificate later
    if sys.version_info >= (3, 13):  # as ssl.create_default_context does
        context.verify_flags |= ssl.VERIFY_X509_STRICT | ssl.VERIFY_X509_PARTIAL_CHAIN
    _settle_protocols(context)
    if verify and authority:
        try:
            context.load_verify_locations(cadata=authority.decode("ascii", "ignore"))
        except (ssl.SSLError, ValueError):
            raise SpyError(
                "the cluster's certificate-authority is no PEM certificate",
                "correct the kubeconfig",
            ) from None
    elif verify:
        context.load_default_certs()
    if certificate:
        with _file(certificate) as cert_path, _file(key) as key_path:
            try:
                # Without a password callback OpenSSL asks on the terminal.
                context.load_cert_chain(cert_path, key_path, password=lambda: "")
            except (ssl.SSLError, OSError, ValueError):
                raise SpyError(
                    "the client certificate and key cannot be used: they are no PEM, "
                    "do not belong together, or the key is encrypted",
                    "correct the kubeconfig's user",
                ) from None
    return context


def _settle_protocols(context: ssl.SSLContext) -> None:
    """Set the protocols of *context* once, and ignore later calls.

    urllib3 sets them for each connection. OpenSSL then frees the old ones, which
    another thread may be copying: its handshake is garbled, and the server answers
    "decode error". That was so in 9 of 627,000 handshakes of 8 threads.
    https://docs.openssl.org/3.0/man3/SSL_CTX_set_alpn_select_cb/
    """
    context.set_alpn_protocols(["http/1.1"])
    context.set_alpn_protocols = _keep_protocols  # type: ignore[method-assign, assignment]


def _keep_protocols(protocols: Iterable[str]) -> None:
    """Do nothing."""


def is_only_strict(error: ssl.SSLCertVerificationError) -> bool:
    """Return whether *error* comes from the strict RFC 5280 checks of Python 3.13.

    The certificate authorities of several distributions fail them
    (https://github.com/kubernetes-client/python/issues/2394).
    """
    return getattr(error, "verify_code", 0) in _STRICT_ONLY


def relax(context: ssl.SSLContext) -> None:
    """Drop the strict checks from *context*."""
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT


def certificate_expiry(pem: bytes) -> datetime | None:
    """Return when the first certificate in *pem* expires; None if it is unreadable.

    An API server answers an expired client certificate with a bare 401.
    """
    match = re.search(
        rb"-----BEGIN CERTIFICATE-----(.+?)-----END CERTIFICATE-----", pem, re.DOTALL
    )
    if not match:
        return None
    try:
        # RFC 5280 4.1: Certificate { tbs { [0]? serial sigAlg issuer validity {…
        tbs = next(_elements(next(_elements(base64.b64decode(match[1])))[1]))[1]
        fields = [value for tag, value in _elements(tbs) if tag != 0xA0]
        (_, _), (tag, after) = _elements(fields[3])
        text = after.decode("ascii")
        if tag == 0x17:  # UTCTime: two-digit years, 50 is 1950
            text = ("19" if text[:2] >= "50" else "20") + text
        return datetime.strptime(text, "%Y%m%d%H%M%SZ").replace(tzinfo=timezone.utc)
    except (IndexError, StopIteration, ValueError):
        return None


def _elements(der: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at < len(der):
        tag, length, at = der[at], der[at + 1], at + 2
        if length & 0x80:
            octets = length & 0x7F
            length = int.from_bytes(der[at : at + octets], "big")
            at += octets
        yield tag, der[at : at + length]
        at += length


@contextmanager
def _file(content: bytes) -> Iterator[str]:
    """Yield a path of *content*, in memory where possible."""
    if hasattr(os, "memfd_create") and Path("/proc/self/fd").is_dir():
        descriptor = os.memfd_create("kubectl-spy")
        try:
            os.write(descriptor, content)
            yield f"/proc/self/fd/{descriptor}"
        finally:
            os.close(descriptor)
        return
    import tempfile  # this import is slow

    descriptor, path = tempfile.mkstemp()
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        yield path
    finally:
        with suppress(OSError):
            Path(path).unlink()

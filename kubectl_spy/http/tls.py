"""The SSLContext of a connection.

OpenSSL reads keys once, from memory where possible: a file of ours would stay after a
SIGTERM (https://github.com/kubernetes-client/python/issues/1782).
"""

from __future__ import annotations

import os
import ssl
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple


class UnusableAuthority(ValueError):
    """What is to be trusted is no PEM certificate."""


class UnusableCertificate(ValueError):
    """Certificate or key are no PEM, do not fit, or the key is encrypted."""


class Trust(NamedTuple):
    """The authorities to trust, and the variable that names them, or the system's."""

    variable: str = ""
    pem: bytes | None = None
    directory: str = ""


SYSTEM = Trust()


def trust_of(environ: Mapping[str, str], *names: str) -> Trust:
    """Return the trust of the first variable that is set: *names*, then the usual ones.

    Raises OSError if the file cannot be read. Its `filename` is the variable's name.
    """
    for name in (*names, "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"):
        if path := environ.get(name, "").strip():
            if Path(path).is_dir():
                return Trust(name, directory=path)
            try:
                return Trust(name, Path(path).read_bytes())
            except OSError as error:
                raise OSError(error.errno, error.strerror, name) from None
    return SYSTEM


def tls_context(
    *,
    verify: bool = True,
    trust: Trust = SYSTEM,
    certificate: bytes | None = None,
    key: bytes | None = None,
) -> ssl.SSLContext:
    """Return the SSLContext of a client that trusts *trust*.

    *certificate* and *key* are its own, in PEM. Raises UnusableAuthority or
    UnusableCertificate.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.check_hostname = verify
    context.verify_mode = ssl.CERT_REQUIRED if verify else ssl.CERT_NONE
    context.hostname_checks_common_name = False
    context.post_handshake_auth = True  # a proxy may ask for the certificate later
    if sys.version_info >= (3, 13):  # as ssl.create_default_context does
        context.verify_flags |= ssl.VERIFY_X509_STRICT | ssl.VERIFY_X509_PARTIAL_CHAIN
    context.set_alpn_protocols(["http/1.1"])
    if verify and trust.directory:
        context.load_verify_locations(capath=trust.directory)
    elif verify and trust.pem is not None:
        try:
            context.load_verify_locations(cadata=trust.pem.decode("ascii", "ignore"))
        except (ssl.SSLError, ValueError):
            raise UnusableAuthority from None
    elif verify:
        context.load_default_certs()
        if not context.cert_store_stats()["x509_ca"]:  # as with python.org's for macOS
            import certifi

            context.load_verify_locations(certifi.where())
    if certificate is not None:
        with _file(certificate) as cert_path, _file(key or certificate) as key_path:
            try:
                # Without a password callback OpenSSL asks on the terminal.
                context.load_cert_chain(cert_path, key_path, password=lambda: "")
            except (ssl.SSLError, OSError, ValueError):
                raise UnusableCertificate from None
    return context


def relax(context: ssl.SSLContext) -> None:
    """Drop the strict checks from *context*."""
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT


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

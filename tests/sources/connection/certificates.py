"""TLS material for servers and clients on loopback, made by trustme."""

from __future__ import annotations

import ssl
import tempfile
from datetime import datetime, timedelta, timezone
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import trustme
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.sources.connection.kubeconfigs import b64

PAST = datetime(2020, 1, 2, 3, 4, tzinfo=timezone.utc)


def server_tls(
    authority: trustme.CA,
    *names: str,
    expires: datetime | None = None,
    clients: trustme.CA | None = None,
) -> ssl.SSLContext:
    """Return a server's context for *names*; *clients* makes it want certificates."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    names = names or ("127.0.0.1",)
    authority.issue_cert(*names, not_after=expires).configure_cert(context)
    if clients is not None:
        context.verify_mode = ssl.CERT_REQUIRED
        clients.configure_trust(context)
    return context


def trusting(authority: trustme.CA, server: str) -> dict[str, Any]:
    """Return a kubeconfig's cluster for *server* under *authority*."""
    pem = authority.cert_pem.bytes()
    return {"server": server, "certificate-authority-data": b64(pem)}


def client_user(
    authority: trustme.CA, *, expires: datetime | None = None
) -> dict[str, Any]:
    """Return a kubeconfig's user with a client certificate."""
    leaf = authority.issue_cert("jane@example.com", not_after=expires)
    return {
        "client-certificate-data": b64(leaf.cert_chain_pems[0].bytes()),
        "client-key-data": b64(leaf.private_key_pem.bytes()),
    }


def sloppy_authority() -> tuple[bytes, ssl.SSLContext]:
    """Return an authority's PEM and a server under it that only strictness rejects.

    Its certificate lacks the key usage that RFC 5280 4.2.1.3 wants, as EKS's does.
    """
    now = datetime.now(tz=timezone.utc)
    keys = [ec.generate_private_key(ec.SECP256R1()) for _ in range(2)]
    names = [
        x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, text)])
        for text in ("sloppy", "server")
    ]
    extensions: list[x509.ExtensionType] = [
        x509.BasicConstraints(ca=True, path_length=None),
        x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]),
    ]
    authority, server = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(names[0])
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(extension, critical=False)
        .sign(keys[0], hashes.SHA256())
        .public_bytes(serialization.Encoding.PEM)
        for name, key, extension in zip(names, keys, extensions, strict=True)
    )
    key = keys[1].private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "server.pem"
        path.write_bytes(server + key)
        context.load_cert_chain(path)
    return authority, context

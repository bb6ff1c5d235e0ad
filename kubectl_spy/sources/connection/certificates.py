"""What is wrong with a certificate: the strict checks of OpenSSL, and its expiry."""

from __future__ import annotations

import base64
import re
import ssl
from collections.abc import Iterator
from datetime import datetime, timezone

_STRICT_ONLY = range(80, 94)
"""Verification errors that OpenSSL reports under X509_V_FLAG_X509_STRICT alone
(openssl/x509_vfy.h, PATHLEN_INVALID_FOR_NON_CA to EXTENSIONS_REQUIRE_VERSION_3)."""


def is_only_strict(error: ssl.SSLCertVerificationError) -> bool:
    """Return whether *error* comes from the strict RFC 5280 checks of Python 3.13.

    The certificate authorities of several distributions fail them
    (https://github.com/kubernetes-client/python/issues/2394).
    """
    return getattr(error, "verify_code", 0) in _STRICT_ONLY


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

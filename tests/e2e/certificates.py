"""The certificates of a throw-away control plane, made with the openssl command."""

from __future__ import annotations

import ssl
from collections.abc import Iterable
from pathlib import Path

from tests import processes


class Certificates:
    """A certificate authority and what it issued, in one directory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory.absolute()
        self.authority = self.directory / "ca.crt"
        self.server = self.directory / "apiserver.crt", self.directory / "apiserver.key"
        self.service_account_key = self.directory / "service-accounts.key"

    def create(self) -> None:
        """Make the authority, the API server's certificate and the signing key."""
        self.directory.mkdir(parents=True, exist_ok=True)
        self._openssl(
            *("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
            *("-nodes", "-days", "30", "-subj", "/CN=kubectl-spy-e2e"),
            *("-keyout", "ca.key", "-out", "ca.crt"),
        )
        names = "IP:127.0.0.1,DNS:localhost,DNS:kubernetes.default.svc"
        self._issue("apiserver", "/CN=kube-apiserver", f"subjectAltName={names}")
        self._openssl("genrsa", "-out", self.service_account_key.name, "2048")

    def issue_client(self, user: str, groups: Iterable[str] = ()) -> tuple[Path, Path]:
        """Return certificate and key of *user*; Kubernetes reads groups from O."""
        subject = "".join(f"/O={group}" for group in groups) + f"/CN={user}"
        return self._issue(stem(user), subject, "extendedKeyUsage=clientAuth")

    def client(self, user: str) -> ssl.SSLContext:
        """Return what an HTTPS client needs to be *user*."""
        context = ssl.create_default_context(cafile=str(self.authority))
        certificate = self.directory / f"{stem(user)}.crt"
        context.load_cert_chain(certificate, certificate.with_suffix(".key"))
        return context

    def _issue(self, name: str, subject: str, extension: str) -> tuple[Path, Path]:
        certificate, key = (
            self.directory / f"{name}.crt",
            self.directory / f"{name}.key",
        )
        (self.directory / f"{name}.ext").write_text(extension + "\n")
        self._openssl(
            *("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"),
            *("-subj", subject, "-keyout", key.name, "-out", f"{name}.csr"),
        )
        self._openssl(
            *("x509", "-req", "-in", f"{name}.csr", "-days", "30"),
            *("-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial"),
            *("-extfile", f"{name}.ext", "-out", certificate.name),
        )
        return certificate, key

    def _openssl(self, *arguments: str) -> None:
        result = processes.run(
            ["openssl", *arguments], cwd=self.directory, capture_output=True, text=True
        )
        if result.returncode != 0:
            raise RuntimeError(f"openssl {arguments[0]}: {result.stderr.strip()}")


def stem(user: str) -> str:
    """Return the file name of a user's certificate, without its suffix."""
    return "client-" + user.replace(":", "-")

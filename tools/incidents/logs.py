"""The logs of containers, as kubelets serve them.

https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/kubelet/server/server.go
"""

from __future__ import annotations

import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class Logs:
    """Serves what containers said last, for all nodes on one port."""

    def __init__(self, certificate: tuple[Path, Path]) -> None:
        said: dict[str, str] = {}

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                root, _, container = self.path.partition("?")[0].partition("Logs/")
                body = said.get(container, "").encode()
                self.send_response(200 if root == "/container" else 404)
                self.send_header("Content-Type", "text/plain")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self._said = said
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*certificate)
        self._server.socket = context.wrap_socket(
            self._server.socket, server_side=True, do_handshake_on_connect=False
        )
        self.port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def write(self, namespace: str, pod: str, container: str, text: str) -> None:
        """Replace the log of a container."""
        self._said[f"{namespace}/{pod}/{container}"] = text

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

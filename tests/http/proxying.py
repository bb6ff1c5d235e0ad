"""An HTTP proxy on loopback."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field


@dataclass
class Proxy:
    """An HTTP proxy for CONNECT; it leads everything to *target*."""

    url: str = ""
    target: tuple[str, int] = ("127.0.0.1", 1)
    wanted: str = ""
    """The Proxy-Authorization that is let through."""
    heads: list[bytes] = field(default_factory=list)


def pump(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while content := source.recv(1 << 16):
            sink.sendall(content)
    for each in (source, sink):
        with suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)


@contextmanager
def proxying(
    target: str, wanted: str = "", tls: ssl.SSLContext | None = None
) -> Iterator[Proxy]:
    """Run a proxy to the server at the URL *target* for the block."""
    host, port = target.rpartition("/")[2].split(":")
    listening = socket.create_server(("127.0.0.1", 0))
    address = f"127.0.0.1:{listening.getsockname()[1]}"
    proxy = Proxy(address, (host, int(port)), wanted)

    def answer(client: socket.socket) -> None:
        head = b""
        while b"\r\n\r\n" not in head and (more := client.recv(1 << 16)):
            head += more
        if not head:
            return  # the program ended just after it had connected
        proxy.heads.append(head)
        if proxy.wanted.encode() not in head:
            client.sendall(b"HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n")
            return
        with socket.create_connection(proxy.target) as server:
            if head.startswith(b"CONNECT"):
                client.sendall(b"HTTP/1.1 200 Go on\r\n\r\n")
            else:  # the server knows paths alone
                method, url, rest = head.split(b" ", 2)
                path = b"/" + url.split(b"/", 3)[3]
                rest = rest.replace(b"\r\n", b"\r\nConnection: close\r\n", 1)
                server.sendall(b" ".join((method, path, rest)))
            back = threading.Thread(target=pump, args=(client, server), daemon=True)
            back.start()
            pump(server, client)
            back.join()

    def serve_one(client: socket.socket) -> None:
        with suppress(OSError):
            wire = tls.wrap_socket(client, server_side=True) if tls else client
            with wire:
                answer(wire)

    def accept() -> None:
        with suppress(OSError):
            while True:
                client, _ = listening.accept()
                threading.Thread(target=serve_one, args=(client,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield proxy
    finally:
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()

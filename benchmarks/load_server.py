"""Serve Pods and a burst of watch events over loopback, faster than they are read.

Enough of a Kubernetes API for kubectl, kubespy and the Python client: discovery (plain
and aggregated), one namespace, Pods, and Pods under other names where there are to be
more types. Everything is encoded before the port is printed.
A watch gets its events in one go and then stays open and silent, as a real one does.
With --tls each event is a TLS record of its own, as from an API server.

Whoever measures steers it: POST /_bench/hold keeps the events of new watches back until
POST /_bench/go, GET /_bench/requests returns the requests since it was last asked.
"""

from __future__ import annotations

import argparse
import json
import socket
import ssl
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import trustme

from benchmarks import objects
from benchmarks.served_types import aggregated_discovery, discovery, served

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
SEND_BYTES = 1 << 20


class Load:
    """What is served: Pods as list items, and the events that follow, as chunks."""

    def __init__(self, pods: int, events: int, types: int = 1, *, apart: bool) -> None:
        self.types = types
        self.at_once = 1 if apart else SEND_BYTES
        self.served = served(types)
        self.items: dict[str, list[tuple[str, bytes]]] = {}
        """What lists hold of each kind, with the names."""
        for index in range(pods):
            item = objects.pod_name(index), objects.list_item(index)
            self.items.setdefault(objects.kind_of(index, types), []).append(item)
        self.pods = pods
        self.churn = [
            (index, chunk(line)) for index, line in objects.churn(pods, events, types)
        ]
        self.go = threading.Event()
        self.go.set()
        self.lock = threading.Lock()
        self.requests: list[str] = []
        self.bursts: dict[tuple[str, frozenset[str]], list[bytes]] = {}
        for kind, _, _, namespaced in self.served:
            if namespaced:
                self.burst(kind, {objects.pod_name(0)} if pods == 1 else set())

    def holds(self, index: int, kind: str, names: set[str]) -> bool:
        """Whether object number *index* is of *kind*, and in *names* (empty: all)."""
        return objects.kind_of(index, self.types) == kind and (
            not names or objects.pod_name(index) in names
        )

    def page(self, kind: str, names: set[str], limit: int, start: int) -> bytes:
        """Return a list of the objects in *names* (empty: all), *limit* at a time."""
        chosen = [
            item
            for name, item in self.items.get(kind, [])
            if not names or name in names
        ]
        end = start + limit if limit else len(chosen)
        metadata: dict[str, object] = {
            "resourceVersion": str(objects.FIRST_RESOURCE_VERSION)
        }
        if end < len(chosen):
            metadata["continue"] = str(end)
            metadata["remainingItemCount"] = len(chosen) - end
        head = {"kind": f"{kind}List", "apiVersion": "v1", "metadata": metadata}
        body = b",".join(chosen[start:end])
        return objects.encode(head)[:-1] + b',"items":[' + body + b"]}\n"

    def initial(self, kind: str, names: set[str]) -> Iterator[bytes]:
        """Yield the ADDED events of a watch that names no resourceVersion."""
        for index in range(self.pods):
            if self.holds(index, kind, names):
                pod = objects.pod_at(index, 0, objects.FIRST_RESOURCE_VERSION)
                pod["kind"] = kind
                yield chunk(objects.watch_event("ADDED", pod))

    def burst(self, kind: str, names: set[str]) -> list[bytes]:
        """Return the events of the objects in *names*, in large pieces to send."""
        with self.lock:
            key = kind, frozenset(names)
            if key not in self.bursts:
                chosen = [
                    data for index, data in self.churn if self.holds(index, kind, names)
                ]
                self.bursts[key] = pieces(chosen, self.at_once)
            return self.bursts[key]


def pieces(chunks: list[bytes], at_once: int) -> list[bytes]:
    """Return *chunks* joined to pieces of about *at_once* bytes, at least one each."""
    size = max(1, sum(map(len, chunks)))
    step = max(1, at_once * len(chunks) // size)
    return [b"".join(chunks[i : i + step]) for i in range(0, len(chunks), step)]


def chunk(data: bytes) -> bytes:
    """Return *data* as one HTTP chunk; an API server sends one for each event."""
    return b"%x\r\n%s\r\n" % (len(data), data)


def initial_end(kind: str) -> bytes:
    """Return the bookmark that ends the initial events of a streaming list."""
    metadata = {
        "resourceVersion": str(objects.FIRST_RESOURCE_VERSION),
        "creationTimestamp": None,
        "annotations": {"k8s.io/initial-events-end": "true"},
    }
    pod = {"kind": kind, "apiVersion": "v1", "metadata": metadata}
    return chunk(objects.watch_event("BOOKMARK", pod))


class Server(ThreadingHTTPServer):
    """Holds the load for its connections, which end with the program."""

    daemon_threads = True

    def __init__(self, load: Load, port: int, tls: ssl.SSLContext | None) -> None:
        self.load = load
        self.tls = tls
        super().__init__(("127.0.0.1", port), Connection)

    def get_request(self) -> tuple[socket.socket, object]:
        """Return the next connection, and who it is with."""
        connection, address = super().get_request()
        if self.tls is not None:
            connection = self.tls.wrap_socket(
                connection, server_side=True, do_handshake_on_connect=False
            )
        return connection, address


class Connection(BaseHTTPRequestHandler):
    """Answers one client, on a thread of its own."""

    protocol_version = "HTTP/1.1"
    server: Server

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        query = {key: values[-1] for key, values in parse_qs(url.query).items()}
        load = self.server.load
        if url.path == "/_bench/requests":
            with load.lock:
                requests, load.requests = load.requests, []
            self.answer(objects.encode(requests))
            return
        with load.lock:
            load.requests.append(f"GET {self.path}")
        within = f"/api/v1/namespaces/{objects.NAMESPACE}/"
        collection = url.path.removeprefix(within).removeprefix("/api/v1/")
        kinds = {each[1]: each[0] for each in load.served if each[3]}
        if collection in kinds:
            kind = kinds[collection]
            if query.get("watch") in ("true", "1"):
                self.watch(kind, query)
            else:
                limit, start = query.get("limit", "0"), query.get("continue", "0")
                self.answer(load.page(kind, selected(query), int(limit), int(start)))
        elif url.path.startswith(f"{within}pods/crasher-"):
            index = int(url.path.rpartition("-")[2])
            pod = objects.pod_at(index, 0, objects.FIRST_RESOURCE_VERSION)
            self.answer(objects.encode(pod))
        else:
            self.discover(url.path)

    def do_POST(self) -> None:
        go = self.server.load.go
        if self.path == "/_bench/go":
            go.set()
        else:
            go.clear()
        self.answer(b"{}")

    def discover(self, path: str) -> None:
        """Answer discovery, and 404 to everything else (/openapi among it)."""
        accept = self.headers.get("Accept", "")
        if "v=v2;" in accept and path in (
            documents := aggregated_discovery(self.server.load.served)
        ):
            self.answer(objects.encode(documents[path]), AGGREGATED)
        elif path in (documents := discovery(self.server.load.served)):
            self.answer(objects.encode(documents[path]))
        else:
            status = {"kind": "Status", "apiVersion": "v1", "status": "Failure"}
            message = "the server could not find the requested resource"
            reason = {"message": message, "reason": "NotFound", "code": 404}
            self.answer(objects.encode({**status, **reason}), code=404)

    def watch(self, kind: str, query: dict[str, str]) -> None:
        """Send the events, then nothing more until the client hangs up."""
        names, load = selected(query), self.server.load
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            streaming = query.get("sendInitialEvents") == "true"
            if streaming or query.get("resourceVersion", "0") in ("", "0"):
                self.connection.sendall(b"".join(load.initial(kind, names)))
            if streaming:
                self.connection.sendall(initial_end(kind))
            load.go.wait()
            for piece in load.burst(kind, names):
                self.connection.sendall(piece)
            while self.connection.recv(1024):
                pass
        except OSError:
            pass
        self.close_connection = True

    def answer(
        self, body: bytes, content_type: str = "application/json", code: int = 200
    ) -> None:
        """Send a whole response."""
        self.send_response(code)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing: /_bench/requests tells."""


def selected(query: dict[str, str]) -> set[str]:
    """Return the names a field selector asks for; the empty set means all."""
    terms = (term.partition("=") for term in query.get("fieldSelector", "").split(","))
    return {value.lstrip("=") for key, _, value in terms if key == "metadata.name"}


def secured() -> tuple[ssl.SSLContext, str]:
    """Return what to serve TLS with, and the PEM of the authority behind it."""
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    return context, authority.cert_pem.bytes().decode()


def main() -> None:
    """Prepare the load, print port and authority as JSON, serve until killed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pods", type=int, default=1)
    parser.add_argument("--events", type=int, default=20_000)
    parser.add_argument("--types", type=int, default=1)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--tls", action="store_true")
    given = parser.parse_args()
    tls, pem = secured() if given.tls else (None, "")
    load = Load(given.pods, given.events, given.types, apart=given.tls)
    with Server(load, given.port, tls) as server:
        told = {"port": server.server_port, "authority": pem}
        print(json.dumps(told), flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()

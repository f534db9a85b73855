"""A real S3 server on loopback (moto's), and a proxy before it that makes faults.

Tests have them as the fixtures `s3` and `faulty_s3` (`tests/conftest.py`).
"""

from __future__ import annotations

import contextlib
import http.client
import logging
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

import boto3
import pytest
from botocore.config import Config
from moto.server import ThreadedMotoServer

ENVIRONMENT = {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "AWS_REGION": "us-east-1",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_CONFIG_FILE": "/nonexistent",
    "AWS_SHARED_CREDENTIALS_FILE": "/nonexistent",
}
"""Credentials that moto takes, and nothing of whoever runs the tests; the address of the server comes to it."""
_CHUNK_BYTES = 1 << 16
_HOP_BY_HOP = frozenset({"connection", "keep-alive", "transfer-encoding", "host"})


class S3:
    """A running server: its address, a client of its own to fill and inspect it, and the environment to reach it."""

    def __init__(self, endpoint: str) -> None:
        self.endpoint = endpoint
        self.client: Any = boto3.client(
            "s3",
            endpoint_url=endpoint,
            region_name="us-east-1",
            aws_access_key_id="testing",
            aws_secret_access_key="testing",  # noqa: S106 (no secret: the server takes any)
            config=Config(retries={"total_max_attempts": 1}),
        )

    @property
    def environment(self) -> dict[str, str]:
        """Environment variables by which libraries find the server and sign in."""
        return {**ENVIRONMENT, "AWS_ENDPOINT_URL": self.endpoint}

    def bucket(self, name: str, objects: Mapping[str, bytes] | None = None) -> str:
        """Make a bucket with objects in it, empty of all others, and return its address."""
        with contextlib.suppress(self.client.exceptions.BucketAlreadyOwnedByYou):
            self.client.create_bucket(Bucket=name)
        for key in self.keys(name):
            self.client.delete_object(Bucket=name, Key=key)
        for key, body in (objects or {}).items():
            self.put(name, key, body)
        return f"s3://{name}"

    def put(self, bucket: str, key: str, body: bytes) -> None:
        """Put an object into a bucket, which anybody may read, by plain HTTP, too."""
        self.client.put_object(Bucket=bucket, Key=key, Body=body, ACL="public-read")

    def get(self, bucket: str, key: str) -> bytes:
        """The content of an object."""
        return bytes(self.client.get_object(Bucket=bucket, Key=key)["Body"].read())

    def keys(self, bucket: str, prefix: str = "") -> list[str]:
        """The keys of all objects of a bucket that begin so."""
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix)
        return [item["Key"] for page in pages for item in page.get("Contents", [])]


@contextlib.contextmanager
def serving() -> Iterator[S3]:
    """Run moto's server on a free port of loopback."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    try:
        yield S3(f"http://{host}:{port}")
    finally:
        server.stop()
        assert server._server is not None
        server._server.server_close()


@dataclass(slots=True)
class Fault:
    """Something that the proxy does wrong, so many times."""

    times: int = 1
    status: int = 0
    """Answer so, with `code` as S3's error and with `headers`, in place of the server."""
    code: str = "SlowDown"
    headers: Mapping[str, str] = field(default_factory=dict)
    break_after: int | None = None
    """Cut the connection (a reset) when so many bytes of the body were sent."""
    shorten_to: int | None = None
    """Send so many bytes of the body, as if that were all that was asked for."""
    stall: float = 0.0
    """Wait so many seconds before the body is sent."""
    unranged: bool = False
    """Send all of an object, whatever range was asked for."""
    hidden: frozenset[str] = frozenset()
    """Headers of the answer that are left out, in lower case; without its length, a body ends with the connection."""
    lose_answer: bool = False
    """Let the server do what was asked, and cut the connection in place of its answer."""
    of: Callable[[Asked], bool] = lambda _: True
    """Which requests are answered so."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that came to the proxy."""

    method: str
    path: str
    headers: dict[str, str]
    """Names in lower case."""

    @property
    def range(self) -> str:
        """The range of bytes that was asked for, such as `0-99`."""
        return self.headers.get("range", "").removeprefix("bytes=")


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore clients that are gone."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class FaultyProxy:
    """A server on loopback that hands all requests on to another one, with faults; it notes what was asked for."""

    def __init__(self, target: str) -> None:
        """Stand before a server, given as `http://127.0.0.1:port`."""
        self._target = target.removeprefix("http://")
        self.faults: list[Fault] = []
        """Faults that are made, the first that fits a request; a used one is taken out."""
        self.log: list[Asked] = []
        self.sent = 0
        """Bytes of bodies that were sent to clients."""
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_GET(self) -> None:
                outer._hand_on(self)

            do_HEAD = do_PUT = do_POST = do_DELETE = do_GET  # noqa: N815

            def log_message(self, *_: object) -> None:
                pass

        self._server = _Server(("127.0.0.1", 0), Handler)
        self.endpoint = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def add(self, fault: Fault) -> None:
        """Make a fault from now on, as often as it says."""
        with self._lock:
            self.faults.append(fault)

    def clear(self) -> None:
        """Make no more faults, and forget what was asked."""
        with self._lock:
            self.faults.clear()
            self.log.clear()
            self.sent = 0

    def asked(self, method: str, path: str = "") -> list[Asked]:
        """The requests of a method whose path has something in it."""
        with self._lock:
            return [asked for asked in self.log if asked.method == method and path in asked.path]

    def _fault_for(self, asked: Asked) -> Fault | None:
        with self._lock:
            self.log.append(asked)
            found = next((fault for fault in self.faults if fault.times > 0 and fault.of(asked)), None)
            if found:
                found.times -= 1
            return found

    def _hand_on(self, handler: BaseHTTPRequestHandler) -> None:
        headers = {name.lower(): value for name, value in handler.headers.items()}
        body = _body_of(handler, headers)
        fault = self._fault_for(Asked(handler.command, handler.path, headers)) or Fault()
        if fault.status:
            _refuse(handler, fault)
            return
        connection = http.client.HTTPConnection(self._target, timeout=300)
        try:
            dropped = _HOP_BY_HOP | ({"range"} if fault.unranged else set())
            passed = {name: value for name, value in headers.items() if name not in dropped}
            connection.request(handler.command, handler.path, body, {**passed, "host": headers.get("host", "")})
            answer = connection.getresponse()
            if fault.lose_answer:
                answer.read()
                _cut(handler)
                return
            self._send(handler, answer, fault)
        finally:
            connection.close()

    def _send(self, handler: BaseHTTPRequestHandler, answer: http.client.HTTPResponse, fault: Fault) -> None:
        length = int(answer.headers.get("content-length") or 0)
        size = length if fault.shorten_to is None else min(length, fault.shorten_to)
        handler.send_response(answer.status)
        for name, value in answer.headers.items():
            if name.lower() not in _HOP_BY_HOP | {"content-length", "server", "date"} | fault.hidden:
                handler.send_header(name, value)
        if "content-length" in fault.hidden:
            handler.send_header("Connection", "close")
        else:
            handler.send_header("Content-Length", str(size))
        handler.end_headers()
        if handler.command == "HEAD":
            return
        time.sleep(fault.stall)
        end = size if fault.break_after is None else min(size, fault.break_after)
        left = end
        while left > 0 and (part := answer.read(min(left, _CHUNK_BYTES))):
            handler.wfile.write(part)
            left -= len(part)
            with self._lock:
                self.sent += len(part)
        if end < size:
            _cut(handler)


def _body_of(handler: BaseHTTPRequestHandler, headers: Mapping[str, str]) -> bytes | None:
    """Read the body of a request, which may come in chunks."""
    if headers.get("expect", "").lower() == "100-continue":
        handler.send_response_only(100)
        handler.end_headers()
    if "chunked" in headers.get("transfer-encoding", ""):
        parts = []
        while size := int(handler.rfile.readline().split(b";")[0], 16):
            parts.append(handler.rfile.read(size))
            handler.rfile.readline()
        while handler.rfile.readline().strip():
            pass
        return b"".join(parts)
    length = int(headers.get("content-length") or 0)
    return handler.rfile.read(length) if length else None


def _refuse(handler: BaseHTTPRequestHandler, fault: Fault) -> None:
    said = f"<?xml version='1.0' encoding='UTF-8'?><Error><Code>{fault.code}</Code><Message>no</Message></Error>"
    handler.send_response(fault.status)
    for name, value in {"Content-Type": "application/xml", **fault.headers, "Content-Length": str(len(said))}.items():
        handler.send_header(name, value)
    handler.end_headers()
    if handler.command != "HEAD":
        handler.wfile.write(said.encode())


def _cut(handler: BaseHTTPRequestHandler) -> None:
    """Reset the connection."""
    handler.wfile.flush()
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.close_connection = True
    handler.connection.close()


@contextlib.contextmanager
def used(environment: Mapping[str, str]) -> Iterator[None]:
    """Let this process, and those that it starts, use a server for `s3://` addresses, and nothing of the user's own."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL_S3", "HTTP_PROXY", "http_proxy"):
            patch.delenv(name, raising=False)
        for name, value in environment.items():
            patch.setenv(name, value)
        yield

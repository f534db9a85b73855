"""Measure reading from an object store on loopback, beside the same file on disk and beside s3fs' own file object.

The store is moto's server in a process of its own. Read are the bytes alone, and the pages of a WARC file; each way by
turns, the shortest time of several rounds counts.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from gristmill.archive import Source, WarcWriter, find_sources, read
from gristmill.archive.opening import open_source
from gristmill.archive.readers import reader_of
from gristmill.stores import Address, filesystem_of
from gristmill.stores.filesystem import path_of

_PART_BYTES = 1 << 16
_SERVER = """
import sys
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
print(server.get_host_and_port()[1], flush=True)
sys.stdin.read()
"""


def main() -> None:
    """Write a file, put it into the store, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=100, help="size of the WARC file, as it is compressed")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, _store():
        path = Path(folder, "pages.warc.gz")
        _write(path, options.megabytes * 1_000_000)
        files: Any = filesystem_of(Address.parse("s3://bench/"))
        files.call_s3("create_bucket", Bucket="bench")
        files.put_file(str(path), "bench/pages.warc.gz")
        disk, stored = find_sources([path])[0], find_sources(["s3://bench/pages.warc.gz"])[0]
        ways: dict[str, Callable[[], BinaryIO]] = {
            "disk": lambda: open_source(disk),
            "Gristmill": lambda: open_source(stored),
            "s3fs": lambda: files.open(path_of(Address.parse(stored.path)), "rb"),
        }
        _print("bytes", {name: _best(options.rounds, lambda way=way: _bytes(way)) for name, way in ways.items()})  # type: ignore[misc]
        _print("pages", {name: _best(options.rounds, lambda way=way: _pages(way, disk)) for name, way in ways.items()})  # type: ignore[misc]
        assert sum(1 for _ in read(stored)) == sum(1 for _ in read(disk))


@contextlib.contextmanager
def _store() -> Iterator[None]:
    with subprocess.Popen(
        [sys.executable, "-c", _SERVER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as server:
        assert server.stdout is not None
        port = server.stdout.readline().strip()
        os.environ |= {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}", "AWS_REGION": "us-east-1"}
        os.environ |= {"AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "testing"}
        yield
        server.terminate()


def _write(path: Path, size: int) -> None:
    choice = random.Random(1)
    words = ["".join(choice.choices("abcdefghijklmnopqrstuvwxyz", k=choice.randrange(2, 10))) for _ in range(20_000)]
    with path.open("wb") as file, WarcWriter(file) as writer:
        number = 0
        while file.tell() < size:
            body = f"<p>{' '.join(choice.choices(words, k=5000))}</p>".encode()
            writer.write_response(f"https://a.example/{number}", "2026-01-01T00:00:00Z", 200, {}, body)
            number += 1


def _bytes(way: Callable[[], BinaryIO]) -> int:
    with way() as file:
        return sum(map(len, iter(lambda: file.read(_PART_BYTES), b"")))


def _pages(way: Callable[[], BinaryIO], source: Source) -> int:
    with way() as file:
        return sum(1 for _ in reader_of("warc")(file, source, 10_000_000))


def _best(rounds: int, action: Callable[[], int]) -> tuple[float, float]:
    """The shortest time by the clock, and of CPU, of this process."""
    times = []
    for _ in range(rounds):
        begun, used = time.perf_counter(), time.process_time()
        action()
        times.append((time.perf_counter() - begun, time.process_time() - used))
    return min(seconds for seconds, _ in times), min(cpu for _, cpu in times)


def _print(what: str, found: dict[str, tuple[float, float]]) -> None:
    print(f"{what:8}{'seconds':>10}{'of disk':>10}{'CPU':>10}")
    for name, (seconds, cpu) in found.items():
        print(f"{name:10}{seconds:8.2f}{seconds / found['disk'][0]:10.2f}{cpu:10.2f}")


if __name__ == "__main__":
    main()

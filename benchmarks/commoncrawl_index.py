"""What questions to a columnar index cost, in requests and bytes: `python benchmarks/commoncrawl_index.py [--rows N]`.

The index is made here, like that of Common Crawl but smaller: rows sorted by key, in files with several row groups,
compressed by gzip. The server of the tests serves it on loopback, and counts.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import io
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet as pq

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from commoncrawl_server import CRAWL, NETWORKS, ArchiveServer

from gristmill.commoncrawl import Index, Pace, Servers, Wanted
from gristmill.fetching.access import Access
from gristmill.wording import size

_PAGES_PER_HOST = 60
_GROUPS_PER_PART = 10
_QUESTIONS = {
    "one host": Wanted(hosts=("host000799.is",)),
    "one host, in a language": Wanted(hosts=("host000799.is",), languages=("isl",)),
    "an address and all below": Wanted(urls=("https://host000799.is/news/*",)),
    "a host that is not there": Wanted(hosts=("nobody.is",)),
    "a top-level domain": Wanted(domains=("is",)),
    "a language (0.5 % of pages)": Wanted(languages=("isl",)),
}


def parts(rows: int, count: int) -> Iterator[bytes]:
    """Make the files of an index, whose hosts are of four top-level domains."""
    random = np.random.default_rng(7)
    hosts = rows // _PAGES_PER_HOST
    names = sorted((tld, f"host{number:06}") for number in range(hosts) for tld in [_tld(number)])
    per_part = -(-len(names) // count)
    for at in range(0, len(names), per_part):
        here = [name for name in names[at : at + per_part] for _ in range(_PAGES_PER_HOST)]
        paths = sorted(
            f"{'news' if page % 3 else 'shop'}/{page:04}-the-name-of-a-page" for page in range(_PAGES_PER_HOST)
        )
        page_paths = np.resize(paths, len(here))
        size_of = len(here)
        digests = [base64.b32encode(random.bytes(20)).decode() for _ in range(size_of)]
        table = pa.table(
            {
                "url_surtkey": [f"{tld},{name})/{path}" for (tld, name), path in zip(here, page_paths, strict=True)],
                "url": [f"https://{name}.{tld}/{path}" for (tld, name), path in zip(here, page_paths, strict=True)],
                "fetch_time": pa.array(
                    random.integers(1_790_000_000, 1_792_000_000, size_of), pa.timestamp("s", "UTC")
                ),
                "fetch_status": pa.array(random.choice([200, 301, 404], size_of, p=[0.8, 0.12, 0.08]), pa.int16()),
                "content_digest": digests,
                "content_mime_detected": random.choice(["text/html", "application/pdf"], size_of, p=[0.97, 0.03]),
                "content_languages": random.choice(
                    ["eng", "deu", "isl", "fra,eng"], size_of, p=[0.6, 0.2, 0.005, 0.195]
                ),
                "warc_filename": [
                    f"crawl-data/{CRAWL}/segments/{1_790_000_000 + number % 100}/warc/{CRAWL}-{number:05}.warc.gz"
                    for number in random.integers(0, 90_000, size_of)
                ],
                "warc_record_offset": pa.array(random.integers(0, 1_200_000_000, size_of), pa.int32()),
                "warc_record_length": pa.array(random.integers(900, 60_000, size_of), pa.int32()),
            }
        )
        sink = io.BytesIO()
        pq.write_table(table, sink, row_group_size=-(-size_of // _GROUPS_PER_PART), compression="gzip")
        yield sink.getvalue()


def _tld(number: int) -> str:
    return "is" if number % 50 == 49 else ("com", "com", "de", "org", "com")[number % 5]


async def ask(server: ArchiveServer, wanted: Wanted) -> int:
    """Ask the index of a server; returns how many captures it has."""
    servers = Servers(server.address, server.address, server.address)
    async with Index.open(Access(networks=NETWORKS), servers, Pace(rate=0)) as index:
        return len([capture async for capture in index.find(wanted, [CRAWL])])


def main() -> None:
    """Make an index, ask it, and print what that cost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=3_000_000)
    parser.add_argument("--parts", type=int, default=20)
    options = parser.parse_args()
    with ArchiveServer() as server:
        server.add_index(parts(options.rows, options.parts))
        files = [data for path, data in server.files.items() if path.endswith("parquet")]
        whole = sum(map(len, files))
        print(f"{options.rows:,} rows, {len(files)} files of {_GROUPS_PER_PART} row groups, {size(whole)}\n")
        for name, wanted in _QUESTIONS.items():
            server.requests.clear()
            began = time.monotonic()
            found = asyncio.run(ask(server, wanted))
            sent = sum(request.sent for request in server.requests)
            ends = sum(request.sent for request in server.requests if request.range.startswith("bytes=-"))
            print(
                f"{name:30}{found:>9,} captures {len(server.requests):>5} requests {size(sent):>9} "
                f"({sent / whole:.2%}; ends of files {size(ends)}) {time.monotonic() - began:5.1f} s"
            )


if __name__ == "__main__":
    main()

"""Write the sample's pages into a WARC file, and their truth into JSON lines."""

from __future__ import annotations

import gzip
import io
import json
import tempfile
import zlib
from pathlib import Path
from typing import Any

import brotli

from gristmill import sample as bundled
from gristmill.archive import Skip, Source, WarcWriter, read
from gristmill.document import Page
from sample.web import SamplePage, Site

__all__ = ["TRUTH", "WARC", "same_pages", "truth", "warc"]

_HOME = Path(__file__).parents[1] / "src" / "gristmill" / "sample"
WARC, TRUTH = _HOME / bundled.WARC.name, _HOME / bundled.TRUTH.name
_PIXEL = bytes.fromhex("47494638396101000100800000000000ffffff21f90401000000002c00000000010001000002024401003b")


def warc(sites: list[Site]) -> bytes:
    """Write all pages, and what a crawl brings along: redirects, pictures, missing pages, revisits."""
    stream = io.BytesIO()
    with WarcWriter(stream) as writer:
        writer.write_info(
            "2024-12-01T00:00:00Z", {"description": "the sample web of Gristmill, every text written for it"}
        )
        for site in sites:
            home, date = f"https://{site.host}/", "2024-12-01T00:00:00Z"
            writer.write_response(f"http://{site.host}/", date, 301, {"Location": home}, b"")
            writer.write_response(
                f"{home}robots.txt", date, 200, {"Content-Type": "text/plain"}, b"User-agent: *\nDisallow: /private/\n"
            )
            writer.write_response(f"{home}pixel.gif", date, 200, {"Content-Type": "image/gif"}, _PIXEL)
            for page in site.pages:
                headers, body = _wire(page)
                writer.write_response(page.url, _date(page), 200, headers, body)
            missing = (
                f"<html><head><title>404</title></head><body><h1>404</h1><p>{site.host}: no such page</p></body></html>"
            )
            writer.write_response(f"{home}missing.html", date, 404, {"Content-Type": "text/html"}, missing.encode())
            writer.write_revisit(site.pages[0].url, "2024-12-02T00:00:00Z", site.pages[0].url)
    return stream.getvalue()


def truth(sites: list[Site]) -> bytes:
    """Write the truth, a line for each page.

    A block's `copy_of` is `[url, block]` of the block it repeats or revises, its `relation` says how.
    """
    pages = [page for site in sites for page in site.pages]
    by_key = {page.key: page for page in pages}
    first: dict[str, tuple[str, int]] = {}
    lines = [json.dumps(_page_truth(page, by_key, first), ensure_ascii=False) for page in pages]
    return ("\n".join(lines) + "\n").encode()


def _page_truth(page: SamplePage, by_key: dict[str, SamplePage], first: dict[str, tuple[str, int]]) -> dict[str, Any]:
    fields = page.text.fields
    blocks = []
    for index, block in enumerate(page.blocks):
        entry: dict[str, Any] = {"text": block.text, "kind": block.kind, "role": block.role}
        if block.relation and block.relation != "same":
            entry |= {"copy_of": _place(block.source, by_key), "relation": block.relation}
        elif block.text in first:
            entry |= {"copy_of": first[block.text], "relation": "same"}
        first.setdefault(block.text, (page.url, index))
        blocks.append(entry)
    facts = {
        "url": page.url,
        "type": fields["type"],
        "lang": page.setting("lang"),
        "encoding": page.setting("encoding"),
        "http_charset": page.setting("http_charset"),
        "meta_charset": page.setting("meta_charset"),
        "title": fields["title"],
    }
    if "copy" in fields:
        facts["copy_of"] = by_key[fields["copy"]].url
    return facts | {"blocks": blocks}


def _place(source: str, by_key: dict[str, SamplePage]) -> tuple[str, int]:
    key, _, number = source.partition("#")
    page = by_key[key]
    return page.url, next(
        index for index, block in enumerate(page.blocks) if block.number == int(number) and block.role != "boilerplate"
    )


def _date(page: SamplePage) -> str:
    return f"{page.text.fields['date']}T12:00:00Z"


def _wire(page: SamplePage) -> tuple[dict[str, str], bytes]:
    """Make headers and body as the server would send them."""
    charset = page.setting("http_charset")
    headers = {"Content-Type": f"text/html; charset={charset}" if charset else "text/html"}
    body = page.body()
    transfer = page.text.fields.get("transfer")
    if transfer == "chunked":
        headers["Transfer-Encoding"] = "chunked"
        chunks = [body[at : at + 1000] for at in range(0, len(body), 1000)]
        body = b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in [*chunks, b""])
    elif transfer:
        headers["Content-Encoding"] = transfer
        body = {"gzip": _gzip, "deflate": zlib.compress, "br": brotli.compress}[transfer](body)
    return headers | {"Content-Length": str(len(body))}, body


def _gzip(body: bytes) -> bytes:
    return gzip.compress(body, mtime=0)


def same_pages(one: bytes, other: bytes) -> bool:
    """Whether two archives hold the same records; the bytes may differ by the release of the compression libraries."""
    return one == other or _unpacked(one) == _unpacked(other)


def _unpacked(archive: bytes) -> list[Page | Skip]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "web.warc.gz"
        path.write_bytes(archive)
        items = list(read(Source(str(path), "sample", "warc", len(archive))))
    for item in items:
        item.offset = 0
        if isinstance(item, Page):
            item.headers.pop("content-length", None)
    return items

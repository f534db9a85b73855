"""The filter `country`: ranges of IP addresses in several forms, addresses of archives, what is stored and selected."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from command import run

import gristmill
from gristmill.archive import read
from gristmill.archive.sources import find_sources
from gristmill.document import Document, Page
from gristmill.engine import InlineEngine
from gristmill.errors import UsageError
from gristmill.filter.country import Country
from gristmill.filter.ip_ranges import read_ranges

RANGES = """first,last,country
192.0.2.0,192.0.2.127,DE
192.0.2.128,192.0.2.255,at
3325256704,3325256959,US
2001:db8::,2001:db8:0:ffff:ffff:ffff:ffff:ffff,FR
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "ranges.csv"
    path.write_text(RANGES)
    return path


@pytest.mark.parametrize(
    ("address", "country"),
    [
        ("192.0.2.0", "DE"),
        ("192.0.2.127", "DE"),
        ("192.0.2.128", "AT"),
        ("192.0.3.0", ""),
        ("192.0.1.255", ""),
        ("198.51.100.7", "US"),  # 3325256704 is 198.51.100.0
        ("::ffff:192.0.2.1", "DE"),
        ("2001:db8:0:1::5", "FR"),
        ("2001:db9::1", ""),
        ("", ""),
        ("mill", ""),
    ],
)
def test_countries_of_addresses(address: str, country: str, file: Path) -> None:
    assert read_ranges(str(file)).country(address) == country


def test_networks(tmp_path: Path) -> None:
    path = tmp_path / "networks.csv"
    path.write_text("network,country\n192.0.2.0/24,DE\n2001:db8::/32,FR\n")
    ranges = read_ranges(str(path))
    assert [ranges.country(address) for address in ("192.0.2.9", "2001:db8:9::1", "192.0.3.1")] == ["DE", "FR", ""]


def test_geolite(tmp_path: Path) -> None:
    """A network without a country of its own has that in which it is registered; one without both has none."""
    blocks = "network,geoname_id,registered_country_geoname_id,is_anonymous_proxy\n"
    (tmp_path / "GeoLite2-Country-Blocks-IPv4.csv").write_text(
        f"{blocks}192.0.2.0/25,2921044,6252001,0\n192.0.2.128/25,,6252001,0\n198.51.100.0/24,,,0\n"
    )
    (tmp_path / "GeoLite2-Country-Blocks-IPv6.csv").write_text(f"{blocks}2001:db8::/32,2921044,,0\n")
    (tmp_path / "GeoLite2-Country-Locations-en.csv").write_text(
        "geoname_id,locale_code,country_iso_code,country_name\n2921044,en,DE,Germany\n6252001,en,US,United States\n"
    )
    ranges = read_ranges(str(tmp_path))
    addresses = ("192.0.2.1", "192.0.2.200", "198.51.100.1", "2001:db8::1")
    assert [ranges.country(address) for address in addresses] == ["DE", "US", "", "DE"]
    (tmp_path / "GeoLite2-Country-Locations-en.csv").write_text("geoname_id,name\n1,x\n")
    with pytest.raises(UsageError, match="no column country_iso_code"):
        read_ranges(str(tmp_path))


@pytest.mark.parametrize("text", ["", "a,b,c\n", "x\n1,2\n", "h,h,h\n192.0.2.0,2001:db8::,DE\n", "h\n\xff\xfe\x00"])
def test_files_without_ranges(text: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text, "latin-1")
    with pytest.raises(UsageError):
        Country(file=str(path)).check()
    with pytest.raises(UsageError, match=r"nowhere.csv: No such file or directory$"):
        Country(file="nowhere.csv").check()
    with pytest.raises(UsageError, match="no files"):
        Country(file=str(tmp_path)).check()
    with pytest.raises(UsageError, match="needs ranges"):
        Country().check()


def test_judging(file: Path) -> None:
    german, unknown = Document(ip="192.0.2.1"), Document()
    assert Country(file=str(file)).judge(german) == (True, "the server is in DE")
    assert Country(file=str(file), only=("de", "AT")).judge(german).passed
    assert not Country(file=str(file), only=("US",)).judge(german).passed
    assert not Country(file=str(file), without=("DE",)).judge(german).passed
    assert Country(file=str(file), only=("US",)).judge(unknown).passed
    assert not Country(file=str(file), unknown=False).judge(unknown).passed


def test_what_is_no_address_is_not_stored() -> None:
    assert Document.of(Page("", b"", ip="<script>")).ip == ""
    assert Document.of(Page("", b"", ip="2001:db8::1")).ip == "2001:db8::1"


def warc(*pages: tuple[str, str]) -> bytes:
    out = io.BytesIO()
    text = "The mill stands by the river and grinds the flour of the whole village, as it has always done. " * 5
    for url, ip in pages:
        body = f"<html lang=en><title>Mill</title><p>{url} {text}".encode()
        payload = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body
        field = f"WARC-IP-Address: {ip}\r\n" if ip else ""
        out.write(
            f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2024-05-01T00:00:00Z\r\n{field}"
            f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(payload)}\r\n\r\n".encode()
            + payload
            + b"\r\n\r\n"
        )
    return out.getvalue()


def test_addresses_of_archives(tmp_path: Path) -> None:
    (tmp_path / "a.warc").write_bytes(warc(("http://a.example/", "192.0.2.1"), ("http://b.example/", "")))
    line = "http://c.example/ 192.0.2.200 20240501000000 text/html"
    payload = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>A mill"
    head = "1 0 Mill\nURL IP-address Archive-date Content-type Archive-length\n"
    first = f"filedesc://x.arc 0.0.0.0 20240501000000 text/plain {len(head)}\n{head}\n"
    (tmp_path / "b.arc").write_text(f"{first}{line} {len(payload)}\n{payload}\n", newline="")
    found = [
        item.ip
        for source in find_sources([str(tmp_path / "a.warc"), str(tmp_path / "b.arc")])
        for item in read(source, 10**6)
        if isinstance(item, Page)
    ]
    assert found == ["192.0.2.1", "", "192.0.2.200"]


def test_it_is_stored_and_can_be_selected_by(tmp_path: Path, file: Path) -> None:
    pages = [("http://a.example/", "192.0.2.1"), ("http://b.example/", "192.0.2.200"), ("http://c.example/", "")]
    (tmp_path / "a.warc").write_bytes(warc(*pages))
    config = gristmill.Config().with_filters(f"country:file={file}", "no-repeated-lines")
    config = config.replace(dedup_method="none")
    made = gristmill.build([tmp_path / "a.warc"], tmp_path / "corpus", config, engine=InlineEngine())
    assert [(page.ip, page.country) for page in made.pages()] == [("192.0.2.1", "DE"), ("192.0.2.200", "AT"), ("", "")]
    assert made.counts["kept"] == 3
    run("export", made.folder, "-o", tmp_path / "de.jsonl", "--where", 'country="DE"')
    (record,) = map(json.loads, (tmp_path / "de.jsonl").read_text().splitlines())
    assert (record["url"], record["ip"], record["country"]) == ("http://a.example/", "192.0.2.1", "DE")
    run("export", made.folder, "-o", tmp_path / "at.jsonl", "--filter", f"country:file={file},only=AT,unknown=no")
    assert [json.loads(line)["country"] for line in (tmp_path / "at.jsonl").read_text().splitlines()] == ["AT"]

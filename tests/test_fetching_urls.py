from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gristmill.fetching.urls import (
    TRACKING,
    authority_of,
    host_of,
    is_tls,
    key_of,
    normalise,
    origin_of,
    port_of,
)

BASE = "https://www.example.org/a/b/c.html?q=1"


@pytest.mark.parametrize(
    ("address", "normal"),
    [
        ("HTTP://Example.ORG:80/", "http://example.org/"),
        ("https://example.org:443", "https://example.org/"),
        ("http://example.org:8080/a", "http://example.org:8080/a"),
        ("http://example.org/a/./b/../c", "http://example.org/a/c"),
        ("http://example.org/../../a", "http://example.org/a"),
        ("http://example.org/a/%2e%2E/b", "http://example.org/b"),
        ("http://example.org//a//b", "http://example.org//a//b"),
        ("http://example.org\\a\\b", "http://example.org/a/b"),
        ("  http://example.org/a\n", "http://example.org/a"),
        ("http://exa\tmple.org/a\r\nb", "http://example.org/ab"),
        ("http://example.org/a b", "http://example.org/a%20b"),
        ("http://example.org/#top", "http://example.org/"),
        ("http://example.org/?#top", "http://example.org/"),
        ("http://example.org/a?", "http://example.org/a"),
        ("http://example.org/a??", "http://example.org/a??"),
        ("http://example.org/a?b=1&a=&c&&a=2", "http://example.org/a?b=1&a=&c&&a=2"),
        ("http://example.org./a", "http://example.org/a"),
        ("http://example.org.:8080/a", "http://example.org:8080/a"),
        ("http://Příklad.CZ/č", "http://xn--pklad-zsa96e.cz/%C4%8D"),
        ("http://ex%41mple.org/", "http://example.org/"),
        ("http://example.org/%7euser/%c3%a9%2f", "http://example.org/~user/%C3%A9%2F"),
        ("http://example.org/a%%32e", "http://example.org/a%%32e"),
        ("http://example.org/a%%3a", "http://example.org/a%%3A"),
        ("http://example.org/%252e", "http://example.org/%252e"),
        ("http:example.org/a", "http://example.org/a"),
        ("http:///example.org/a", "http://example.org/a"),
        ("http://@example.org/", "http://example.org/"),
        ("http://example.org/@me", "http://example.org/@me"),
        ("http://example.org:00080/", "http://example.org/"),
        ("http://[2001:DB8:0:0::1]:80/", "http://[2001:db8::1]/"),
        ("http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/"),
    ],
)
def test_normal_form(address: str, normal: str) -> None:
    assert normalise(address) == normal
    assert normalise(normal) == normal


@pytest.mark.parametrize(
    "host",
    ["2130706433", "0x7f000001", "0x7f.1", "0177.0.0.01", "127.1", "127.0.1", "１２７.0.0.1", "127.0.0.1.", "0x7f.1.."],
)
def test_odd_ways_to_write_an_ipv4_address(host: str) -> None:
    assert normalise(f"http://{host}/") == "http://127.0.0.1/"


@pytest.mark.parametrize(
    "address",
    [
        *[
            "",
            " ",
            "#",
            "a",
            "/a",
            "//example.org/",
            "http:",
            "http://",
            "http:///",
            "http://./",
            "http://..:80/",
            "https://?a",
        ],
        *[
            "ftp://example.org/",
            "file:///etc/passwd",
            "javascript:alert(1)",
            "mailto:a@example.org",
            "data:text/html,a",
        ],
        *["http://user@example.org/", "http://user:secret@example.org/", "http://:secret@example.org/"],
        *["http://exa mple.org/", "http://exa<mple/", "http://example.org:99999/", "http://1.2.3.256/", "http://[::1/"],
        *["http://a\x00b/", "http://\ud800/", "\ud800", "\x00", "view-source:http://example.org/", "blob:http://a/b"],
    ],
)
def test_what_is_no_web_address(address: str) -> None:
    assert normalise(address) == ""


@pytest.mark.parametrize(
    ("address", "joined"),
    [
        ("d.html", "https://www.example.org/a/b/d.html"),
        ("../d", "https://www.example.org/a/d"),
        ("/d", "https://www.example.org/d"),
        ("//example.com/d", "https://example.com/d"),
        ("?p=2", "https://www.example.org/a/b/c.html?p=2"),
        ("#x", "https://www.example.org/a/b/c.html?q=1"),
        ("", "https://www.example.org/a/b/c.html?q=1"),
        ("http://example.com", "http://example.com/"),
        ("mailto:a@example.org", ""),
        ("javascript:void(0)", ""),
        ("//user@example.com/", ""),
    ],
)
def test_joined_to_the_address_of_a_page(address: str, joined: str) -> None:
    assert normalise(address, BASE) == joined


@pytest.mark.parametrize(
    ("query", "left"),
    [
        ("utm_source=a&id=1&utm_medium=b&UTM_Campaign=c", "?id=1"),
        ("fbclid=abc", ""),
        ("id=1&gclid=abc&x=2", "?id=1&x=2"),
        ("utm%5Fsource=a", ""),
        ("_ga=1&_gl=2&mc_cid=3&mc_eid=4&igshid=5&msclkid=6&yclid=7&dclid=8", ""),
        ("cid=1&source=a&keyword=b&ref=c", "?cid=1&source=a&keyword=b&ref=c"),
        ("PHPSESSID=abc&id=1", "?id=1"),
        ("jsessionid=12", ""),
        ("ASPSESSIONIDQQABCDEF=KJH&a=1", "?a=1"),
        ("CFID=12&CFTOKEN=34&a=1", "?a=1"),
        ("sid=0123456789abcdef0123456789abcdef&a=1", "?a=1"),
        ("sid=12&sessionid=news", "?sid=12&sessionid=news"),
        ("sid=internationalisation", "?sid=internationalisation"),
        ("&utm_source=a", ""),
    ],
)
def test_tracking_parameters_and_session_ids_are_removed(query: str, left: str) -> None:
    assert normalise(f"http://example.org/a?{query}") == f"http://example.org/a{left}"


@pytest.mark.parametrize(
    ("path", "left"),
    [
        ("a.jsp;jsessionid=0A1B2C.node1?x=1", "a.jsp?x=1"),
        ("a;JSESSIONID=1;v=2/b", "a;v=2/b"),
        ("a/..;jsessionid=1/b", "b"),
        ("(S(lit3py55t21z5v55vlm25s55))/orderform.aspx", "orderform.aspx"),
        ("a/(X(1)S(lit3py55t21z5v55vlm25s55))/b", "a/(X(1)S(lit3py55t21z5v55vlm25s55))/b"),
        ("wiki/Mercury_(planet)", "wiki/Mercury_(planet)"),
        ("a;b=1", "a;b=1"),
    ],
)
def test_session_ids_in_paths_are_removed(path: str, left: str) -> None:
    assert normalise(f"http://example.org/{path}") == f"http://example.org/{left}"


def test_tracking_names_are_in_lower_case() -> None:
    assert all(name == name.lower() for name in TRACKING)


PIECES = st.sampled_from(
    "http:// https: // / .. . %2e % %%32 2e ;jsessionid= (S( aaaaaaaaaaaaaaaaaaaaaaaa )) ? & utm_source= sid= # @ : "
    ":80 1234567890abcdef [::1] 0x7f é \ud800 \0 \\".split(" ")
)


@given(st.lists(PIECES | st.text(max_size=5), max_size=20).map("".join), st.sampled_from(["", BASE]))
@example("http://a/;jsessionid=x/..;jsessionid=y/", "")
@example("http://a/%%32%65", "")
def test_the_normal_form_is_stable_and_nothing_raises(address: str, base: str) -> None:
    for text in (address, f"http://example.org/{address}", f"http://{address}"):
        url = normalise(text, base)
        assert normalise(url) == url
        if url:
            assert url.isascii()
            assert url.isprintable()
            assert " " not in url
            assert host_of(url)
            assert 0 <= port_of(url) < 65536
            assert url.startswith(origin_of(url) + "/")


@pytest.mark.parametrize("piece", ["a", "%2e", "/", ".", "../", "%", ";jsessionid=1", "é", "&utm_a=1", "?", "@", "("])
def test_long_addresses(piece: str) -> None:
    for start in ("http://example.org/", "http://", ""):
        url = normalise(start + piece * (16_000 // len(piece)), BASE)
        assert normalise(url) == url
        assert normalise(start + piece * (1_000_000 // len(piece)), BASE) == ""


def test_parts_of_an_address() -> None:
    url = normalise("https://[2001:db8::1]:8443/a?b")
    assert (host_of(url), port_of(url), origin_of(url)) == ("2001:db8::1", 8443, "https://[2001:db8::1]:8443")
    assert host_of("http://[::1]/") == "::1"
    assert (port_of("http://[::1]/"), port_of("https://a/"), port_of("http://a:1/")) == (80, 443, 1)
    assert (host_of("http://a/b:c"), authority_of("http://a:1/b"), origin_of("http://a/b")) == ("a", "a:1", "http://a")
    assert is_tls("https://a/")
    assert not is_tls("http://a/")


def test_keys_are_signed_64_bit_hashes() -> None:
    keys = [key_of(f"http://example.org/{number}") for number in range(1000)]
    assert len(set(keys)) == 1000
    assert min(keys) < 0 < max(keys)
    assert all(-(2**63) <= key < 2**63 for key in keys)
    assert key_of("http://example.org/") == -5242817029757127295

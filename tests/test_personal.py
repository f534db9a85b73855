"""Personal data is found where it is, and what looks like it is left alone."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
from growth import check_growth
from hypothesis import given
from hypothesis import strategies as st

from gristmill.errors import UsageError
from gristmill.personal import KINDS, find_personal, mask_personal


def found(text: str, *kinds: str) -> list[tuple[str, str]]:
    return [(one.kind, text[one.start : one.end]) for one in find_personal(text, kinds or KINDS)]


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("Write to john.doe+x@mail.example.co.uk, please", "john.doe+x@mail.example.co.uk"),
        ("Ask 'o'brien@firm.ie'.", "o'brien@firm.ie"),
        ("请联系zhang@example.cn谢谢", "zhang@example.cn"),
        ("jörg@müller.de", "jörg@müller.de"),
        ("<mailto:a@b.org>", "a@b.org"),
        ("Mine is john@example.com. And yours?", "john@example.com"),
        ("a@xn--mller-kva.xn--p1ai", "a@xn--mller-kva.xn--p1ai"),
    ],
)
def test_emails(text: str, address: str) -> None:
    assert found(text) == [("email", address)]


@pytest.mark.parametrize(
    "text", ["icon@2x.png", "lodash@4.17.21", "@handle.", "a @ b.com", "me@localhost", "...@example.com"]
)
def test_what_is_no_email(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "212.58.244.71", "2001:4860:4860::8888", "2a00:1450:4001:81b:0:0:0:200e"]
)
def test_ip_addresses(address: str) -> None:
    assert found(f"The server ({address}) answered.") == [("ip", address)]


@pytest.mark.parametrize(
    "text",
    "192.168.1.1|10.0.0.1|127.0.0.1|256.1.1.1|1.2.3.4.5|version 8.8.8.8|v8.8.8.8|§ "
    "8.8.8.8|12:30:45|std::vector|2001:db8::1|fe80::1|A::B|"
    "224.0.0.1|203.0.113.9".split("|"),
)
def test_what_is_no_public_ip_address(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    "number",
    "+1 212 555 1234|+49 (0)30 1234567|+44 20 7946 0958|+7 (495) 123-45-67|+33123456789|(+34) 912 345 678|0049 30 "
    "1234567|(212) 555-1234|"
    "212-555-1234|212.555.1234|1-800-555-1234|030 1234567|0171/1234567|01 23 45 67 89|(030) 123 45 67|8 (495) "
    "123-45-67|03-1234-5678|"
    "(11) 91234-5678|020\u00a07946\u00a00958|010-12345678".split("|"),
)
def test_phone_numbers(number: str) -> None:
    assert found(f"Ring us: {number} (all day).") == [("phone", number)]


@pytest.mark.parametrize(
    "text",
    ["Tel: 555 1234", "tel. 13812345678", "Telefon 212 555 1234", "☎ 4711 0815", "电话：8765 4321", "Тел.: 765-43-21"],
)
def test_phone_numbers_after_a_word_that_says_so(text: str) -> None:
    assert [kind for kind, _ in found(text)] == ["phone"]


@pytest.mark.parametrize(
    "text",
    "01.02.2020 12:30|05.06.2020 12 14|2020-01-01 10|01 02 03 04 05 06 07|06 07 08 09 10|ISBN "
    "0-306-40615-2|978-0-306-40615-7|"
    "1 000 000 000|+1.234.567.890|$212-555-1234|1998-2004|2010-2011-2012|1234567890|100-200-3000|0.123456789|00000 "
    "00000|"
    "3.14159265|pages 123-134|15(238) 123-4567|001 002 003 004|1,234,567|10.1000/182-030-12345|"
    "(1998) 123-4567|12345-6789|+5 000 000|192.168.100.200|Tel Aviv 2011-2012".split("|"),
)
def test_what_is_no_phone_number(text: str) -> None:
    assert found(f"See {text} there.") == []


def test_only_what_is_asked_for() -> None:
    text = "a@b.org, 8.8.8.8, +1 212 555 1234"
    assert found(text, "ip") == [("ip", "8.8.8.8")]
    assert found(text) == [("email", "a@b.org"), ("ip", "8.8.8.8"), ("phone", "+1 212 555 1234")]
    with pytest.raises(UsageError, match="did you mean 'email'"):
        find_personal(text, ["emial"])
    with pytest.raises(UsageError, match="must be a list"):
        find_personal(text, "email")


def test_masked() -> None:
    assert mask_personal("a@b.org or c@d.org; 8.8.8.8: +1 212 555 1234.") == (
        "<EMAIL> or <EMAIL>; <IP>: <PHONE>.",
        {"email": 2, "ip": 1, "phone": 1},
    )
    assert mask_personal("a@b.org, 8.8.8.8", ["ip"]) == ("a@b.org, <IP>", {"ip": 1})
    assert mask_personal("nothing") == ("nothing", {})


@given(st.text(alphabet="a1 .@+-()/:0Tel2é请\n") | st.text())
def test_spans_are_in_order_and_what_is_masked_is_gone(text: str) -> None:
    spans = find_personal(text)
    assert all(one.start < one.end for one in spans)
    assert all(one.end <= after.start for one, after in itertools.pairwise(spans))
    masked, counts = mask_personal(text)
    assert sum(counts.values()) == len(spans)
    assert not spans or masked != text


@pytest.mark.parametrize(
    "piece", ["a", "a@", "@a.", "@a-", "1.", "1", "(", "+", "1 ", "01 ", "(1)", "2001:", "2000:a:", "a.", "Tel ", "'"]
)
def test_time_grows_with_the_text_and_no_faster(piece: str) -> None:
    def make(length: int) -> Callable[[], object]:
        text = piece * (length // len(piece))
        return lambda: find_personal(text)

    check_growth(make, 40_000, 40_000, least=0.005)

"""Dates as pages write them."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.cleaning.metadata.dates import (
    date_in_address,
    date_in_numbers,
    date_in_words,
    days_between,
    declared_date,
    is_later,
)
from gristmill.cleaning.metadata.months import _NAMES, MONTHS


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2015-03-21", "2015-03-21"),
        ("2015-3-1", "2015-03-01"),
        ("2015-03-21T08:00:00.000Z", "2015-03-21T08:00:00Z"),
        ("2015-03-21 08:00", "2015-03-21T08:00"),
        ("2015-03-21T08:00:00 +0100", "2015-03-21T08:00:00+01:00"),
        ("2015-03-21T08:00:00-05:30", "2015-03-21T08:00:00-05:30"),
        ("2015-03-21 or so", "2015-03-21"),
        ("2015/03/21", "2015-03-21"),
        ("20150321", "2015-03-21"),
        ("20150321T080000Z", "2015-03-21"),
        ("Sat, 21 Mar 2015 08:00:00 GMT", "2015-03-21"),
        ("Saturday, March 21, 2015 - 08:00", "2015-03-21"),
        ("21.3.2015", "2015-03-21"),
        ("21.03.2015, 08:00", "2015-03-21"),
        ("03/21/2015", "2015-03-21"),
        ("21/03/2015", "2015-03-21"),
        ("04/04/2015", "2015-04-04"),
        ("03/04/2015", ""),
        ("2015-02-30", ""),
        ("2015-13-01", ""),
        ("0001-01-01T00:00:00Z", ""),
        ("1970-01-01T00:00:00Z", ""),
        ("2015", ""),
        ("201503211", ""),
        ("yesterday", ""),
        ("", ""),
    ],
)
def test_declared_dates(text: str, iso: str) -> None:
    assert declared_date(text) == iso


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("Published on 21st of March 2015", "2015-03-21"),
        ("Mar. 21, 2015 and May 1, 2016", "2015-03-21"),
        ("Samstag, 21. März 2015", "2015-03-21"),
        ("le 21 février 2015", "2015-02-21"),
        ("21 de agosto de 2015", "2015-08-21"),
        ("21 de março de 2015", "2015-03-21"),
        ("21 luglio 2015", "2015-07-21"),
        ("21 mei 2015", "2015-05-21"),
        ("21 września 2015", "2015-09-21"),
        ("05 Gru 2011", "2011-12-05"),
        ("21. července 2015", "2015-07-21"),
        ("21 июня 2015 г.", "2015-06-21"),
        ("Τετάρτη 21 Δεκέμβρη 2011", "2011-12-21"),
        ("21 Μαΐου 2015", "2015-05-21"),
        ("2015 年 3 月 21 日", "2015-03-21"),
        ("平成27年3月21日", ""),
        ("31 February 2015", ""),
        ("Channel 5 News 2015", ""),
        ("21 mills 2015", ""),
        ("120 March 2015", ""),
    ],
)
def test_dates_in_words(text: str, iso: str) -> None:
    assert date_in_words(text) == iso


def test_no_name_means_two_months() -> None:
    for names in _NAMES.values():
        listed = names.split()
        assert len(listed) == 12
        assert all(MONTHS[name] == number for number, name in enumerate(listed, 1) if name != "-")


def test_croatian_names_mean_other_months() -> None:
    assert date_in_words("21. listopada 2015", "pl") == "2015-11-21"
    assert date_in_words("21. listopada 2015", "hr") == ""


@pytest.mark.parametrize(
    ("lang", "near", "iso"),
    [
        ("", "", ""),
        ("en", "", ""),
        ("en-US", "", "2015-03-04"),
        ("en_us", "", "2015-03-04"),
        ("en-GB", "", "2015-04-03"),
        ("it", "", "2015-04-03"),
        ("en", "2015-03-04", "2015-03-04"),
        ("it", "2015-03-04", "2015-03-04"),
        ("en", "2015-04-03", "2015-04-03"),
        ("en", "2015-05-03", ""),
    ],
)
def test_ambiguous_dates_need_evidence(lang: str, near: str, iso: str) -> None:
    assert date_in_numbers("on 03/04/2015", lang, near) == iso


@pytest.mark.parametrize(
    ("url", "iso"),
    [
        ("https://m.example/2015/03/21/mill", "2015-03-21"),
        ("https://m.example/2015/3/1/mill.html", "2015-03-01"),
        ("https://m.example/news/2015/mar/21/mill", "2015-03-21"),
        ("https://m.example/2015-03-21-mill.html", "2015-03-21"),
        ("https://m.example/20150321/mill", "2015-03-21"),
        ("https://m.example/a/20150321.html", "2015-03-21"),
        ("https://m.example/2015/03/mill", ""),
        ("https://m.example/2015/13/21/mill", ""),
        ("https://m.example/20151399", ""),
        ("https://m.example/201503211234", ""),
        ("https://m.example/1815/03/21/", ""),
        ("https://m.example/id-2015032155", ""),
        ("", ""),
    ],
)
def test_dates_in_addresses(url: str, iso: str) -> None:
    assert date_in_address(url) == iso


def test_later() -> None:
    assert is_later("2015-03-21T08:00:00Z", "2015-03-18T00:00:00Z")
    assert not is_later("2015-03-20", "2015-03-18T00:00:00Z")
    assert not is_later("", "2015-03-18T00:00:00Z")
    assert not is_later("2015-03-20", "")
    assert not is_later("2015-03-20", "unknown")
    assert days_between("2015-03-20", "2015-03-18T00:00:00Z") == 2


@given(
    st.dates(date(1994, 1, 1), date(2099, 12, 31)), st.sampled_from(["%d %B %Y", "%B %d, %Y", "%Y-%m-%d", "%d.%m.%Y"])
)
def test_what_is_written_is_read(day: date, form: str) -> None:
    assert declared_date(day.strftime(form)) == day.isoformat()
    assert is_later((day + timedelta(3)).isoformat(), day.isoformat())


@given(st.text())
def test_any_text_has_a_date_or_none(text: str) -> None:
    for found in (declared_date(text), date_in_words(text), date_in_numbers(text), date_in_address(text)):
        if found:
            date.fromisoformat(found[:10])

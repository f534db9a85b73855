"""What is sent and kept for the sake of those who run servers: the name of the crawler, and waiting."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.errors import UsageError
from gristmill.fetching.agent import user_agent
from gristmill.fetching.waiting import retry_after
from gristmill.version import __version__

NOW = 1_700_000_000.0  # Tue, 14 Nov 2023 22:13:20 GMT


@pytest.mark.parametrize(
    "contact", ["crawl@example.org", "a.b+c@sub.example.co", "https://example.org/crawl?x=1", "http://a/"]
)
def test_user_agent(contact: str) -> None:
    assert user_agent(contact) == f"gristmill/{__version__} (+{contact})"


@pytest.mark.parametrize(
    "contact",
    [
        *["", " ", "me", "me@", "@example.org", "a b@example.org", "example.org", "ftp://example.org/", "http://"],
        *[
            "a@example.org\r\nX: y",
            "a@example.org\n",
            "https://example.org/\r\nX: y",
            "https://example.org/a b",
            "a@é.org",
        ],
        *["https://example.org/)(", "https://user:secret@example.org/", "https://example.org/\x7f", "a@b" * 100],
        *["a@" + "b" * 300, "\ud800@example.org"],
    ],
)
def test_what_is_no_contact(contact: str) -> None:
    with pytest.raises(UsageError, match="contact"):
        user_agent(contact)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120.0),
        (" 0 ", 0.0),
        ("120, 60", 120.0),
        ("99999999999999999999", 7 * 86_400.0),
        ("Tue, 14 Nov 2023 22:14:20 GMT", 60.0),
        ("Tuesday, 14-Nov-23 22:14:20 GMT", 60.0),
        ("Tue, 14 Nov 2023 22:00:00 GMT", 0.0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 7 * 86_400.0),
        *[
            ("", None),
            ("soon", None),
            ("-1", None),
            ("1.5", None),
            ("²", None),
            ("Tue, 99 Nov 2023 22:14:20 GMT", None),
        ],
    ],
)
def test_retry_after(value: str, seconds: float | None) -> None:
    assert retry_after({"retry-after": value}, NOW) == seconds
    assert retry_after({}, NOW) is None


@given(st.text())
def test_no_retry_after_can_do_harm(value: str) -> None:
    seconds = retry_after({"retry-after": value}, NOW)
    assert seconds is None or 0 <= seconds <= 7 * 86_400


MISSING = """
import sys
sys.modules[sys.argv[2]] = None
import gristmill, gristmill.fetching, gristmill.fetching.networks, gristmill.fetching.waiting
try:
    __import__(sys.argv[1])
except gristmill.UsageError as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("module", "library"),
    [
        ("gristmill.fetching.urls", "ada_url"),
        ("gristmill.fetching.client", "aiohttp"),
        ("gristmill.fetching.robots", "protego"),
    ],
)
def test_without_the_extra_the_error_says_what_to_install(module: str, library: str) -> None:
    ran = subprocess.run([sys.executable, "-c", MISSING, module, library], capture_output=True, text=True, check=True)
    assert ran.stdout.strip().endswith("pip install 'gristmill[crawl]'")

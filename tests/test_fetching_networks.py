from __future__ import annotations

from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.errors import UsageError
from gristmill.fetching.networks import Networks

PUBLIC = """
8.8.8.8 1.1.1.1 93.184.215.14 100.63.255.255 100.128.0.0 172.15.255.255 172.32.0.0 198.17.255.255 198.20.0.0
223.255.255.255 2606:4700::1111 2a00:1450:4014:80a::200e ::ffff:8.8.8.8 64:ff9b::8.8.8.8 2002:808:808::1
""".split()

REFUSED = """
0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 127.0.0.1 127.255.255.254 169.254.169.254 172.16.0.1 192.0.0.1 192.0.0.9
192.0.0.170 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1
239.255.255.255 240.0.0.1 255.255.255.255 168.63.129.16
:: ::1 ::8.8.8.8 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:0:8.8.8.8 64:ff9b::10.0.0.1
64:ff9b::169.254.169.254 64:ff9b:1::8.8.8.8 2002:7f00:1:: 2002:a9fe:a9fe::1 2001::1
2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:2::1 2001:10::1 2001:20::1 2001:db8::1 100::1 3fff::1 5f00::1 fc00::1
fd00:ec2::254 fe80::1 fe80::1%eth0 fec0::1 ff02::1 4000::1 2606:4700::1111%eth0
""".split()


@pytest.mark.parametrize("ip", PUBLIC)
def test_the_public_internet(ip: str) -> None:
    assert Networks().refusal(ip) == ""


@pytest.mark.parametrize("ip", REFUSED)
def test_what_is_not_public(ip: str) -> None:
    assert Networks().refusal(ip)


@pytest.mark.parametrize(
    "ip", ["", "example.org", "127.1", "0x7f.0.0.1", "2130706433", "1.2.3.4:80", "[::1]", "127.0.0.01", "\0"]
)
def test_what_is_no_address(ip: str) -> None:
    assert Networks().refusal(ip) == "not an IP address"
    assert Networks(["0.0.0.0/0", "::/0"]).refusal(ip)


def test_what_the_user_allows() -> None:
    networks = Networks(["127.0.0.0/8", "fd00::/8", " 10.0.0.1 "])
    for ip in ("127.0.0.1", "127.9.9.9", "::ffff:127.0.0.1", "fd00::1", "10.0.0.1", "8.8.8.8"):
        assert networks.refusal(ip) == ""
    for ip in ("10.0.0.2", "::1", "fe80::1", "fc00::1"):
        assert networks.refusal(ip)


@pytest.mark.parametrize("text", ["", "localhost", "127.0.0.0/33", "1.2.3", "127.*", "all"])
def test_what_is_no_network(text: str) -> None:
    with pytest.raises(UsageError, match="not a network"):
        Networks([text])


@given(st.ip_addresses())
def test_what_python_takes_for_special_is_refused(address: object) -> None:
    known = ip_address(str(address))
    if known.is_private or known.is_loopback or known.is_link_local or known.is_multicast or known.is_unspecified:
        embedded = getattr(known, "ipv4_mapped", None)
        assert embedded or Networks().refusal(str(address))

"""Which addresses may be called."""

from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.providers.guard import Guard, RefusedTargetError

PUBLIC = Guard()
DEVELOPMENT = Guard(loopback=True)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/",
        "http://127.1/",
        "http://2130706433/",
        "http://0x7f000001/",
        "http://0x7f.0.0.1/",
        "http://0177.0.0.1/",
        "http://017700000001/",
        "http://0/",
        "http://0.0.0.0/",
        "http://10.0.0.1/",
        "http://172.16.0.1/",
        "http://192.168.1.1/",
        "http://169.254.169.254/latest/meta-data/",
        "http://100.100.100.200/",
        "http://224.0.0.1/",
        "http://240.0.0.1/",
        "http://255.255.255.255/",
        "http://[::1]/",
        "http://[::]/",
        "http://[::ffff:127.0.0.1]/",
        "http://[::ffff:a9fe:a9fe]/",
        "http://[::127.0.0.1]/",
        "http://[64:ff9b::7f00:1]/",
        "http://[64:ff9b::a9fe:a9fe]/",
        "http://[2002:7f00:1::]/",
        "http://[fe80::1]/",
        "http://[fe80::1%25eth0]/",
        "http://[fc00::1]/",
        "http://[fd00:ec2::254]/",
        "http://[fec0::1]/",
        "http://[ff02::1]/",
        "http://user@example.com/",
        "http://user:password@example.com/",
        "http://example.com@127.0.0.1/",
        "http://127.0.0.1#@example.com/",
        "http://127.0.0.1\\@example.com/",
        "http://exa mple.com/",
        "http://example.com\r\n/",
        "http://example.com:99999/",
        "http://①②⑦.⓪.⓪.①/",
        "ftp://example.com/",
        "file:///etc/passwd",
        "gopher://example.com/",
        "//example.com/",
        "example.com",
        "http:///path",
        "http://-a.example/",
        "",
    ],
)
def test_refuses(url: str) -> None:
    with pytest.raises(RefusedTargetError):
        PUBLIC.check_url(url)


@pytest.mark.parametrize(
    ("url", "host", "port"),
    [
        ("https://example.com/a?b=c", "example.com", 443),
        ("http://example.com", "example.com", 80),
        ("https://EXAMPLE.com:8443/", "example.com", 8443),
        ("https://bücher.example/", "xn--bcher-kva.example", 443),
        ("https://8.8.8.8/", "8.8.8.8", 443),
        ("https://[2606:4700::1111]/", "2606:4700::1111", 443),
        ("https://[::ffff:8.8.8.8]/", "::ffff:808:808", 443),
        ("https://my_service.example.com./", "my_service.example.com.", 443),
    ],
)
def test_lets_pass(url: str, host: str, port: int) -> None:
    target = PUBLIC.check_url(url)
    assert (ip_address(target.host) if ":" in host else target.host) == (
        ip_address(host) if ":" in host else host
    )
    assert target.port == port


def test_development_allows_loopback_and_nothing_else() -> None:
    DEVELOPMENT.check_url("http://127.0.0.1:9000/")
    DEVELOPMENT.check_url("http://[::1]/")
    DEVELOPMENT.check_url("http://[::ffff:127.0.0.1]/")
    for url in ("http://10.0.0.1/", "http://169.254.169.254/", "http://0.0.0.0/"):
        with pytest.raises(RefusedTargetError, match="TIDINGS_OUTBOUND_ALLOW"):
            DEVELOPMENT.check_url(url)


def test_networks_can_be_allowed() -> None:
    guard = Guard(["10.1.0.0/16", "fd12::/16"])
    guard.check_url("http://10.1.2.3/")
    guard.check_url("http://[::ffff:10.1.2.3]/")
    guard.check_url("http://[fd12::1]/")
    with pytest.raises(RefusedTargetError):
        guard.check_url("http://10.2.0.1/")


@given(st.ip_addresses(v=4))
def test_a_mapped_address_is_judged_as_the_one_inside(address: object) -> None:
    def passes(text: str) -> bool:
        try:
            PUBLIC.check_address(ip_address(text))
        except RefusedTargetError:
            return False
        return True

    assert passes(f"::ffff:{address}") is passes(str(address))


@given(st.text())
def test_any_text_is_judged(url: str) -> None:
    for text in (url, f"http://{url}"):
        try:
            PUBLIC.check_url(text)
        except RefusedTargetError:
            continue

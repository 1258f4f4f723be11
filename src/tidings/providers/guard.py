"""Which addresses outgoing calls may reach. Pure: names are resolved elsewhere, judged here.

Refused are private, loopback, link-local (where clouds keep their metadata), shared, multicast,
reserved and unspecified addresses, also when they are wrapped in an IPv6 address or spelled in
another way; and addresses with a user name, another scheme or anything that two readers could take
for two different hosts.
"""

import re
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import urlsplit

import msgspec

Address = IPv4Address | IPv6Address

_NAT64 = ip_network("64:ff9b::/96")
_HOST = re.compile(r"[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*\.?")
_MOST_PASSED = 1000
_NUMBER = re.compile(r"(0x[0-9a-f]*|\d+)")


class RefusedTargetError(Exception):
    """This address may not be called, now or later; the message says why and what to do."""


class Target(msgspec.Struct, frozen=True):
    host: str
    port: int
    secure: bool
    authority: str
    """Host and port as the Host header has them."""
    path: str
    """With the query, exactly as given: signatures depend on it."""


class Guard:
    def __init__(self, allow: Iterable[str] = (), loopback: bool = False) -> None:
        self._allowed = [ip_network(network) for network in allow]
        self._loopback = loopback
        self._passed: dict[str, Target] = {}

    def check_url(self, url: str) -> Target:
        """Where an http address leads; raises for one that cannot be called whatever it resolves
        to. Addresses that passed are remembered, since few are called often."""
        if (known := self._passed.get(url)) is not None:
            return known
        if re.search(r"[\x00-\x20\x7f\\]", url):
            raise RefusedTargetError("The address holds spaces, control characters or backslashes.")
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError:
            raise RefusedTargetError("The address cannot be read.") from None
        if parts.scheme not in ("http", "https"):
            raise RefusedTargetError("Only http and https addresses can be called.")
        if "@" in parts.netloc:
            raise RefusedTargetError("The address holds a user name or password.")
        secure = parts.scheme == "https"
        host = self.check_host(parts.hostname or "")
        usual = 443 if secure else 80
        written = f"[{host}]" if ":" in host else host
        path = url.partition("//")[2].removeprefix(parts.netloc).partition("#")[0]
        target = Target(
            host,
            port or usual,
            secure,
            authority=written if port in (None, usual) else f"{written}:{port}",
            path=path if path.startswith("/") else f"/{path}",
        )
        if len(self._passed) >= _MOST_PASSED:
            self._passed.clear()
        self._passed[url] = target
        return target

    def check_host(self, host: str) -> str:
        """The host as it shall be resolved. Numbers must be written as dotted quads or IPv6."""
        if literal := _literal(host):
            self.check_address(literal)
            return str(literal)
        try:
            name = host.lower() if host.isascii() else host.encode("idna").decode()
        except UnicodeError:
            name = ""
        if not _HOST.fullmatch(name) or len(name) > 253:
            raise RefusedTargetError(f"{host[:80]!r} is not a host name.")
        if _NUMBER.fullmatch(name.rstrip(".").rpartition(".")[2]):
            raise RefusedTargetError(
                f"{host[:80]!r} is an unusual spelling of an address; write it as a dotted quad."
            )
        return name

    def check_address(self, address: Address) -> None:
        """Called for every address that a connection would be made to."""
        faces = _faces(address)
        if any(face in network for face in faces for network in self._allowed):
            return
        if self._loopback and all(face.is_loopback for face in faces):
            return
        if not all(_public(face) for face in faces):
            raise RefusedTargetError(
                f"{address} is a private, loopback, link-local or reserved address. To let calls "
                "reach it, add its network to TIDINGS_OUTBOUND_ALLOW."
            )


def _literal(host: str) -> Address | None:
    try:
        return ip_address(host.strip("[]").partition("%")[0])
    except ValueError:
        return None


def _faces(address: Address) -> list[Address]:
    """The addresses that this one may lead to: itself, or the IPv4 address that it stands for, or
    both where the route decides."""
    if isinstance(address, IPv4Address):
        return [address]
    if address.ipv4_mapped is not None:
        return [address.ipv4_mapped]
    if address in _NAT64:
        return [IPv4Address(int(address) & 0xFFFFFFFF)]
    inner = address.sixtofour or (address.teredo[1] if address.teredo else None)
    return [address] if inner is None else [address, inner]


def _public(address: Address) -> bool:
    if isinstance(address, IPv6Address) and address.is_site_local:
        return False
    return address.is_global and not (
        address.is_multicast
        or address.is_reserved
        or address.is_private
        or address.is_link_local
        or address.is_loopback
        or address.is_unspecified
    )

"""Where the dashboard is: every link goes through here, so that it works behind any proxy."""

import re
from urllib.parse import quote, urlencode, urlsplit

from litestar.types import Scope

DASHBOARD = "/dashboard"
GLOBAL_STEPS = frozenset(
    {"audit", "environments", "first-owner", "oidc", "password", "settings", "sign-in", "sign-out"}
    | {"static", "theme", "users"}
)
"""The first steps of paths about the whole installation; all others are environments."""
_PREFIX = re.compile(r"(/[\w.~-]+)*")


class Places:
    """Paths and addresses as this request's visitor sees them."""

    def __init__(self, origin: str, prefix: str, secure: bool) -> None:
        self.origin = origin
        self.prefix = prefix
        self.secure = secure

    @classmethod
    def of(cls, scope: Scope, public_url: str | None) -> "Places":
        """From the setting, or else from what the proxy in front says."""
        if public_url is not None:
            parts = urlsplit(public_url)
            origin = f"{parts.scheme}://{parts.netloc}"
            return cls(origin, parts.path.rstrip("/"), parts.scheme == "https")
        prefix = _header(scope, b"x-forwarded-prefix") or scope.get("root_path", "")
        prefix = prefix.rstrip("/")
        proto = _header(scope, b"x-forwarded-proto").split(",")[0].strip()
        scheme = proto if proto in ("http", "https") else scope.get("scheme", "http")
        host = _header(scope, b"x-forwarded-host") or _header(scope, b"host")
        if not _PREFIX.fullmatch(prefix):
            prefix = ""
        return cls(f"{scheme}://{host}", prefix, scheme == "https")

    @property
    def base(self) -> str:
        """The path of the dashboard itself, for cookies."""
        return self.prefix + DASHBOARD

    def path(self, *steps: str, **query: str | None) -> str:
        """`path("users", id)`: a path below the dashboard; steps are quoted, empty queries left
        out."""
        below = "".join("/" + quote(step, safe="") for step in steps)
        given = {name.rstrip("_"): value for name, value in query.items() if value}
        return self.base + below + ("?" + urlencode(given) if given else "")

    def api(self, path: str) -> str:
        """A path of another door, such as `/docs`."""
        return self.prefix + path

    def address(self, path: str) -> str:
        """The full address of a path of ours, for others to come back to."""
        return self.origin + path


def _header(scope: Scope, wanted: bytes) -> str:
    for name, value in scope["headers"]:
        if name == wanted:
            return value.decode("latin-1").strip()
    return ""

"""Looks of an e-mail: what a document may say about them, and what holds when it says nothing."""

import re
from collections.abc import Mapping
from typing import Any

FONT = "-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
TEXT = "#374151"
HEADING = "#111827"
MUTED = "#64748b"
LINE = "#e5e7eb"

SHEET = """\
body{margin:0;padding:0;width:100%;-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}
table{border-collapse:separate;mso-table-lspace:0;mso-table-rspace:0}
img{border:0;max-width:100%;height:auto;line-height:100%;outline:none;text-decoration:none}
p,h1,h2,h3,h4,h5,h6,ul,ol,blockquote{overflow-wrap:break-word;word-break:break-word}
@media only screen and (max-width:480px){
.t-column{display:block!important;width:100%!important;box-sizing:border-box;padding-bottom:16px}
.t-gap{display:none!important}
.t-inner{padding:20px!important}
}
@media (prefers-color-scheme:dark){
.t-page{background-color:#111827!important}
.t-card{background-color:#1f2937!important}
.t-text{color:#e5e7eb!important}
.t-head{color:#f9fafb!important}
.t-lit{color:#374151!important}
.t-lit .t-text{color:#374151!important}
.t-lit .t-head{color:#111827!important}
}"""

_COLOR = re.compile(
    r"#[0-9a-fA-F]{3,8}|[a-zA-Z]{3,24}"
    r"|rgba?\(\s*[0-9]{1,3}%?(\s*,\s*[0-9]{1,3}%?){2}(\s*,\s*[0-9.]{1,5}%?)?\s*\)"
)
_NUMBER = re.compile(r"([0-9]{1,4})(\.[0-9]{1,3})?(px|%)?")
_ALIGNMENTS = frozenset(("left", "center", "right", "justify"))
_RADII = {"sharp": 0, "smooth": 6, "round": 9999}
_SPACERS = {"sm": 8, "md": 16, "lg": 32, "xl": 64}
_SIDES = ("Top", "Right", "Bottom", "Left")


def color(value: Any, default: str = "") -> str:
    """A colour that is written as one, else the default."""
    if isinstance(value, str) and _COLOR.fullmatch(value.strip()):
        return value.strip()
    return default


def align(value: Any, default: str = "left") -> str:
    return value if isinstance(value, str) and value in _ALIGNMENTS else default


def pixels(value: Any, default: int = 0, *, most: int = 1200) -> int:
    if isinstance(value, bool) or value is None:
        return default
    match = _NUMBER.fullmatch(str(value).strip())
    if match is None or match.group(3) == "%":
        return default
    return min(int(match.group(1)), most)


def percent(value: Any) -> int | None:
    """Of a width given as `50%` or, for columns, as 50."""
    match = _NUMBER.fullmatch(str(value).strip())
    if match is None or match.group(3) == "px" or int(match.group(1)) > 100:
        return None
    return int(match.group(1)) or None


def radius(value: Any, default: int = 0) -> int:
    return _RADII[value] if value in _RADII else pixels(value, default, most=9999)


def space(value: Any) -> int:
    return _SPACERS[value] if value in _SPACERS else pixels(value, 16, most=400)


def box(attrs: Mapping[str, Any], name: str, default: tuple[int, int, int, int]) -> str:
    """`padding` or `margin` of the four sides."""
    sides = [
        pixels(attrs.get(f"{name}{side}"), value, most=200)
        for side, value in zip(_SIDES, default, strict=True)
    ]
    return f"{name}:{' '.join(f'{side}px' for side in sides)}"

"""Makes HTML from templates safe to send and to show."""

import re
from functools import lru_cache

import nh3

from tidings.rendering import urls
from tidings.rendering.templates import Fault, TemplateError


def names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_LARGEST = 2_000_000
_MOST_TAGS = 50_000
_DEEPEST = 256
_DEEPEST_FORMATTING = 24

_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
_LOOKS_LIKE_MARKUP = re.compile(r"<[a-zA-Z/!?]")
_BARE_AMPERSAND = re.compile(r"&amp;(?![#a-zA-Z0-9])")
_SELF_CLOSING = names(
    "area base br col embed hr img input link meta param source track wbr p li td th tr tbody "
    "thead tfoot dd dt option colgroup caption html head body"
)
"""Elements that end by themselves, or when the next of their kind begins."""
_FORMATTING = names("a b big code em font i nobr s small strike strong tt u")

_EMAIL_TAGS = names(
    "a abbr acronym address article aside b bdi bdo big blockquote br caption center cite "
    "code col colgroup data dd del details dfn div dl dt em figcaption figure font footer h1 "
    "h2 h3 h4 h5 h6 header hgroup hr i img ins kbd li main map mark nav ol p picture pre q rp "
    "rt ruby s samp section small span strike strong sub summary sup table tbody td tfoot th "
    "thead time tr tt u ul var wbr"
)
_DROPPED_WHOLE = names(
    "script style iframe object embed applet noscript noembed noframes template svg math "
    "title textarea select frameset audio video canvas xmp plaintext"
)
_EVERYWHERE = names("style class id dir lang title role align valign bgcolor width")
_EMAIL_ATTRIBUTES: dict[str, set[str]] = {
    "*": {*_EVERYWHERE, "height", "aria-hidden", "aria-label"},
    "a": {"href", "target", "name"},
    "img": {"src", "srcset", "alt", "border", "loading", "hspace", "vspace"},
    "table": {"border", "cellpadding", "cellspacing", "background", "summary"},
    "td": {"colspan", "rowspan", "nowrap", "background", "abbr", "headers", "scope"},
    "th": {"colspan", "rowspan", "nowrap", "background", "abbr", "headers", "scope"},
    "ol": {"start", "type", "reversed"},
    "ul": {"type"},
    "li": {"value", "type"},
    "font": {"color", "face", "size"},
    "hr": {"color", "size", "noshade"},
    "col": {"span"},
    "colgroup": {"span"},
    "time": {"datetime"},
    "blockquote": {"cite"},
}
_INLINE_TAGS = names("a b br code del em i mark s small span strong sub sup u")
_INLINE_ATTRIBUTES: dict[str, set[str]] = {"a": {"href", "target"}, "span": {"style"}}

_PROPERTY = re.compile(r"-?[a-zA-Z][a-zA-Z\-]*")
_DANGEROUS_CSS = re.compile(
    r"(?i)expression|javascript|vbscript|behaviou?r|-moz-binding|@import|@charset|[\\<]|/\*"
)
_CSS_ADDRESS = re.compile(r"""(?i)url\(\s*(['"]?)https?://[^'"()\s\\]*\1\s*\)""")
_STYLE_BLOCK = re.compile(r"(?i)<style\b[^<>]*>([^<]*)</style\s*>")
_NEVER = frozenset(("position", "behavior", "-moz-binding", "z-index"))


def clean(html: str) -> str:
    """E-mail safe HTML: looks stay, anything that acts goes."""
    return _email.clean(_measured(html))


def clean_inline(html: str) -> str:
    """In-app text: a few inline elements. A text without any comes back as it is."""
    if not _LOOKS_LIKE_MARKUP.search(html):
        return html
    return _BARE_AMPERSAND.sub("&", _inline.clean(_measured(html)))


def clean_style(value: str) -> str:
    """The declarations of a `style` attribute that only concern looks."""
    return _remembered_style(value) if len(value) <= _SHORT_STYLE else _clean_style(value)


def _clean_style(value: str) -> str:
    kept = []
    for declaration in value.split(";"):
        name, colon, content = declaration.partition(":")
        name, content = name.strip().lower(), content.strip()
        if colon and _PROPERTY.fullmatch(name) and name not in _NEVER and _harmless(content):
            kept.append(f"{name}:{content}")
    return ";".join(kept)


_SHORT_STYLE = 500
_remembered_style = lru_cache(2048)(_clean_style)
"""The styles of a layout are the same in every mail."""


def style_sheets(html: str) -> str:
    """The harmless rules of all `<style>` elements, for the head of the document."""
    found = (match.group(1) for match in _STYLE_BLOCK.finditer(without_comments(html)))
    return "\n".join(sheet.strip() for sheet in found if _harmless(sheet))


def without_comments(html: str) -> str:
    parts, position = [], 0
    while (start := html.find("<!--", position)) >= 0:
        parts.append(html[position:start])
        end = html.find("-->", start + 4)
        if end < 0:
            return "".join(parts)
        position = end + 3
    parts.append(html[position:])
    return "".join(parts)


def _harmless(css: str) -> bool:
    bare = "".join(character for character in css if character.isprintable() or character in "\n\t")
    if _DANGEROUS_CSS.search(bare):
        return False
    return "url(" not in _CSS_ADDRESS.sub("", bare).lower()


def _attribute(tag: str, name: str, value: str) -> str | None:
    if name == "style":
        return clean_style(value) or None
    if name == "href":
        return urls.link(value) or None
    if name in ("src", "background"):
        return urls.image(value) or None
    if name == "srcset":
        parts = [part.strip() for part in value.split(",")]
        return value if all(part.startswith("https://") for part in parts) else None
    if name == "target":
        return value if value in ("_blank", "_self", "_parent", "_top") else None
    return value


def _measured(html: str) -> str:
    """Without comments, and refused when the parser would need too long for it.

    The parser looks through all open elements at every new one, so depth costs squared time.
    """
    if len(html) > _LARGEST:
        raise _refused(f"The HTML is longer than {_LARGEST} characters; shorten it.")
    html = without_comments(html)
    still_open: dict[str, int] = {}
    depth = formatting = 0
    for count, match in enumerate(_TAG.finditer(html)):
        closing, tag = match.group(1), match.group(2).lower()
        if tag in _SELF_CLOSING:
            continue
        step = -min(1, still_open.get(tag, 0)) if closing else 1
        still_open[tag] = still_open.get(tag, 0) + step
        depth += step
        formatting += step if tag in _FORMATTING else 0
        if depth > _DEEPEST or formatting > _DEEPEST_FORMATTING or count > _MOST_TAGS:
            raise _refused("The HTML is nested too deeply; close its elements or make it flatter.")
    return html


def _refused(message: str) -> TemplateError:
    return TemplateError(Fault(message, "limit"))


_email = nh3.Cleaner(
    tags=set(_EMAIL_TAGS),
    clean_content_tags=set(_DROPPED_WHOLE),
    attributes=_EMAIL_ATTRIBUTES,
    attribute_filter=_attribute,
    url_schemes={"http", "https", "mailto", "tel", "cid"},
)
_inline = nh3.Cleaner(
    tags=set(_INLINE_TAGS),
    clean_content_tags=set(_DROPPED_WHOLE),
    attributes=_INLINE_ATTRIBUTES,
    attribute_filter=_attribute,
    url_schemes={"http", "https", "mailto", "tel"},
)

"""Text, marks and variables of a block document, as pieces of a Liquid template for HTML."""

import html
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tidings.rendering import styles
from tidings.rendering.values import as_text

Node = Mapping[str, Any]
Scope = tuple[tuple[str, str], ...]
"""The lists being repeated, innermost last: the path of each, and the name of its item."""

_CURRENT = "current"
_OPENING = re.compile(r"\{[{%]")
_BRACKETS = ("{{", "}}", "{%", "%}")


def content(nodes: Sequence[Node], scope: Scope) -> str:
    return "".join(_INLINE.get(kind(node), _unknown)(node, scope) for node in nodes)


def kind(node: Node) -> str:
    return str(node.get("type") or "")


def attributes(node: Node) -> Mapping[str, Any]:
    attrs = node.get("attrs")
    return attrs if isinstance(attrs, Mapping) else {}


def children(node: Node) -> list[Node]:
    return _mappings(node.get("content"))


def literal(text: str, scope: Scope, *, escape: bool = True) -> str:
    """Text of the author: HTML-escaped outside of Liquid, aliases resolved inside of it."""
    parts, position = [], 0
    while opening := _OPENING.search(text, position):
        start = opening.start()
        close = text.find("}}" if opening.group() == "{{" else "%}", start)
        if close < 0:
            break
        before = text[position:start]
        parts.append(html.escape(before) if escape else before)
        parts.append(resolve(text[start : close + 2], scope))
        position = close + 2
    rest = text[position:]
    parts.append(html.escape(rest) if escape else rest)
    return "".join(parts)


def resolve(expression: str, scope: Scope) -> str:
    """The expression with paths into a repeated list turned into paths into its item."""
    for path, name in reversed(scope):
        expression = re.sub(rf"(?<![\w.\-'\"]){re.escape(path)}(?![\w\-])", name, expression)
    if scope:
        expression = re.sub(rf"(?<![\w.\-'\"]){_CURRENT}(?![\w\-])", scope[-1][1], expression)
    return expression


def expression(attrs: Mapping[str, Any], name: str, scope: Scope) -> str:
    """What a variable stands for, without brackets; empty when it cannot be one."""
    given = attrs.get(name)
    alias = attrs.get("aliasFor")
    if not isinstance(given, str):
        return ""
    if isinstance(alias, str) and alias and not (scope and given.startswith(f"{_CURRENT}.")):
        given = alias + given[given.find("|") :] if "|" in given else alias
    given = given.strip().removeprefix("{{").removesuffix("}}").strip()
    if not given or any(bracket in given for bracket in _BRACKETS):
        return ""
    fallback = attrs.get("fallback")
    if isinstance(fallback, str) and fallback:
        given += f" | default: '{_quotable(fallback)}'"
    return resolve(given, scope)


def value(attrs: Mapping[str, Any], name: str, flag: str, scope: Scope) -> str:
    """An attribute that is a variable when its flag says so, and else text with Liquid in it."""
    given = as_text(attrs.get(name)) if not isinstance(attrs.get(name), Mapping) else ""
    if attrs.get(flag) and "{{" not in given:
        found = expression(attrs, name, scope)
        return f"{{{{ {found} }}}}" if found else ""
    return literal(given, scope)


def address(attrs: Mapping[str, Any], name: str, flag: str, scope: Scope, check: str) -> str:
    """The attribute `href` or `src`, made and checked when its value is known."""
    given = value(attrs, name, flag, scope)
    if not given:
        return ""
    return f"{{% capture t_address %}}{given}{{% endcapture %}}{{{{ t_address | {check} }}}}"


def shown(attrs: Mapping[str, Any], inside: str, scope: Scope) -> str:
    """The inside, on condition of `showIfKey` where there is one."""
    if not attrs.get("showIfKey"):
        return inside
    condition = expression({"key": attrs["showIfKey"]}, "key", scope)
    if not condition:
        return inside
    return f"{{% assign t_shown = {condition} | _shown %}}{{% if t_shown %}}{inside}{{% endif %}}"


def _mappings(value: Any) -> list[Node]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def _quotable(text: str) -> str:
    for bracket in _BRACKETS:
        text = text.replace(bracket, "")
    return html.escape(text)


def _text(node: Node, scope: Scope) -> str:
    given = node.get("text")
    return _marked(node, literal(given, scope) if isinstance(given, str) else "", scope)


def _variable(node: Node, scope: Scope) -> str:
    found = expression(attributes(node), "id", scope)
    return _marked(node, f"{{{{ {found} }}}}", scope) if found else ""


def _break(node: Node, scope: Scope) -> str:
    return "<br>"


def _image(node: Node, scope: Scope) -> str:
    attrs = attributes(node)
    width, height = styles.pixels(attrs.get("width"), 20), styles.pixels(attrs.get("height"), 20)
    source = address(attrs, "src", "isSrcVariable", scope, "_src")
    alt = literal(as_text(attrs.get("alt") or attrs.get("title") or ""), scope)
    image = (
        f'<img{source} alt="{alt}" width="{width}" height="{height}" style="display:inline;'
        f'vertical-align:middle;width:{width}px;height:{height}px;border:0">'
    )
    link = address(attrs, "externalLink", "isExternalLinkVariable", scope, "_href")
    inside = f'<a{link} target="_blank" style="text-decoration:none">{image}</a>' if link else image
    return shown(attrs, inside, scope)


def _unknown(node: Node, scope: Scope) -> str:
    return _marked(node, content(children(node), scope), scope)


_INLINE: Mapping[str, Callable[[Node, Scope], str]] = {
    "text": _text,
    "variable": _variable,
    "hardBreak": _break,
    "inlineImage": _image,
}
INLINE = frozenset(_INLINE)

_SIMPLE = {
    "underline": "u",
    "bold": "strong",
    "italic": "em",
    "strike": "s",
    "code": "code",
    "subscript": "sub",
    "superscript": "sup",
}


def _marked(node: Node, inside: str, scope: Scope) -> str:
    """The text in its marks: colours innermost, a link outermost."""
    found = {kind(mark): attributes(mark) for mark in _mappings(node.get("marks"))}
    looks = _looks(found)
    if looks:
        inside = f'<span style="{looks}">{inside}</span>'
    for name, tag in _SIMPLE.items():
        if name in found:
            inside = f"<{tag}>{inside}</{tag}>"
    if "link" in found:
        attrs = found["link"]
        href = address(attrs, "href", "isUrlVariable", scope, "_href")
        line = "none" if "no-underline" in as_text(attrs.get("class")) else "underline"
        tint = styles.color(found.get("textStyle", {}).get("color"))
        look = f"color:{tint}" if tint else f"color:{styles.HEADING}"
        klass = "" if tint else ' class="t-head"'
        inside = (
            f'<a{href}{klass} target="_blank" style="{look};font-weight:500;'
            f'text-decoration:{line}">{inside}</a>'
        )
    return inside


def _looks(found: Mapping[str, Mapping[str, Any]]) -> str:
    looks = []
    if tint := styles.color(found.get("textStyle", {}).get("color")):
        looks.append(f"color:{tint}")
    if "highlight" in found:
        looks.append(f"background-color:{styles.color(found['highlight'].get('color'), '#fef08a')}")
    return ";".join(looks)

"""Block documents, as the public editor saves them, to a Liquid template for HTML.

The document is turned into one template, so Liquid may span several nodes, the limits hold for the
whole of it, and the parsed result is kept. Each block stands on a line of its own. What a node of
an unknown type contains is shown as it would be without the node.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import msgspec

from tidings.rendering import inline, styles
from tidings.rendering.inline import Node, Scope, attributes, children, kind, literal
from tidings.rendering.templates import Fault, TemplateError
from tidings.rendering.values import as_text

_DEEPEST = 40
_MOST_NODES = 5_000
_LARGEST = 1_000_000
_KEPT_DOCUMENTS = 128
_MOST_REPEATS = 1_000

_TABLE = '<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"'
_BELOW = "margin:0 0 16px"
_HEADINGS = {1: (32, 40, 800), 2: (26, 34, 700), 3: (20, 28, 600)}
_LOGOS = {"sm": 40, "md": 48, "lg": 64}


def template(body: str) -> str:
    """The Liquid template of a document. Raises TemplateError for what is not a document."""
    if len(body) > _LARGEST:
        raise _refused(f"The document is longer than {_LARGEST} characters; shorten it.")
    return _template(body)


@lru_cache(maxsize=_KEPT_DOCUMENTS)
def _template(body: str) -> str:
    if not body.strip():
        return ""
    try:
        document = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise TemplateError(
            Fault(
                "The body is not a block document; save it from the block editor, "
                "or choose the HTML editor.",
                "syntax",
            )
        ) from error
    if not isinstance(document, Mapping):
        raise TemplateError(Fault("The body is not a block document.", "syntax"))
    _measure(document)
    return _blocks([document] if kind(document) != "doc" else children(document), ())


def _measure(document: Node) -> None:
    waiting, count = [(document, 1)], 0
    while waiting:
        node, depth = waiting.pop()
        count += 1
        if depth > _DEEPEST:
            raise _refused("The document is nested too deeply; make it flatter.")
        if count > _MOST_NODES:
            raise _refused(f"The document has more than {_MOST_NODES} nodes; split it up.")
        waiting.extend((child, depth + 1) for child in children(node))


def _refused(message: str) -> TemplateError:
    return TemplateError(Fault(message, "limit"))


def _blocks(nodes: list[Node], scope: Scope) -> str:
    return "\n".join(_lines(nodes, scope))


def _inside(node: Node, scope: Scope) -> str:
    """The blocks in a box, the last without the space that would part it from a next one."""
    lines = _lines(children(node), scope)
    if lines:
        lines[-1] = lines[-1].replace(_BELOW, "margin:0", 1)
    return "\n".join(lines)


def _lines(nodes: list[Node], scope: Scope) -> list[str]:
    """Blocks one per line; stray inline nodes are gathered into paragraphs."""
    lines: list[str] = []
    stray: list[Node] = []
    for node in nodes:
        if kind(node) in inline.INLINE:
            stray.append(node)
            continue
        if stray:
            lines.append(_paragraph({"content": stray}, scope))
            stray = []
        inside = _BLOCKS.get(kind(node), _unknown)(node, scope)
        lines.append(inline.shown(attributes(node), inside, scope))
    if stray:
        lines.append(_paragraph({"content": stray}, scope))
    return lines


def _unknown(node: Node, scope: Scope) -> str:
    given = node.get("text")
    return literal(given, scope) if isinstance(given, str) else _blocks(children(node), scope)


def _paragraph(node: Node, scope: Scope) -> str:
    inside = children(node)
    if [attributes(child).get("id") for child in inside] == ["content"]:
        return "<div>{{ content }}</div>"
    return _p(node, scope, f"font-size:15px;line-height:24px;color:{styles.TEXT}", "0 0 16px")


def _footer(node: Node, scope: Scope) -> str:
    return _p(node, scope, f"font-size:13px;line-height:20px;color:{styles.MUTED}", "0 0 12px")


def _p(node: Node, scope: Scope, look: str, margin: str) -> str:
    side = styles.align(attributes(node).get("textAlign"))
    inside = inline.content(children(node), scope)
    return (
        f'<p class="t-text" style="margin:{margin};{look};text-align:{side}">'
        f"{inside if inside.strip() else '&nbsp;'}</p>"
    )


def _heading(node: Node, scope: Scope) -> str:
    attrs = attributes(node)
    level = min(max(styles.pixels(attrs.get("level"), 1), 1), 6)
    size, line, weight = _HEADINGS[min(level, 3)]
    return (
        f'<h{level} class="t-head" style="margin:0 0 12px;font-size:{size}px;line-height:{line}px;'
        f"font-weight:{weight};color:{styles.HEADING};"
        f'text-align:{styles.align(attrs.get("textAlign"))}">'
        f"{inline.content(children(node), scope)}</h{level}>"
    )


def _list(tag: str, style: str) -> Callable[[Node, Scope], str]:
    def list_(node: Node, scope: Scope) -> str:
        start = styles.pixels(attributes(node).get("start"), 1, most=9999)
        first = f' start="{start}"' if tag == "ol" and start != 1 else ""
        items = "\n".join(_item(child, scope) for child in children(node))
        return (
            f'<{tag}{first} class="t-text" style="margin:0 0 16px;padding:0 0 0 26px;'
            f'list-style-type:{style};color:{styles.TEXT}">{items}</{tag}>'
        )

    return list_


def _item(node: Node, scope: Scope) -> str:
    inside = _blocks(children(node), scope).replace("margin:0 0 16px", "margin:0 0 4px")
    item = f'<li style="margin:0 0 6px;font-size:15px;line-height:24px">{inside}</li>'
    return inline.shown(attributes(node), item, scope)


def _quote(node: Node, scope: Scope) -> str:
    return (
        f'<blockquote style="margin:0 0 16px;padding:4px 0 4px 16px;'
        f'border-left:4px solid {styles.LINE}">{_inside(node, scope)}</blockquote>'
    )


def _button(node: Node, scope: Scope) -> str:
    """A coloured table cell around a link: every client shows it and all of it can be clicked."""
    attrs = attributes(node)
    fill = styles.color(attrs.get("buttonColor") or attrs.get("backgroundColor"), "#111827")
    text = styles.color(attrs.get("textColor") or attrs.get("color"), "#ffffff")
    filled = attrs.get("variant") != "outline"
    side = styles.align(attrs.get("alignment") or attrs.get("textAlign"))
    wide = attrs.get("kind") == "full-width" or styles.percent(attrs.get("width")) == 100
    curve = styles.radius(attrs.get("borderRadius"), 6)
    label = inline.value(attrs, "text", "isTextVariable", scope) or inline.content(
        children(node), scope
    )
    href = inline.address(attrs, "url", "isUrlVariable", scope, "_href")
    padding = styles.box(attrs, "padding", (10, 32, 10, 32))
    background = f' bgcolor="{fill}"' if filled else ""
    look = f"background-color:{fill};" if filled else ""
    klass = "" if filled else ' class="t-head"'
    return (
        f'{_TABLE} style="margin:0 0 16px"><tr><td align="{side}">'
        f'<table role="presentation" cellpadding="0" cellspacing="0" border="0"'
        f"{' width=' + chr(34) + '100%' + chr(34) if wide else ''}><tr>"
        f'<td align="center"{background} style="{look}border:2px solid {fill};'
        f'border-radius:{curve}px"><a{href}{klass} target="_blank" style="display:'
        f"{'block' if wide else 'inline-block'};{padding};font-size:14px;line-height:20px;"
        f'font-weight:600;color:{text};text-decoration:none;border-radius:{curve}px">'
        f"{label or '&nbsp;'}</a></td></tr></table></td></tr></table>"
    )


def _image(node: Node, scope: Scope) -> str:
    attrs = attributes(node)
    part = styles.percent(attrs.get("width")) if "%" in as_text(attrs.get("width")) else None
    width = styles.pixels(attrs.get("width"), most=600)
    size = f' width="{width}"' if width else ' width="100%"' if part == 100 else ""
    look = f"width:{part}%" if part else f"width:{width}px" if width else "width:auto"
    return _picture(attrs, scope, size, look)


def _logo(node: Node, scope: Scope) -> str:
    attrs = attributes(node)
    given = attrs.get("size")
    size = _LOGOS.get(given, 0) if isinstance(given, str) else 0
    size = size or styles.pixels(given, 48, most=600)
    return _picture(attrs, scope, f' width="{size}"', f"width:{size}px")


def _picture(attrs: Mapping[str, Any], scope: Scope, size: str, look: str) -> str:
    side = styles.align(attrs.get("alignment") or attrs.get("align"), "center")
    alt = literal(as_text(attrs.get("alt") or attrs.get("title") or ""), scope)
    source = inline.address(attrs, "src", "isSrcVariable", scope, "_src")
    image = (
        f'<img{source} alt="{alt}"{size} style="display:inline-block;{look};max-width:100%;'
        f'height:auto;border:0;border-radius:{styles.radius(attrs.get("borderRadius"))}px">'
    )
    link = inline.address(attrs, "externalLink", "isExternalLinkVariable", scope, "_href")
    inside = f'<a{link} target="_blank" style="text-decoration:none">{image}</a>' if link else image
    return f'{_TABLE} style="margin:0 0 16px"><tr><td align="{side}">{inside}</td></tr></table>'


def _rule(node: Node, scope: Scope) -> str:
    return (
        f'<hr style="margin:24px 0;border:0;border-top:1px solid {styles.LINE};'
        'height:0;line-height:0;font-size:0">'
    )


def _spacer(node: Node, scope: Scope) -> str:
    height = styles.space(attributes(node).get("height"))
    return f'<div style="height:{height}px;line-height:{height}px;font-size:1px">&nbsp;</div>'


def _section(node: Node, scope: Scope) -> str:
    attrs = attributes(node)
    fill = styles.color(attrs.get("backgroundColor"))
    lit = fill.lower() not in ("", "transparent", "inherit")
    background = f' class="t-lit" bgcolor="{fill}"' if lit else ""
    border = styles.pixels(attrs.get("borderWidth"), most=40)
    edge = styles.color(attrs.get("borderColor"), styles.LINE)
    line = f"border:{border}px solid {edge};" if border else ""
    paint = f"background-color:{fill};" if lit else ""
    side = styles.align(attrs.get("align"))
    padding = styles.box(attrs, "padding", (0, 0, 0, 0))
    look = f"{paint}{line}border-radius:{styles.radius(attrs.get('borderRadius'))}px;{padding}"
    return (
        f'{_TABLE} style="{styles.box(attrs, "margin", (0, 0, 16, 0))}"><tr>'
        f'<td{background} align="{side}" style="{look}">'
        f"{_inside(node, scope)}</td></tr></table>"
    )


def _columns(node: Node, scope: Scope) -> str:
    columns = [child for child in children(node) if kind(child) == "column"]
    gap = styles.pixels(attributes(node).get("gap"), 8, most=100)
    widths = [styles.percent(attributes(column).get("width")) for column in columns]
    even = max(100 - sum(filter(None, widths)), 5) // max(widths.count(None), 1)
    # Padding, because a cell's width gives way when the columns take all there is.
    between = f'\n<td class="t-gap" width="{gap}" style="padding:0 0 0 {gap}px;font-size:0"></td>\n'
    cells = between.join(
        _column(column, scope, width or even) for column, width in zip(columns, widths, strict=True)
    )
    return f'{_TABLE} style="margin:0 0 16px"><tr>{cells}</tr></table>' if columns else ""


def _column(node: Node, scope: Scope, width: int) -> str:
    vertical = attributes(node).get("verticalAlign")
    vertical = vertical if vertical in ("top", "middle", "bottom") else "top"
    return (
        f'<td class="t-column" width="{width}%" valign="{vertical}" '
        f'style="width:{width}%;vertical-align:{vertical}">{_inside(node, scope)}</td>'
    )


def _repeat(node: Node, scope: Scope) -> str:
    attrs = attributes(node)
    each = inline.expression(attrs, "each", scope)
    if not each:
        return _blocks(children(node), scope)
    path = as_text(attrs.get("each")).strip().removeprefix("{{").removesuffix("}}").strip()
    name = f"t_item{len(scope) + 1}"
    most = styles.pixels(attrs.get("iterations"), most=_MOST_REPEATS) or _MOST_REPEATS
    inside = _blocks(children(node), (*scope, (path, name)))
    return (
        f"{{% assign t_list{len(scope) + 1} = {each} | _list %}}"
        f"{{% for {name} in t_list{len(scope) + 1} limit: {most} %}}\n{inside}\n{{% endfor %}}"
    )


def _html(node: Node, scope: Scope) -> str:
    """Code of the author's own; its values go in as they are, like those of an HTML body."""
    code = "".join(_code(child, scope) for child in children(node))
    return f'<div class="t-text" style="{_BELOW};color:{styles.TEXT}">{code}</div>'


def _code(node: Node, scope: Scope) -> str:
    if kind(node) == "variable":
        found = inline.expression(attributes(node), "id", scope)
        return f"{{{{ {found} | raw }}}}" if found else ""
    given = node.get("text")
    if not isinstance(given, str):
        return "".join(_code(child, scope) for child in children(node))
    return literal(given, scope, escape=False).replace("}}", " | raw }}")


def _card(node: Node, scope: Scope) -> str:
    attrs = attributes(node)

    def text(name: str) -> str:
        return literal(as_text(attrs.get(name) or ""), scope)

    href = inline.address(attrs, "link", "isLinkVariable", scope, "_href")
    picture = inline.address(attrs, "image", "isImageVariable", scope, "_src")
    badge = text("badgeText") or text("subTitle")
    extra = f' <span style="font-size:12px;color:{styles.MUTED}">{badge}</span>' if badge else ""
    image = (
        f'<img{picture} alt="" width="100%" style="display:block;width:100%">' if picture else ""
    )
    more = f" <strong>{text('linkTitle')}</strong>" if attrs.get("linkTitle") else ""
    return (
        f'{_TABLE} style="margin:0 0 16px"><tr><td style="border:1px solid {styles.LINE};'
        f'border-radius:10px"><a{href} target="_blank" style="display:block;text-decoration:none;'
        f'color:{styles.TEXT}">{image}<div style="padding:16px"><div class="t-head" '
        f'style="font-size:18px;font-weight:600;color:{styles.HEADING}">{text("title")}{extra}'
        f'</div><div class="t-text" style="font-size:15px;line-height:24px;color:{styles.TEXT}">'
        f"{text('description')}{more}</div></div></a></td></tr></table>"
    )


_BLOCKS: Mapping[str, Callable[[Node, Scope], str]] = {
    "paragraph": _paragraph,
    "heading": _heading,
    "footer": _footer,
    "bulletList": _list("ul", "disc"),
    "orderedList": _list("ol", "decimal"),
    "listItem": _item,
    "blockquote": _quote,
    "button": _button,
    "image": _image,
    "logo": _logo,
    "horizontalRule": _rule,
    "spacer": _spacer,
    "section": _section,
    "columns": _columns,
    "repeat": _repeat,
    "for": _repeat,
    "htmlCodeBlock": _html,
    "linkCard": _card,
}

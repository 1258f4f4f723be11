"""A whole e-mail: body, layout, head, and the part for readers without HTML."""

import html
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal

import msgspec
from liquid import Markup

from tidings.rendering import blocks, plain, sanitizing, shapes, styles, templates
from tidings.rendering.templates import Fault, TemplateError, Variable

Editor = Literal["block", "html"]

CONTENT = "content"
DEFAULT_LAYOUT = """\
<table role="presentation" class="t-page" width="100%" cellpadding="0" cellspacing="0" border="0" \
bgcolor="#f4f5f7" style="background-color:#f4f5f7"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" class="t-card" width="100%" cellpadding="0" cellspacing="0" border="0" \
bgcolor="#ffffff" style="max-width:600px;background-color:#ffffff;border-radius:8px"><tr>\
<td class="t-inner t-text" align="left" \
style="padding:32px;font-size:15px;line-height:24px;color:#374151">
{{ content }}
</td></tr></table>
</td></tr></table>"""

_BARE_LAYOUT = """\
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr>\
<td align="center" style="padding:16px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" \
style="max-width:600px"><tr><td align="left">
{{ content }}
</td></tr></table>
</td></tr></table>"""
_WHOLE_DOCUMENT = re.compile(r"(?i)<!doctype|<html[\s>]|<head[\s>]|<body[\s>]")
_BODY_TAG = re.compile(r"(?i)<(/?)body\b")
_OUTSIDE = re.compile(r"(?i)<!doctype[^<>]*>|</?(?:html|head|meta|link|base)\b[^<>]*>")
_OF_A_PAGE = ("body", "<title", "<!doctype", "html", "head", "<meta", "<link", "<base")
_TITLE = re.compile(r"(?i)<title\b[^<>]*>[^<]*</title\s*>")


class RenderedEmail(msgspec.Struct, frozen=True):
    html: str
    text: str


def render_email(
    body: str,
    editor: Editor,
    variables: Mapping[str, Any],
    *,
    layout: str | None,
    layout_editor: Editor = "html",
    sanitize: bool,
    preheader: str = "",
    title: str = "",
) -> RenderedEmail:
    """Raises TemplateError. A body that is a whole document of its own stays one if not sanitised.

    Values in an HTML body go in as they are, so that a payload may carry HTML; what is dangerous
    is taken out by sanitising. Values in blocks are escaped.
    """
    content = _rendered(body, editor, variables)
    if layout is None and editor == "block":
        layout, layout_editor = _BARE_LAYOUT, "html"
    if layout is not None:
        content = _laid_out(content, layout, layout_editor, variables)
    elif not sanitize and _WHOLE_DOCUMENT.search(content):
        return RenderedEmail(html=content, text=plain.from_html(_BODY_TAG.sub(r"<\1div", content)))
    sheets = sanitizing.style_sheets(content)
    inside = _without_page(content, outside=not sanitize)
    if sanitize:
        inside, text = shapes.cleaned(inside)
    else:
        sheets, text = "", plain.from_html(inside)
    return RenderedEmail(html=_document(inside, sheets, preheader, title), text=text)


def check_body(body: str, editor: Editor) -> list[Fault]:
    """Faults that show without rendering. In a block document a line is a block."""
    try:
        return templates.check(_source(body, editor))
    except TemplateError as error:
        return [error.fault]


def check_layout(layout: str, editor: Editor) -> list[Fault]:
    faults = check_body(layout, editor)
    if not faults and not _has_content(layout, editor):
        faults.append(_NO_CONTENT)
    return faults


def body_variables(body: str, editor: Editor) -> list[Variable]:
    try:
        return templates.variables(_source(body, editor))
    except TemplateError:
        return []


_NO_CONTENT = Fault(
    "The layout has no place for the message; put {{content}} where it belongs.", "syntax", CONTENT
)


def _source(body: str, editor: Editor) -> str:
    return blocks.template(body) if editor == "block" else body


def _rendered(body: str, editor: Editor, variables: Mapping[str, Any]) -> str:
    return templates.render(_source(body, editor), variables, escape=editor == "block")


@lru_cache(256)
def _has_content(layout: str, editor: Editor) -> bool:
    return any(found.path == CONTENT for found in body_variables(layout, editor))


def _laid_out(content: str, layout: str, editor: Editor, variables: Mapping[str, Any]) -> str:
    if not _has_content(layout, editor):
        faults = check_body(layout, editor)
        raise TemplateError(faults[0] if faults else _NO_CONTENT)
    inside = _without_page(content, outside=True)
    return _rendered(layout, editor, {**variables, CONTENT: Markup(inside)})


def _without_page(content: str, *, outside: bool) -> str:
    """What belongs into the body of a page: without its title, with the body as a part of it, and
    without everything `outside`, if asked."""
    lowered = content.lower()
    if not any(word in lowered for word in _OF_A_PAGE):
        return content
    content = _BODY_TAG.sub(r"<\1div", content)
    return _TITLE.sub("", _OUTSIDE.sub("", content) if outside else content)


def _document(inside: str, sheets: str, preheader: str, title: str) -> str:
    hidden = ""
    if preheader.strip():
        hidden = (
            '<div aria-hidden="true" style="display:none;overflow:hidden;max-height:0;max-width:0;'
            f'opacity:0;font-size:1px;line-height:1px">{html.escape(preheader)}'
            f"{'&#847;&zwnj;&nbsp;' * 60}</div>\n"
        )
    page = ' class="t-page" bgcolor="#f4f5f7"' if 'class="t-page"' in inside else ""
    sheet = f"{styles.SHEET}\n{sheets}".strip()
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width,initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        '<meta name="supported-color-schemes" content="light dark">\n'
        '<meta name="format-detection" content="telephone=no,date=no,address=no,email=no">\n'
        f"<title>{html.escape(title)}</title>\n<style>\n{sheet}\n</style>\n</head>\n"
        f'<body{page} style="margin:0;padding:0;font-family:{styles.FONT}">\n'
        f"{hidden}{inside}\n</body>\n"
        "</html>\n"
    )

"""Plain texts: subjects, SMS, chat and push, and the text part of an e-mail.

Nothing here is HTML, so nothing is escaped.
"""

import re
from collections.abc import Mapping
from html import unescape
from typing import Any

import msgspec

from tidings.rendering import sanitizing
from tidings.rendering.templates import render

_BLOCKS = sanitizing.names(
    "p div table tr ul ol li blockquote h1 h2 h3 h4 h5 h6 section header footer pre"
)
_APART = sanitizing.names("p table ul ol blockquote h1 h2 h3 h4 h5 h6 section header footer pre")
LONGEST_LINE = 4_000
_BLANK = re.compile(r"[ \t\r\n\u00a0\u200c]+")


class Push(msgspec.Struct, frozen=True):
    subject: str
    body: str


def subject(text: str, variables: Mapping[str, Any]) -> str:
    """One line: a line break in a subject would start a header of its own."""
    return " ".join(render(text, variables).split())


def message(text: str, variables: Mapping[str, Any]) -> str:
    """The text of an SMS or a chat message."""
    return render(text, variables).strip()


def push(controls: Mapping[str, Any], variables: Mapping[str, Any]) -> Push:
    return Push(
        subject=subject(str(controls.get("subject") or ""), variables),
        body=message(str(controls.get("body") or ""), variables),
    )


def from_html(html: str, *, cleaned: bool = False) -> str:
    """What a reader without HTML sees: text, lists, and links with their addresses."""
    reader = _Reader()
    reader.read(html if cleaned else sanitizing.clean(html))
    return reader.text()


def one_spaced(text: str) -> str:
    return _BLANK.sub(" ", text)


_TOKEN = re.compile(r'<(/?)([a-z][a-z0-9]*)([^<>"]*(?:"[^"]*"[^<>"]*)*)>|([^<]+)')
"""What sanitised HTML consists of: tags in lower case, their attributes in double quotes, text."""
_ATTRIBUTE = re.compile(r' ([a-z-]+)="([^"]*)"')


class _Reader:
    """Reads sanitised HTML, which holds no surprises; a parser for all HTML takes four times as
    long."""

    def __init__(self) -> None:
        self._lines: list[str] = [""]
        self._lists: list[int | None] = []
        self._links: list[tuple[str, int, int]] = []
        self._only_mark = False
        """Whether nothing but the mark of a list or quotation stands on the line."""

    def read(self, html: str) -> None:
        for closing, tag, attributes, text in _TOKEN.findall(html):
            if text:
                self._data(unescape(text) if "&" in text else text)
            elif closing:
                self._end(tag)
            else:
                self._start(tag, attributes)

    def text(self) -> str:
        lines = [line.rstrip() for line in self._lines]
        return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()

    def _start(self, tag: str, attributes: str) -> None:
        if tag in _BLOCKS:
            self._line(apart=tag in _APART and not self._lists)
        if tag == "br":
            self._begin()
        elif tag == "hr":
            self._line(apart=True)
            self._lines[-1] = "---"
            self._only_mark = False
            self._line(apart=True)
        elif tag in ("ul", "ol"):
            self._lists.append(0 if tag == "ol" else None)
        elif tag == "li":
            self._lines[-1] = self._bullet()
            self._only_mark = True
        elif tag == "blockquote":
            self._lines[-1] = "> "
            self._only_mark = True
        elif tag == "img" and (alt := _given(attributes, "alt")):
            self._data(f" {alt} ")
        elif tag == "a":
            href = _given(attributes, "href")
            self._links.append((href, len(self._lines) - 1, len(self._lines[-1])))

    def _end(self, tag: str) -> None:
        if tag in ("ul", "ol") and self._lists:
            self._lists.pop()
        if tag == "a" and self._links:
            self._address(*self._links.pop())
        if tag in _BLOCKS:
            self._line(apart=tag in _APART and not self._lists)
        elif tag == "td" and self._lines[-1]:
            self._lines[-1] += " "

    def _data(self, data: str) -> None:
        text = one_spaced(data)
        if len(self._lines[-1]) > LONGEST_LINE:
            self._begin()
        if not self._lines[-1] or self._lines[-1].endswith(" "):
            text = text.lstrip()
        if text:
            self._only_mark = False
        self._lines[-1] += text

    def _address(self, href: str, line: int, start: int) -> None:
        label = self._lines[line][start:].strip() if line == len(self._lines) - 1 else ""
        if href and href.removeprefix("mailto:").removeprefix("tel:") != label:
            self._lines[-1] += f" ({href})"
            self._only_mark = False

    def _bullet(self) -> str:
        depth = "  " * (len(self._lists) - 1)
        if self._lists and self._lists[-1] is not None:
            self._lists[-1] += 1
            return f"{depth}{self._lists[-1]}. "
        return f"{depth}- "

    def _line(self, *, apart: bool) -> None:
        """Begin a new line, unless this one has no more than a mark."""
        if self._lines[-1].strip() and not self._only_mark:
            self._begin()
        if apart and not self._lines[-1] and self._lines[-2:-1] not in ([], [""]):
            self._begin()

    def _begin(self) -> None:
        self._lines.append("")
        self._only_mark = False


def _given(attributes: str, name: str) -> str:
    found = dict(_ATTRIBUTE.findall(attributes))
    return unescape(found.get(name, ""))

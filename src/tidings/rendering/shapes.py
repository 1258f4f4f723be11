"""Mails of one template differ in a few words. What sanitising and reading make of the rest is
remembered, by the shape of the mail: its tags, with marks in the place of words.

A word is put back only into text. Where anything else than its being there could matter, such as a
`<`, an `&` or the label of a link, it is a part of the shape.
"""

import re
from functools import lru_cache

from tidings.rendering import plain, sanitizing

_LONGEST = 32_768
_OPEN, _CLOSE = "\ue000", "\ue001"
_NAME = "[a-zA-Z][a-zA-Z0-9:_-]*"
_VALUE = r"""(?:\s*=\s*(?:"[^"<>]*"|'[^'<>]*'))"""
_TAG = re.compile(rf"</{_NAME}\s*>|<{_NAME}(?:\s+{_NAME}{_VALUE}?)*\s*/?>")
_BETWEEN = re.compile("(<[^<>]*>)")
_CORE = re.compile(r"[ \t\n\f]*(.*[^ \t\n\f])", re.DOTALL)
_MATTERS = re.compile("[&>\0\r\u00a0\u200c\ud800-\udfff]")
_LINK = re.compile(r"(?i)<(/?)a\b")
_MARK = re.compile(f"{_OPEN}(\\d+){_CLOSE}")


def cleaned(html: str) -> tuple[str, str]:
    """The mail made safe, and what a reader without HTML sees of it."""
    if len(html) <= _LONGEST and _OPEN not in html:
        shape, words = _apart(sanitizing.without_comments(html))
        if words and (known := _made_of(shape)) and known.holds(words):
            return known.filled(words)
    return _read(html)


def _read(html: str) -> tuple[str, str]:
    safe = sanitizing.clean(html)
    return safe, plain.from_html(safe, cleaned=True)


def _apart(html: str) -> tuple[str, list[str]]:
    """The shape of a mail and its words; no words if it cannot be told what is a tag."""
    pieces = _BETWEEN.split(html)
    words: list[str] = []
    in_link = False
    for place, piece in enumerate(pieces):
        if place % 2:
            if not _is_tag(piece):
                return "", []
            if piece[1] in "aA/" and (link := _LINK.match(piece)):
                in_link = not link[1]
        elif "<" in piece:
            return "", []
        elif not in_link and (found := _CORE.match(piece)):
            word = found[1]
            if word.strip() == word and not _MATTERS.search(word):
                start = found.start(1)
                mark = f"{_OPEN}{len(words)}{_CLOSE}"
                pieces[place] = f"{piece[:start]}{mark}{piece[start + len(word) :]}"
                words.append(word)
    return "".join(pieces), words


@lru_cache(2048)
def _is_tag(text: str) -> bool:
    """Of the kind that everybody reads alike."""
    return _TAG.fullmatch(text) is not None


class _Known:
    """A mail that was made safe, with marks in the place of words."""

    def __init__(self, html: str, text: str) -> None:
        self._html, self._html_order = _split(html)
        self._text, self._text_order = _split(text)
        self._room = plain.LONGEST_LINE - max(map(len, text.split("\n")))

    def holds(self, words: list[str]) -> bool:
        """Whether no line of text gets so long that it would be broken."""
        return sum(map(len, words)) <= self._room

    def filled(self, words: list[str]) -> tuple[str, str]:
        html, text = self._html.copy(), self._text.copy()
        html[1::2] = [words[number] for number in self._html_order]
        text[1::2] = [plain.one_spaced(words[number]) for number in self._text_order]
        return "".join(html), "".join(text)


@lru_cache(128)
def _made_of(shape: str) -> _Known | None:
    """None if words would matter after all."""
    html, text = _read(shape)
    outside_tags = re.sub(r"<[^<>]*>", "", html)
    if len(_MARK.findall(html)) != len(_MARK.findall(outside_tags)):
        return None
    return _Known(html, text)


def _split(marked: str) -> tuple[list[str], list[int]]:
    parts = _MARK.split(marked)
    return parts, [int(number) for number in parts[1::2]]

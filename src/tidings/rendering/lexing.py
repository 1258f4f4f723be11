"""Cuts a template into text, outputs and tags, in time that grows with its length only.

The library's own lexer backtracks: an unclosed bracket in a long template keeps it busy for hours.
"""

import re
from collections.abc import Iterator

from liquid.exceptions import LiquidSyntaxError
from liquid.token import (
    TOKEN_COMMENT,
    TOKEN_CONTENT,
    TOKEN_DOC,
    TOKEN_EXPRESSION,
    TOKEN_OUTPUT,
    TOKEN_TAG,
    Token,
)

from tidings.rendering import limits

_OPENING = re.compile(r"\{[{%]")
_TAG_NAME = re.compile(r"#|\w+")
_KEYWORD_AS_PART = re.compile(
    r"""("[^"]*"|'[^']*')|(?<![.\d])\.(true|false|nil|null|empty|blank|and|or|contains|not|in|offset"""
    r"""|limit|reversed|cols|continue|with|for|as|if|else|required)(?![\w\-?])"""
)
_SPACE = " \t\r\n\f\v\u00a0"
_END_OF_RAW = {
    name: re.compile(rf"\{{%-?\s*end{name}\s*(-?)%\}}") for name in ("raw", "comment", "doc")
}


def tokens(source: str) -> Iterator[Token]:
    position, strip = 0, False
    markups = characters = 0
    while position < len(source):
        opening = _OPENING.search(source, position)
        end = opening.start() if opening else len(source)
        text = source[position:end].lstrip() if strip else source[position:end]
        if opening and source.startswith("-", end + 2):
            text = text.rstrip()
        if text:
            yield Token(TOKEN_CONTENT, text, position, source)
        if opening is None:
            return
        inner, start, position, strip = _markup(source, end)
        markups, characters = markups + 1, characters + len(inner)
        if markups > limits.MARKUPS or characters > limits.MARKUP_CHARACTERS:
            raise limits.refuse(
                f"The template has more than {limits.MARKUPS} variables and tags; split it up"
            )
        if source[end + 1] == "{" and not inner:
            raise _wrong("'{{ }}' is empty; write a variable in it or remove it", source, end)
        if source[end + 1] == "{":
            yield Token(TOKEN_OUTPUT, source[end:position], end, source)
            yield Token(TOKEN_EXPRESSION, inner, start, source)
            continue
        name = _TAG_NAME.match(inner)
        if name is None:
            raise _wrong("a tag needs a name after '{%'", source, end)
        if name.group() in _END_OF_RAW:
            held, body, position, strip = _raw(source, position, name.group(), end)
            yield from held
            if body and name.group() == "raw":
                yield Token(TOKEN_CONTENT, body, position, source)
            continue
        yield Token(TOKEN_TAG, name.group(), start, source)
        expression = inner[name.end() :].lstrip(_SPACE)
        if expression:
            yield Token(TOKEN_EXPRESSION, expression, start + len(inner) - len(expression), source)


def _markup(source: str, opening: int) -> tuple[str, int, int, bool]:
    """What stands between the brackets, where it starts, where to go on, and whether to strip."""
    closing = "}}" if source[opening + 1] == "{" else "%}"
    close = source.find(closing, opening + 2, opening + 2 + limits.EXPRESSION_CHARACTERS)
    if close < 0:
        raise _wrong(_unclosed(source, opening, closing), source, opening)
    start, end = opening + 2, close
    if source.startswith("-", start) and start < end:
        start += 1
    strip = end > start and source[end - 1] == "-"
    if strip:
        end -= 1
    inner = source[start:end]
    # The library takes `payload.limit` for the keyword; in brackets it is a name.
    bare = _KEYWORD_AS_PART.sub(_bracketed, inner.strip(_SPACE))
    return bare, start + len(inner) - len(inner.lstrip(_SPACE)), close + 2, strip


def _bracketed(match: re.Match[str]) -> str:
    return match.group(1) or f"['{match.group(2)}']"


def _unclosed(source: str, opening: int, closing: str) -> str:
    if len(source) - opening > limits.EXPRESSION_CHARACTERS:
        return (
            f"'{source[opening : opening + 2]}' is not closed by '{closing}' "
            f"within {limits.EXPRESSION_CHARACTERS} characters"
        )
    return f"'{source[opening : opening + 2]}' is never closed; add '{closing}'"


def _raw(source: str, position: int, name: str, opening: int) -> tuple[list[Token], str, int, bool]:
    """The body of a raw, comment or doc tag, whose inside is not read as Liquid."""
    closing = _END_OF_RAW[name].search(source, position)
    if closing is None:
        raise _wrong(f"'{{% {name} %}}' is never closed; add '{{% end{name} %}}'", source, opening)
    body = source[position : closing.start()]
    held: list[Token] = []
    if name == "doc":
        held = [Token(TOKEN_DOC, body, position, source)]
    elif name == "comment":
        held = [
            Token(TOKEN_TAG, "comment", opening, source),
            Token(TOKEN_COMMENT, body, position, source),
            Token(TOKEN_TAG, "endcomment", closing.start(), source),
        ]
    return held, body, closing.end(), bool(closing.group(1))


def _wrong(reason: str, source: str, index: int) -> LiquidSyntaxError:
    return LiquidSyntaxError(reason, token=Token(TOKEN_CONTENT, "", index, source))

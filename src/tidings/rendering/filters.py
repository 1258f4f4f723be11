"""The filters that templates have beyond, or in place of, the library's own."""

import html
import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from typing import Any

from dateutil import parser as dates
from liquid import Markup
from liquid.exceptions import FilterArgumentError
from liquid.undefined import is_undefined

from tidings.rendering import limits, urls
from tidings.rendering.values import as_json, as_text

_LONGEST_DATE = 64
_LONGEST_FORMAT = 256
_PADDING = re.compile(r"%([-0^#_]?)[0-9]+")
_TAG = re.compile(r"<[^<>]*>")
_UNSEEN = re.compile(r"(?i)<(script|style)\b")


def json_(value: Any, spaces: Any = 0) -> str:
    return as_json(value, max(0, min(_whole(spaces, "json", "spaces"), 10)))


def digest(value: Any, most: Any = 2, key: Any = "", separator: Any = ", ") -> str:
    """`Ann`, `Ann and Bob`, `Ann, Bob and 3 others`."""
    most = _whole(most, "digest", "the number of names")
    if not isinstance(value, list | tuple):
        return ""
    names = [as_text(_at(item, as_text(key))) for item in value]
    if len(names) <= 1:
        return "".join(names)
    if len(names) <= most:
        return as_text(separator).join(names[:-1]) + " and " + names[-1]
    rest = len(names) - most
    shown = as_text(separator).join(names[:most])
    return f"{shown} and {rest} other{'s' if rest > 1 else ''}"


def to_sentence(
    value: Any,
    key: Any = "",
    limit: Any = 2,
    overflow: Any = "other",
    words: Any = ", ",
    two: Any = " and ",
    last: Any = ", and ",
) -> str:
    """A list in words, with a count for those beyond the limit."""
    limit = _whole(limit, "toSentence", "the limit")
    if limit < 0:
        raise FilterArgumentError("toSentence: the limit must not be negative", token=None)
    if not isinstance(value, list | tuple):
        return ""
    path = as_text(key)
    if not path and any(isinstance(item, dict) for item in value):
        raise FilterArgumentError(
            "toSentence: say which property to show, for example toSentence: 'name'", token=None
        )
    names = [text for item in value if (text := as_text(_at(item, path)))]
    comma, pair, final = _texts(words, two, last)
    if len(names) <= 2:
        return pair.join(names)
    if len(names) <= limit:
        return comma.join(names[:-1]) + final + names[-1]
    rest = len(names) - limit
    joined = ("", pair)[limit] if limit < 2 else final
    return f"{comma.join(names[:limit])}{joined}{rest} {_plural(as_text(overflow), rest)}"


def pluralize(value: Any, singular: Any = "", plural: Any = "", show_count: Any = "true") -> str:
    """`1 notification`, `5 notifications`; nothing for nothing."""
    count = _count(value)
    if count is None or not count > 0:
        return ""
    one, many = as_text(singular), as_text(plural)
    word = one if count == 1 else many or _plural(one, 2)
    return f"{as_text(count)} {word}" if as_text(show_count) != "false" else word


def date_(value: Any, form: Any = "%Y-%m-%d", *, now: Any = None) -> str:
    """A moment in the given form; what is no moment stays as it is."""
    if is_undefined(value) or value is None:
        return ""
    moment = _moment(value, now)
    form = as_text(form)
    if moment is None or not form:
        return as_text(value)
    if len(form) > _LONGEST_FORMAT:
        raise FilterArgumentError(
            f"date: the form must not be longer than {_LONGEST_FORMAT} characters", token=None
        )
    form = _PADDING.sub(r"%\1", form).replace("%s", str(int(moment.timestamp())))
    try:
        return moment.strftime(form)
    except ValueError as error:
        raise FilterArgumentError(f"date: {error}", token=None) from error


def replace(value: Any, old: Any, new: Any = "") -> str:
    text, part, instead = _texts(value, old, new)
    if len(text) + text.count(part) * len(instead) > limits.TEXT_CHARACTERS:
        raise limits.refuse(limits.TOO_LONG_TEXT)
    return text.replace(part, instead)


def join(value: Any, separator: Any = " ") -> Any:
    items = list(value) if isinstance(value, list | tuple | range) else [value]
    (separator,) = _texts(separator)
    if len(items) * len(separator) > limits.TEXT_CHARACTERS:
        raise limits.refuse(limits.TOO_LONG_TEXT)
    return separator.join(item if isinstance(item, Markup) else as_text(item) for item in items)


def uniq(value: Any, key: Any = "") -> list[Any]:
    items = list(value) if isinstance(value, list | tuple | range) else [value]
    seen: set[str] = set()
    kept = []
    for item in items:
        mark = f"{type(item).__name__}:{as_text(_at(item, as_text(key)))}"
        if mark not in seen:
            seen.add(mark)
            kept.append(item)
    return kept


def strip_html(value: Any) -> str:
    text = as_text(value)
    kept, position = [], 0
    while opening := _UNSEEN.search(text, position):
        closing = re.compile(rf"(?i)</{opening.group(1)}\s*>").search(text, opening.end())
        if closing is None:
            break
        kept.append(text[position : opening.start()])
        position = closing.end()
    return _TAG.sub("", "".join((*kept, text[position:])))


def raw(value: Any) -> Markup:
    return Markup(as_text(value))


def size(value: Any) -> int:
    return len(value) if isinstance(value, str | list | tuple | dict | range) else 0


def list_(value: Any) -> list[Any]:
    """What a repeat block goes through; nothing when it is missing."""
    if value is None or is_undefined(value) or value == "":
        return []
    if isinstance(value, list | tuple):
        return list(value)
    raise FilterArgumentError("a repeat block needs a list, and this is none", token=None)


def shown(value: Any) -> bool:
    return as_text(value).strip().lower() not in ("", "false", "null", "undefined", "0")


def href(value: Any) -> str:
    """The whole attribute, or nothing: an unsafe address leaves a link that goes nowhere."""
    return _attribute("href", urls.link(_unescaped(value)))


def src(value: Any) -> str:
    return _attribute("src", urls.image(_unescaped(value)))


OURS: Mapping[str, Callable[..., Any]] = {
    "json": json_,
    "digest": digest,
    "toSentence": to_sentence,
    "pluralize": pluralize,
    "date": date_,
    "replace": replace,
    "join": join,
    "uniq": uniq,
    "strip_html": strip_html,
    "raw": raw,
    "size": size,
    "_list": list_,
    "_shown": shown,
    "_href": href,
    "_src": src,
}


def _at(item: Any, path: str) -> Any:
    """The value at a dotted path; the item itself when there is no path."""
    for part in path.split(".") if path else ():
        if isinstance(item, dict):
            item = item.get(part)
        elif isinstance(item, list | tuple) and part.isdecimal() and len(part) < 9:
            item = item[int(part)] if int(part) < len(item) else None
        else:
            return None
    return item


def _unescaped(value: Any) -> str:
    return html.unescape(str(value)) if isinstance(value, Markup) else as_text(value)


def _attribute(name: str, address: str) -> str:
    return Markup(f' {name}="{html.escape(address)}"') if address else Markup("")


def _texts(*values: Any) -> tuple[str, ...]:
    return tuple(value if isinstance(value, str) else as_text(value) for value in values)


def _whole(value: Any, name: str, what: str) -> int:
    try:
        if isinstance(value, str) and len(value) > 20:
            raise ValueError
        return int(value)
    except (ValueError, TypeError, OverflowError) as error:
        raise FilterArgumentError(f"{name}: {what} must be a number", token=None) from error


def _count(value: Any) -> int | float | None:
    if isinstance(value, list | tuple | dict | range):
        return len(value)
    if isinstance(value, int | float):
        return value
    try:
        number = float(as_text(value)[:40])
    except ValueError:
        return None
    return int(number) if number.is_integer() else number


def _plural(word: str, count: int) -> str:
    if count == 1 or not word or re.search(r"[^siu]s$", word):
        return word
    if re.search(r"[^aeiou]y$", word):
        return word[:-1] + "ies"
    if re.search(r"(s|x|z|ch|sh)$", word):
        return word + "es"
    return word + "s"


def _moment(value: Any, now: Any) -> datetime | None:
    """Numbers are seconds; texts are read as dates; `now` is what the caller says it is."""
    if value in ("now", "today"):
        given = _moment(now, None) if now and now not in ("now", "today") else None
        return given or datetime.now(UTC)
    if isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    try:
        if isinstance(value, int | float):
            return datetime.fromtimestamp(value, UTC)
        text = as_text(value).strip()
        if not text or len(text) > _LONGEST_DATE:
            return None
        if text.isdecimal() and len(text) > 8:
            return datetime.fromtimestamp(int(text), UTC)
        moment: datetime = dates.parse(text)
        return moment
    except (ValueError, OverflowError, OSError, TypeError):
        return None

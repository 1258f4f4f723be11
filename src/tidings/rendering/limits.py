"""How much a template may ask for. Counted, never timed: the same template ends the same way."""

from typing import Any

from liquid.exceptions import ResourceLimitError

TEMPLATE_CHARACTERS = 1_000_000
EXPRESSION_CHARACTERS = 4_000
MARKUPS = 5_000
MARKUP_CHARACTERS = 200_000
OUTPUT_BYTES = 2_000_000
TEXT_CHARACTERS = 1_000_000
ITEMS = 100_000
NUMBER_BITS = 256
BLOCK_NESTING = 30
HELD = 4_000_000
"""Size of everything a template has assigned and captured at one time."""
WORK = 200_000
"""Steps of one rendering. A step is about sixteen characters of template gone through once."""

TOO_MUCH_WORK = "The template asks for too much work; loop over fewer items or simplify the loop"
TOO_LONG_TEXT = f"The template builds a text of more than {TEXT_CHARACTERS} characters; shorten it"
TOO_MANY_ITEMS = f"The template builds a list of more than {ITEMS} items; use fewer"
TOO_LARGE_NUMBER = "The template reckons with a number that is too large; use smaller ones"


class TooMuchError(ResourceLimitError):
    """A limit of this page was reached; the message says which."""


def refuse(reason: str) -> TooMuchError:
    return TooMuchError(reason, token=None)


def weigh(value: Any) -> int:
    """How heavy a value is to copy or compare, all levels counted; a text weighs its length."""
    if isinstance(value, str):
        return len(value)
    if not isinstance(value, dict | list | tuple):
        return 1
    total, waiting = 0, [value]
    while waiting:
        holder = waiting.pop()
        total += 8 * len(holder)
        for item in holder.values() if isinstance(holder, dict) else holder:
            if isinstance(item, str):
                total += len(item) >> 4
            elif isinstance(item, dict | list | tuple):
                waiting.append(item)
        if total > HELD:
            return total
    return total


def bounded(value: Any) -> Any:
    """The value itself, if it is of a size that can be worked with."""
    if isinstance(value, str):
        if len(value) > TEXT_CHARACTERS:
            raise refuse(TOO_LONG_TEXT)
    elif isinstance(value, list | tuple | range):
        if value and value[ITEMS:]:
            raise refuse(TOO_MANY_ITEMS)
    elif isinstance(value, int) and value.bit_length() > NUMBER_BITS:
        raise refuse(TOO_LARGE_NUMBER)
    return value

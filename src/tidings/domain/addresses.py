"""What a well-formed e-mail address is."""

import re

_LONGEST = 254
_LONGEST_LOCAL_PART = 64
_LOCAL = re.compile(r"[^\s@\x00-\x1f\x7f,;:<>()\[\]\\]+")
_LABEL = re.compile(r"(?!-)[^\W_](?:[\w-]{0,61}[^\W_])?")


def is_email(text: str) -> bool:
    """One local part, one domain name of at least two labels; accents and other scripts too."""
    local, _, domain = text.rpartition("@")
    labels = domain.split(".")
    return (
        len(text) <= _LONGEST
        and len(local) <= _LONGEST_LOCAL_PART
        and _is_local_part(local)
        and len(labels) > 1
        and all(_LABEL.fullmatch(label) for label in labels)
        and not labels[-1].isdigit()
    )


def _is_local_part(text: str) -> bool:
    dotted = text.startswith(".") or text.endswith(".") or ".." in text
    return not dotted and _LOCAL.fullmatch(text) is not None

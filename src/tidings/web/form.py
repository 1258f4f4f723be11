"""What a form sent: fields by name, as text."""

from collections.abc import Mapping
from urllib.parse import parse_qsl


class Form:
    def __init__(self, pairs: list[tuple[str, str]] | None = None) -> None:
        self._values: dict[str, list[str]] = {}
        for name, value in pairs or ():
            self._values.setdefault(name, []).append(value.replace("\r\n", "\n"))

    @classmethod
    def read(cls, body: bytes) -> "Form":
        text = body.decode("utf-8", "replace")
        return cls(parse_qsl(text, keep_blank_values=True, max_num_fields=2000))

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def get(self, name: str, default: str = "") -> str:
        """The last value of that name, as it was sent."""
        return self._values.get(name, [default])[-1]

    def text(self, name: str) -> str | None:
        """The value without spaces around it; None when nothing is left."""
        return self.get(name).strip() or None

    def flag(self, name: str) -> bool:
        """Whether a check box was ticked."""
        return self.get(name) not in ("", "false", "off", "0")

    def all(self, name: str) -> list[str]:
        return list(self._values.get(name, ()))

    def names(self) -> Mapping[str, list[str]]:
        return self._values

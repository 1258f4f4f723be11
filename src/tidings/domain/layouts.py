"""Layouts: the frame around the body of an e-mail."""

from datetime import datetime
from typing import Literal

import msgspec

from tidings.domain import slugs
from tidings.domain.errors import InvalidError
from tidings.domain.scope import Scope

EditorType = Literal["html", "block"]


class Frame(msgspec.Struct, frozen=True, kw_only=True):
    """What people decide about a layout."""

    key: str
    name: str
    body: str
    editor: EditorType = "html"
    is_default: bool = False
    is_translation_enabled: bool = False


class Layout(Frame, frozen=True, kw_only=True):
    id: str
    scope: Scope
    created_at: datetime
    updated_at: datetime

    @property
    def slug(self) -> str:
        return slugs.slug(self.name, "lt", self.id)

    @property
    def frame(self) -> Frame:
        return Frame(**{name: getattr(self, name) for name in Frame.__struct_fields__})


def check(frame: Frame) -> None:
    if not frame.name.strip():
        raise InvalidError.of("name", "must not be empty", frame.name)
    if not frame.key or not all(c.isascii() and (c.isalnum() or c in "-_.:@") for c in frame.key):
        raise InvalidError.of(
            "layoutId",
            "must have letters, digits, hyphens, underscores, dots, colons or @",
            frame.key,
        )

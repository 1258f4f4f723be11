"""A message in a chat."""

from typing import Annotated

from msgspec import Meta

from tidings.steps.base import Controls, Kind, ui


class ChatControls(Controls, frozen=True, kw_only=True):
    body: Annotated[str, Meta(min_length=1), ui("CHAT_BODY", "")]


STEP = Kind(type="chat", group="CHAT", variants=(ChatControls,), templates=("body",))

"""A message in a chat."""

from typing import Annotated

from msgspec import Meta

from tidings.steps.base import Controls, Kind, ui
from tidings.steps.outcomes import send


class ChatControls(Controls, frozen=True, kw_only=True):
    body: Annotated[str, Meta(min_length=1), ui("CHAT_BODY", "")]


STEP = Kind(type="chat", group="CHAT", variants=(ChatControls,), plan=send, templates=("body",))

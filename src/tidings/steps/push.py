"""A push notification."""

from typing import Annotated

from msgspec import Meta

from tidings.steps.base import Controls, Kind, ui


class PushControls(Controls, frozen=True, kw_only=True):
    subject: Annotated[str, Meta(min_length=1), ui("PUSH_SUBJECT", "")]
    body: Annotated[str, Meta(min_length=1), ui("PUSH_BODY", "")]


STEP = Kind(type="push", group="PUSH", variants=(PushControls,), templates=("subject", "body"))

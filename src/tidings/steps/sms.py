"""An SMS."""

from typing import Annotated

from msgspec import Meta

from tidings.steps.base import Controls, Kind, ui


class SmsControls(Controls, frozen=True, kw_only=True):
    body: Annotated[str, Meta(min_length=1), ui("SMS_BODY", "")]


STEP = Kind(type="sms", group="SMS", variants=(SmsControls,), templates=("body",))

"""The five channels."""

from typing import Literal, get_args

Channel = Literal["in_app", "email", "sms", "chat", "push"]
CHANNELS: tuple[Channel, ...] = get_args(Channel)

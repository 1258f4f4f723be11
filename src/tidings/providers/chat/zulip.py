"""Zulip, through its Slack-compatible webhook. https://zulip.com/integrations/doc/slack_incoming

The address holds key, stream and topic: `/api/v1/external/slack_incoming?api_key=&stream=&topic=`.
"""

from tidings.providers.blocks import on, path
from tidings.providers.hooks import GONE, HookProvider
from tidings.providers.outcomes import BAD_RECIPIENT, SENT


class Zulip(HookProvider):
    id = "zulip"
    name = "Zulip"
    docs = "https://zulip.com/integrations/doc/slack_incoming"
    accepted = on(SENT, like=r'"result"\s*:\s*"success"|"ok"\s*:\s*true')
    reason = path("msg")
    rules = (
        GONE,
        on(BAD_RECIPIENT, at="code", among=("STREAM_DOES_NOT_EXIST", "INVALID_API_KEY")),
    )

"""What is wrong with a step: its control values, and the integrations it needs."""

from collections.abc import Mapping
from typing import Literal

import msgspec

from tidings.domain.channels import Channel

ContentIssueType = Literal[
    "ILLEGAL_VARIABLE_IN_CONTROL_VALUE",
    "INVALID_FILTER_ARG_IN_VARIABLE",
    "MISSING_VALUE",
    "TIER_LIMIT_EXCEEDED",
]
IntegrationIssueType = Literal["MISSING_INTEGRATION", "INBOX_NOT_CONNECTED"]


class ContentIssue(msgspec.Struct, frozen=True):
    issue_type: ContentIssueType
    message: str
    variable_name: str | None = None


class IntegrationIssue(msgspec.Struct, frozen=True):
    issue_type: IntegrationIssueType
    message: str


ControlIssues = dict[str, list[ContentIssue]]
"""By the dotted path of the control."""


class Connections(msgspec.Struct, frozen=True):
    """What an environment can deliver through at present."""

    active: Mapping[str, bool]
    """Channels with an active integration, and whether one of them is primary."""
    inbox_connected: bool


_NAMES: dict[str, str] = {
    "in_app": "in-app",
    "email": "email",
    "sms": "SMS",
    "chat": "chat",
    "push": "push",
}


def integration_issue(channel: Channel, connections: Connections) -> IntegrationIssue | None:
    """Why a step of this channel could not deliver now, if it could not."""
    name = _NAMES[channel]
    if channel not in connections.active:
        return IntegrationIssue(
            "MISSING_INTEGRATION",
            f"No active {name} integration in this environment. Create one or activate one.",
        )
    if channel in ("email", "sms") and not connections.active[channel]:
        return IntegrationIssue(
            "MISSING_INTEGRATION",
            f"No active {name} integration is primary. Make one primary: it delivers this step.",
        )
    if channel == "in_app" and not connections.inbox_connected:
        return IntegrationIssue(
            "INBOX_NOT_CONNECTED",
            "No inbox has connected to this environment yet. Add the inbox to your application.",
        )
    return None

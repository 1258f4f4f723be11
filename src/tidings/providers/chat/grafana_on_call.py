"""Grafana OnCall, its formatted webhook. https://grafana.com/docs/oncall/latest/integrations/webhook/

What the subscriber's channel holds comes before what the integration holds.
"""

from collections.abc import Mapping
from typing import Any

from tidings.domain.integrations import Credentials
from tidings.providers.blocks import given, header
from tidings.providers.credentials import may
from tidings.providers.hooks import HookProvider
from tidings.providers.messages import ChatMessage


class GrafanaOnCall(HookProvider):
    id = "grafana-on-call"
    name = "Grafana OnCall"
    docs = "https://grafana.com/docs/oncall/latest/integrations/webhook/"
    credentials = (
        may("alertUid", "Alert uid", help="Alerts with the same uid are grouped."),
        may("title", "Title", help="Of the alert."),
        may("imageUrl", "Image URL", format="url", help="Shown with the alert."),
        may("state", "State", help="alerting or ok."),
        may("externalLink", "External link", format="url", help="To the details upstream."),
    )
    sent_at = header("date")

    def body(self, message: ChatMessage, credentials: Credentials) -> Mapping[str, Any]:
        own = message.details
        return given(
            alert_uid=own.get("alertUid") or credentials.alert_uid,
            title=own.get("title") or credentials.title,
            image_url=own.get("imageUrl") or credentials.image_url,
            state=own.get("state") or credentials.state,
            link_to_upstream_details=own.get("externalUrl") or credentials.external_link,
            message=message.content,
        )

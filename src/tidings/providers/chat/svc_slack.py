"""The service's own Slack app: as Slack, but the operator's settings hold the app.

https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks
"""

from tidings.providers.chat.slack import Slack
from tidings.providers.credentials import may


class SvcSlack(Slack):
    id = "svc-slack"
    name = "Slack (built in)"
    credentials = (
        may("redirectUrl", "Redirect URL", format="url", help="Where to go after connecting."),
        may("hmac", "HMAC", help="Ask for a signature of the subscriber id when connecting."),
    )

"""Amazon SES, version 2 of its API, with the message as MIME.
https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html

Events come through an SNS topic: https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html
Anybody can have SNS sign a message of theirs, so the topic must be the one that was entered.
"""

import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import msgspec

from tidings.domain.integrations import Credentials
from tidings.providers.base import EmailProvider
from tidings.providers.blocks import Reader, b64, from_line, given, header, moment, on, path
from tidings.providers.credentials import FROM_EMAIL, SENDER_NAME, need, secret
from tidings.providers.events import Events, entries, objects
from tidings.providers.exchange import Json, Request, Response, Webhook
from tidings.providers.mail import mime
from tidings.providers.messages import EmailMessage
from tidings.providers.outcomes import BAD_CREDENTIALS, THROTTLED, Event
from tidings.providers.signing import Hash, SigV4, is_recent, is_rsa, same

_RETRIES = timedelta(hours=24)
_AMAZON = re.compile(r"https://sns\.[a-z0-9-]+\.amazonaws\.com(\.cn)?/[^\s\\@]*")
_SIGNED = {
    "Notification": ("Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"),
    "SubscriptionConfirmation": (
        "Message",
        "MessageId",
        "SubscribeURL",
        "Timestamp",
        "Token",
        "TopicArn",
        "Type",
    ),
}


def _name(entry: Mapping[str, Any]) -> str:
    name = str(entry.get("eventType") or entry.get("notificationType"))
    bounce = entry.get("bounce")
    if name == "Bounce" and isinstance(bounce, Mapping):
        return f"Bounce {bounce.get('bounceType')}"
    return name


_EVENTS = Events(
    name=_name,
    names={
        "Send": "sent",
        "Delivery": "delivered",
        "Bounce": "bounced",
        "Bounce Permanent": "bounced",
        "Bounce Transient": "soft_bounced",
        "Bounce Undetermined": "soft_bounced",
        "Complaint": "complained",
        "Reject": "rejected",
        "Open": "opened",
        "Click": "clicked",
        "DeliveryDelay": "deferred",
        "Rendering Failure": "failed",
        "Subscription": "unsubscribed",
    },
    message_id=("mail.messageId",),
    at=(
        "delivery.timestamp",
        "bounce.timestamp",
        "complaint.timestamp",
        "open.timestamp",
        "click.timestamp",
        "deliveryDelay.timestamp",
        "mail.timestamp",
    ),
    target=(
        "bounce.bouncedRecipients.0.emailAddress",
        "complaint.complainedRecipients.0.emailAddress",
        "delivery.recipients.0",
        "deliveryDelay.delayedRecipients.0.emailAddress",
        "mail.destination.0",
    ),
    reason=(
        "bounce.bouncedRecipients.0.diagnosticCode",
        "complaint.complaintFeedbackType",
        "reject.reason",
        "failure.errorMessage",
        "deliveryDelay.delayType",
    ),
)


def _error(response: Response) -> str:
    return str(header("x-amzn-errortype")(response) or "").partition(":")[0]


class Ses(EmailProvider):
    id = "ses"
    name = "Amazon SES"
    docs = "https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html"
    tested = "Its signatures are those that botocore makes."
    credentials = (
        secret("apiKey", "Access key id", help="Of an IAM user that may ses:SendRawEmail."),
        secret("secretKey", "Secret access key", help="Shown once, with the access key."),
        need("region", "Region", help="Such as eu-central-1: where the identity was verified."),
        FROM_EMAIL,
        SENDER_NAME,
    )
    webhook_key = "The ARN of the SNS topic that the configuration set publishes its events to."
    cannot = frozenset({"custom_data", "ip_pool"})
    message_id = path("MessageId")
    reason = path("message")
    rules = (
        on(THROTTLED, at=Reader(_error), like=r"^(TooManyRequests|LimitExceeded|Throttling)"),
        on(
            BAD_CREDENTIALS,
            at=Reader(_error),
            like=r"^(MailFromDomainNotVerified|AccountSuspended|SendingPaused|Signature|InvalidClient)",
        ),
        on(BAD_CREDENTIALS, 400, at="message", like="not verified"),
    )

    def build_request(self, message: EmailMessage, credentials: Credentials) -> Request:
        region = credentials.region
        host = f"email.{region}.amazonaws.com" + (".cn" if region.startswith("cn-") else "")
        body = given(
            FromEmailAddress=from_line(message, credentials),
            Destination=given(
                ToAddresses=list(message.to),
                CcAddresses=list(message.cc),
                BccAddresses=list(message.bcc),
            ),
            Content={"Raw": {"Data": b64(mime(message, credentials))}},
        )
        return Request(
            url=f"https://{host}/v2/email/outbound-emails",
            body=Json(body),
            signer=SigV4(
                access_key=credentials.api_key,
                secret_key=credentials.secret_key,
                region=region,
                service="ses",
                at=message.at,
            ),
        )

    def needs(self, webhook: Webhook) -> Request | None:
        return _fetch(webhook, "SigningCertURL")

    def verify_webhook(self, webhook: Webhook, signing_key: str) -> bool:
        for told in entries(webhook):
            kind = _SIGNED.get(str(told.get("Type")))
            names = [name for name in kind or () if isinstance(told.get(name), str)]
            text = "".join(f"{name}\n{told[name]}\n" for name in names)
            hash: Hash = "sha256" if told.get("SignatureVersion") == "2" else "sha1"
            return (
                bool(signing_key and names)
                and same(str(told.get("TopicArn")), signing_key)
                and is_recent(webhook, moment(told.get("Timestamp")), _RETRIES)
                and _fetch(webhook, "SigningCertURL") is not None
                and is_rsa(webhook.fetched, str(told.get("Signature")), text.encode(), hash)
            )
        return False

    def confirms(self, webhook: Webhook) -> Request | None:
        wanted = [told.get("Type") == "SubscriptionConfirmation" for told in entries(webhook)]
        return _fetch(webhook, "SubscribeURL") if any(wanted) else None

    def parse_webhook(self, webhook: Webhook) -> list[Event]:
        found: list[Event] = []
        for told in entries(webhook):
            if told.get("Type") != "Notification":
                continue
            try:
                inner = msgspec.json.decode(str(told.get("Message")))
            except msgspec.DecodeError:
                continue
            id = str(told.get("MessageId") or "") or None
            found += [
                msgspec.structs.replace(event, id=id) for event in _EVENTS.read(objects(inner))
            ]
        return found


def _fetch(webhook: Webhook, field: str) -> Request | None:
    for told in entries(webhook):
        url = told.get(field)
        if isinstance(url, str) and _AMAZON.fullmatch(url):
            return Request(method="GET", url=url, overrides="none")
    return None

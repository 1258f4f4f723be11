"""Braze. https://www.braze.com/docs/api/endpoints/messaging/send_messages/post_send_messages/

Braze sends to people it knows: their ids are looked up by address first. Blind copies must be set
up in the workspace and attachments be addresses on the web, so neither is carried from a message;
overrides reach both (`messages.email.bcc`, `messages.email.attachments`). Delivery events leave
Braze through Currents, not by webhook.
"""

from collections.abc import Generator

import msgspec

from tidings.domain.integrations import Credentials
from tidings.providers.base import EmailProvider
from tidings.providers.blocks import (
    address,
    as_html,
    bearer,
    from_line,
    given,
    on,
    path,
    person,
    strings,
)
from tidings.providers.credentials import FROM_EMAIL, SENDER_NAME, need, secret
from tidings.providers.events import objects
from tidings.providers.exchange import Conversation, Json, Request, Response
from tidings.providers.messages import EmailMessage
from tidings.providers.outcomes import BAD_RECIPIENT, SENT, Result, Verdict


class Braze(EmailProvider):
    id = "braze"
    name = "Braze"
    docs = "https://www.braze.com/docs/api/endpoints/messaging/send_messages/post_send_messages/"
    credentials = (
        secret(
            "apiKey",
            "API key",
            help="Settings > APIs and Identifiers; with messages.send and users.export.ids.",
        ),
        need(
            "baseUrl", "REST endpoint", format="url", help="Such as https://rest.iad-01.braze.com."
        ),
        need("applicationId", "App identifier", help="Settings > APIs and Identifiers."),
        FROM_EMAIL,
        SENDER_NAME,
    )
    cannot = frozenset({"cc", "bcc", "attachments", "inline attachments", "ip_pool"})
    accepted = on(SENT, at="message", among=("success", "queued"))
    message_id = path("dispatch_id")
    reason = path("message")

    def send_request(
        self, message: EmailMessage, credentials: Credentials, ids: list[str]
    ) -> Request:
        email = given(
            app_id=credentials.application_id,
            subject=message.subject,
            from_=from_line(message, credentials),
            reply_to=message.reply_to,
            body=as_html(message),
            plaintext_body=message.text,
            headers=dict(message.headers),
            extras=strings(message.custom_data),
        )
        body = {"broadcast": False, "external_user_ids": ids, "messages": {"email": email}}
        return Request(
            url=f"{address(credentials.base_url)}/messages/send",
            headers=bearer(credentials.api_key),
            body=Json(body),
        )

    def converse(self, message: EmailMessage, credentials: Credentials) -> Conversation:
        ids: list[str] = []
        unknown: list[str] = []
        for each in message.to:
            found = yield from self._known(each, credentials)
            if isinstance(found, Result):
                return found
            ids += found
            if not found:
                unknown.append(each)
        nobody = f"Braze has no user with an external id and the address {', '.join(unknown)}."
        if not ids:
            return Result(outcome=BAD_RECIPIENT, reason=nobody)
        result = self.parse_response((yield self.send_request(message, credentials, ids)))
        if not unknown:
            return result
        verdicts = tuple(
            Verdict(target=each, outcome=BAD_RECIPIENT, reason=nobody)
            if each in unknown
            else Verdict(target=each, outcome=result.outcome, id=result.id, reason=result.reason)
            for each in message.to
        )
        return msgspec.structs.replace(result, verdicts=verdicts)

    def _known(
        self, mailbox: str, credentials: Credentials
    ) -> Generator[Request, Response, list[str] | Result]:
        response = yield Request(
            url=f"{address(credentials.base_url)}/users/export/ids",
            headers=bearer(credentials.api_key),
            body=Json(
                {
                    "email_address": person(mailbox)["email"],
                    "fields_to_export": ["external_id"],
                }
            ),
            overrides="none",
        )
        if response.status >= 300:
            return self.parse_response(response)
        users = objects(path("users")(response))
        return [str(user["external_id"]) for user in users if user.get("external_id")]

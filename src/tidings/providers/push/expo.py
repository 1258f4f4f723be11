"""Expo push. https://docs.expo.dev/push-notifications/sending-notifications/

An accepted ticket means that Expo took the message. What Apple or Google made of it stands in a
receipt that Expo keeps for a day and never sends by itself. Receipts are fetched after a quarter of
an hour: `ok` says that Apple or Google took the message, not that a device showed it.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from tidings.domain.integrations import Credentials
from tidings.providers.base import PushProvider
from tidings.providers.blocks import bearer, by_target, first, given, on, path
from tidings.providers.credentials import may
from tidings.providers.events import objects
from tidings.providers.exchange import Conversation, Json, Request, Response
from tidings.providers.messages import PushMessage
from tidings.providers.outcomes import (
    BAD_CREDENTIALS,
    BAD_RECIPIENT,
    BAD_REQUEST,
    RETRYABLE,
    SENT,
    THROTTLED,
    Event,
    Happened,
    Outcome,
    Result,
    Verdict,
)

_ERRORS: Mapping[str, Outcome] = {
    "DeviceNotRegistered": BAD_RECIPIENT,
    "MessageTooBig": BAD_REQUEST,
    "MessageRateExceeded": THROTTLED,
    "MismatchSenderId": BAD_CREDENTIALS,
    "InvalidCredentials": BAD_CREDENTIALS,
    "DeveloperError": BAD_CREDENTIALS,
    "ExpoError": RETRYABLE,
    "ProviderError": RETRYABLE,
}


class Expo(PushProvider):
    id = "expo"
    name = "Expo Push"
    docs = "https://docs.expo.dev/push-notifications/sending-notifications/"
    batch = 100
    receipt_after = timedelta(minutes=15)
    credentials = (
        may(
            "apiKey",
            "Access token",
            secret=True,
            help="expo.dev > Access tokens; needed when the project has enhanced push security.",
        ),
    )
    reason = first(path("errors.0.message"), path("data.0.message"))
    rules = (
        on(BAD_CREDENTIALS, at="errors.0.code", among=("UNAUTHORIZED",)),
        on(THROTTLED, at="errors.0.code", among=("TOO_MANY_REQUESTS",)),
        on(BAD_RECIPIENT, 400, at="errors.0.message", like="not a valid Expo push token"),
    )

    def build_request(self, message: PushMessage, credentials: Credentials) -> Request:
        content = given(title=message.title, body=message.content, data=dict(message.payload))
        return Request(
            url="https://exp.host/--/api/v2/push/send",
            headers={
                "Accept": "application/json",
                **(bearer(credentials.api_key) if credentials.api_key else {}),
            },
            body=Json([{"to": target, **content} for target in message.targets]),
        )

    def converse(self, message: PushMessage, credentials: Credentials) -> Conversation:
        response: Response = yield self.build_request(message, credentials)
        tickets = objects(path("data")(response))
        if 200 <= response.status < 300 and len(tickets) == len(message.targets):
            return by_target(_verdicts(message.targets, tickets), response.status)
        result = self.parse_response(response)
        if result.outcome == SENT:
            return Result(outcome=BAD_REQUEST, reason=response.text()[:500], status=response.status)
        return result

    def ask_receipts(self, ids: Sequence[str], credentials: Credentials) -> Request:
        return Request(
            url="https://exp.host/--/api/v2/push/getReceipts",
            headers={
                "Accept": "application/json",
                **(bearer(credentials.api_key) if credentials.api_key else {}),
            },
            body=Json({"ids": list(ids)}),
        )

    def parse_receipts(self, response: Response) -> list[Event]:
        found = path("data")(response)
        receipts = found.items() if isinstance(found, Mapping) else ()
        return [_receipt(id, each) for id, each in receipts if isinstance(each, Mapping)]


def _receipt(id: str, receipt: Mapping[str, Any]) -> Event:
    if receipt.get("status") == "ok":
        return Event(message_id=id, happened="sent")
    code = _code(receipt)
    happened: Happened = "bounced" if code == "DeviceNotRegistered" else "failed"
    reason = str(receipt.get("message") or code or "Expo gave no reason.")
    return Event(message_id=id, happened=happened, reason=reason[:500])


def _code(told: Mapping[str, Any]) -> str:
    details = told.get("details")
    return str(details.get("error") or "") if isinstance(details, Mapping) else ""


def _verdicts(targets: Sequence[str], tickets: Sequence[Mapping[str, Any]]) -> list[Verdict]:
    """The tickets come in the order of the messages."""
    verdicts = []
    for target, ticket in zip(targets, tickets, strict=True):
        if ticket.get("status") == "ok":
            id = str(ticket.get("id") or "") or None
            verdicts.append(Verdict(target=target, outcome=SENT, id=id))
            continue
        code = _code(ticket)
        reason = str(ticket.get("message") or code or "Expo gave no reason.")
        outcome = _ERRORS.get(code, BAD_REQUEST)
        verdicts.append(Verdict(target=target, outcome=outcome, reason=reason))
    return verdicts

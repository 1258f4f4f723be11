"""AfroMessage: a fake written from its page, and what it reports."""

import msgspec

from tidings.providers.exchange import Response
from tidings.providers.fake_vendor import Call

CREDENTIALS = {"apiKey": "key-000001", "senderName": "Tidings", "from": "id-1"}
SENT = Response(
    status=200, body=b'{"acknowledge":"success","response":{"message_id":"am1","status":"ok"}}'
)
SENT_ID = "am1"


def refused(errors: object) -> Response:
    body = {"acknowledge": "error", "response": errors}
    return Response(status=200, body=msgspec.json.encode(body))


CALLS = [
    Call(
        method="GET",
        url="https://api.afromessage.com/api/send",
        auth={"authorization": "Bearer key-000001"},
        mime="",
        query={
            "from!": "id-1",
            "sender!": "Tidings",
            "to!": "15005550006",
            "message!": str,
            "callback": str,
        },
        answer=SENT,
    )
]
REFUSALS = [
    (refused({"errors": ["Invalid phone number"]}), "bad_recipient"),
    (refused("unverified recipient"), "bad_recipient"),
    (refused({"errors": ["Sender not found"]}), "bad_credentials"),
    (refused({"errors": ["Empty message"]}), "bad_request"),
]

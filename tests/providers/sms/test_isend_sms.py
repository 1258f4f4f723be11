"""iSend: a fake written from its page, and what it reports."""

import msgspec

from tidings.providers.exchange import Response
from tidings.providers.fake_vendor import Call

CREDENTIALS = {"apiToken": "token-000001", "from": "Tidings"}
SENT = Response(status=200, body=b'{"status":"success","data":{"uid":"is1"}}')
SENT_ID = "is1"


def refused(text: str, status: int = 200) -> Response:
    return Response(status=status, body=msgspec.json.encode({"status": "error", "message": text}))


CALLS = [
    Call(
        url="https://isend.com.ly/api/v3/sms/send",
        auth={"authorization": "Bearer token-000001"},
        body={
            "recipient!": "15005550006",
            "sender_id": "Tidings",
            "type!": ("plain", "unicode"),
            "message!": str,
        },
        answer=SENT,
        denied=refused("Unauthenticated.", 401),
    )
]
REFUSALS = [
    (refused("Invalid phone number"), "bad_recipient"),
    (refused("Sender id is not authorised"), "bad_credentials"),
    (refused("The message is too long"), "bad_request"),
]

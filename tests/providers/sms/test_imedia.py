"""iMedia: a fake written from its page, and what it reports."""

import msgspec

from tidings.providers.exchange import Response
from tidings.providers.fake_vendor import Call

CREDENTIALS = {"token": "token-000001", "from": "TIDINGS"}


def answered(code: str, text: str) -> Response:
    body = {"errorCode": code, "errorMessage": text, "referentId": "im1"}
    return Response(status=200, body=msgspec.json.encode(body))


SENT = answered("000", "Success")
SENT_ID = "im1"
CALLS = [
    Call(
        url="https://api.mobilebranding.vn/api/SMSBrandname/SendSMS",
        auth={"token": "token-000001"},
        body={
            "to!": "15005550006",
            "from!": "TIDINGS",
            "message!": str,
            "scheduled!": "",
            "requestId!": str,
            "useUnicode!": int,
            "type!": int,
        },
        answer=SENT,
        denied=answered("401", "Invalid token"),
    )
]
REFUSALS = [
    (answered("005", "Invalid phone number"), "bad_recipient"),
    (answered("006", "Brandname is not registered"), "bad_credentials"),
    (answered("009", "Unknown"), "bad_request"),
]

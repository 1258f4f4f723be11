"""Mobishastra: a fake written from its page, and what it reports."""

import msgspec

from tidings.providers.exchange import Response
from tidings.providers.fake_vendor import Call, content_of

CREDENTIALS = {
    "baseUrl": "https://mshastra.com/sendsms_api_json.aspx",
    "user": "20000001",
    "password": "password-0001",
    "from": "Tidings",
}


def answered(text: str, id: str = " ") -> Response:
    return Response(status=200, body=msgspec.json.encode([{"msg_id": id, "str_response": text}]))


SENT = answered("Send Successful", "ms1 ")
SENT_ID = "ms1"
CALLS = [
    Call(
        url="https://mshastra.com/sendsms_api_json.aspx",
        known=lambda request: content_of(request)[0]["pwd"] == "password-0001",
        body=[
            {
                "user!": "20000001",
                "pwd!": str,
                "number!": "15005550006",
                "msg!": str,
                "sender!": "Tidings",
                "language": ("English", "Unicode"),
            }
        ],
        answer=SENT,
        denied=answered("Invalid Profile Id/Password"),
    )
]
REFUSALS = [
    (answered("Invalid Mobile"), "bad_recipient"),
    (answered("Invalid Profile Id/Password"), "bad_credentials"),
    (answered("No More Credits"), "bad_credentials"),
    (answered("Blank Message"), "bad_request"),
]

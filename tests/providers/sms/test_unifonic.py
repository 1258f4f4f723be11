"""Unifonic: a fake written from its page, and what it reports."""

import msgspec

from tidings.providers.exchange import Response
from tidings.providers.fake_vendor import Call, content_of
from tidings.providers.sms.unifonic import Unifonic

CREDENTIALS = {"appSid": "app-sid-000001", "senderId": "Tidings"}
SENT = Response(
    status=200,
    body=b'{"success":"true","message":"","errorCode":"ER-00","data":{"MessageID":310}}',
)
SENT_ID = "310"


def refused(status: int, text: str = "no") -> Response:
    body = {"success": "false", "message": text, "errorCode": "ER-01"}
    return Response(status=status, body=msgspec.json.encode(body))


CALLS = [
    Call(
        url="https://el.cloud.unifonic.com/rest/SMS/messages",
        known=lambda request: content_of(request)["AppSid"] == "app-sid-000001",
        mime="application/x-www-form-urlencoded",
        body={
            "AppSid!": str,
            "SenderID!": "Tidings",
            "Recipient!": "15005550006",
            "Body!": str,
            "responseType": "JSON",
            "CorrelationID": str,
            "baseEncode": "true",
            "async": "false",
        },
        answer=SENT,
        denied=refused(401, "Authentication failed"),
    )
]
REFUSALS = [
    *((refused(status), "bad_recipient") for status in (410, 422, 482)),
    *((refused(status), "bad_credentials") for status in (402, 403, 459, 480)),
    *((refused(status), "bad_request") for status in (200, 409, 412, 417, 421, 449)),
    *((refused(status), "retryable") for status in (499, 599)),
]


def test_success_and_id_in_their_other_spelling() -> None:
    body = b'{"success":true,"errorCode":"ER-00","data":{"messageID":"311"}}'
    result = Unifonic().parse_response(Response(status=200, body=body))
    assert (result.outcome, result.id) == ("sent", "311")

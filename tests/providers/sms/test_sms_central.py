"""SMS Central: a fake written from its page, and what it reports."""

from tidings.providers.exchange import Response
from tidings.providers.fake_vendor import Call, content_of
from tidings.providers.sms.sms_central import SmsCentral

CREDENTIALS = {"user": "ada", "password": "password-0001", "from": "shared"}
SENT = Response(status=200, body=b"0")
SENT_ID = None
CALLS = [
    Call(
        url="https://my.smscentral.com.au/api/v3.2",
        known=lambda request: content_of(request)["PASSWORD"] == "password-0001",
        mime="application/x-www-form-urlencoded",
        body={
            "ACTION!": "send",
            "USERNAME!": "ada",
            "PASSWORD!": str,
            "ORIGINATOR!": "shared",
            "RECIPIENT!": "15005550006",
            "MESSAGE_TEXT!": str,
            "REFERENCE": str,
        },
        answer=SENT,
        denied=Response(status=200, body=b"511 Invalid username or password"),
    )
]
REFUSALS = [
    (
        Response(
            status=200,
            body=b"<error><errorcode>1</errorcode>"
            b"<errormessage>Invalid recipient</errormessage></error>",
        ),
        "bad_recipient",
    ),
    (Response(status=200, body=b"511 Invalid username or password"), "bad_credentials"),
    (Response(status=200, body=b"517"), "bad_request"),
]


def test_the_words_inside_xml_are_the_reason() -> None:
    assert SmsCentral().parse_response(REFUSALS[0][0]).reason == "Invalid recipient"

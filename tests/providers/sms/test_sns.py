"""Amazon SNS: a fake written from its page, and what it reports."""

from tidings.domain.integrations import Credentials
from tidings.providers.exchange import Encoded, Response
from tidings.providers.fake_vendor import Call
from tidings.providers.messages import SmsMessage
from tidings.providers.sms.sns import Sns

CREDENTIALS = {
    "apiKey": "AKID0001",
    "secretKey": "secret-000001",
    "region": "eu-west-1",
    "from": "Tidings",
}
SENT = Response(
    status=200,
    body=b'<PublishResponse xmlns="https://sns.amazonaws.com/doc/2010-03-31/"><PublishResult>'
    b"<MessageId>sns1</MessageId></PublishResult></PublishResponse>",
)
SENT_ID = "sns1"


def refused(code: str, text: str = "no", status: int = 400) -> Response:
    body = (
        '<ErrorResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/"><Error>'
        f"<Type>Sender</Type><Code>{code}</Code><Message>{text}</Message></Error></ErrorResponse>"
    )
    return Response(status=status, body=body.encode())


# Made by botocore 1.44 for the two messages of the contract.
_SIGNATURES = (
    "1ba576c11eff3f42a229978dbcf0370ecddab2775ed61803307b77d9eef51420",
    "3ee0efd066ba65a7af995f3954c557364fea2c9d1f588998a3d61331f86bb6ce",
)


def known(request: Encoded) -> bool:
    start = (
        "AWS4-HMAC-SHA256 Credential=AKID0001/20260101/eu-west-1/sns/aws4_request, "
        "SignedHeaders=content-type;host;x-amz-date, Signature="
    )
    return request.headers["Authorization"] in {start + each for each in _SIGNATURES}


CALLS = [
    Call(
        url="https://sns.eu-west-1.amazonaws.com/",
        headers={"x-amz-date": "20260101T000000Z"},
        known=known,
        mime="application/x-www-form-urlencoded",
        body={
            "Action!": "Publish",
            "Version!": "2010-03-31",
            "PhoneNumber!": "+15005550006",
            "Message!": str,
            "MessageAttributes.entry.1.Name": "AWS.SNS.SMS.SMSType",
            "MessageAttributes.entry.1.Value.DataType": "String",
            "MessageAttributes.entry.1.Value.StringValue": "Transactional",
            "MessageAttributes.entry.2.Name": "AWS.SNS.SMS.SenderID",
            "MessageAttributes.entry.2.Value.DataType": "String",
            "MessageAttributes.entry.2.Value.StringValue": "Tidings",
        },
        answer=SENT,
        denied=refused("SignatureDoesNotMatch", "The signature does not match", 403),
    )
]
REFUSALS = [
    (refused("InvalidParameter", "Invalid parameter: PhoneNumber"), "bad_recipient"),
    (refused("InvalidParameter", "Invalid parameter: Message"), "bad_request"),
    (refused("AuthorizationError", "no", 403), "bad_credentials"),
    (refused("InvalidClientTokenId", "no", 403), "bad_credentials"),
    (refused("Throttling"), "throttled"),
    (refused("InternalError", "no", 500), "retryable"),
]


def test_the_answer_may_be_json() -> None:
    body = b'{"PublishResponse":{"PublishResult":{"MessageId":"sns2"}}}'
    assert Sns().parse_response(Response(status=200, body=body)).id == "sns2"


def test_china_has_a_domain_of_its_own() -> None:
    message = SmsMessage(id="m1", to="+15005550006", content="Hi")
    request = Sns().build_request(message, Credentials(region="cn-north-1"))
    assert request.url == "https://sns.cn-north-1.amazonaws.com.cn/"

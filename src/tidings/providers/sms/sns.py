"""Amazon SNS, for SMS. https://docs.aws.amazon.com/sns/latest/api/API_Publish.html

Answers are XML. What becomes of a message is only logged in CloudWatch: there are no reports.
"""

from tidings.domain.integrations import Credentials
from tidings.providers.base import SmsProvider
from tidings.providers.blocks import e164, first, from_number, on, path, xml
from tidings.providers.credentials import may, need, secret
from tidings.providers.exchange import Form, Request
from tidings.providers.messages import SmsMessage
from tidings.providers.outcomes import BAD_CREDENTIALS, BAD_RECIPIENT, RETRYABLE, THROTTLED
from tidings.providers.signing import SigV4

_CODE = first(xml("Error/Code"), path("Error.Code"))
_TEXT = first(xml("Error/Message"), path("Error.Message"))


class Sns(SmsProvider):
    id = "sns"
    name = "Amazon SNS"
    docs = "https://docs.aws.amazon.com/sns/latest/api/API_Publish.html"
    tested = "Its signatures are those that botocore makes."
    credentials = (
        secret("apiKey", "Access key id", help="Of an IAM user that may sns:Publish."),
        secret("secretKey", "Secret access key", help="Shown once, with the access key."),
        need("region", "Region", help="Such as eu-west-1."),
        may("from", "Sender id", format="sender", help="Where the country allows one."),
    )
    cannot = frozenset({"custom_data"})
    message_id = first(
        xml("PublishResult/MessageId"), path("PublishResponse.PublishResult.MessageId")
    )
    reason = _TEXT
    rules = (
        on(BAD_RECIPIENT, at=_TEXT, like="PhoneNumber|phone number|opted out"),
        on(
            BAD_CREDENTIALS,
            at=_CODE,
            like="Authorization|SignatureDoesNotMatch|InvalidClientTokenId|AccessDenied|Expired",
        ),
        on(THROTTLED, at=_CODE, like="^Throttl"),
        on(RETRYABLE, at=_CODE, like="^Internal"),
    )

    def build_request(self, message: SmsMessage, credentials: Credentials) -> Request:
        region = credentials.region
        suffix = ".cn" if region.startswith("cn-") else ""
        attributes = {"AWS.SNS.SMS.SMSType": "Transactional"}
        if sender := from_number(message, credentials):
            attributes["AWS.SNS.SMS.SenderID"] = sender
        body = {
            "Action": "Publish",
            "Version": "2010-03-31",
            "PhoneNumber": e164(message.to),
            "Message": message.content,
        }
        for number, (name, value) in enumerate(attributes.items(), 1):
            entry = f"MessageAttributes.entry.{number}"
            body[f"{entry}.Name"] = name
            body[f"{entry}.Value.DataType"] = "String"
            body[f"{entry}.Value.StringValue"] = value
        return Request(
            url=f"https://sns.{region}.amazonaws.com{suffix}/",
            body=Form(body),
            signer=SigV4(
                access_key=credentials.api_key,
                secret_key=credentials.secret_key,
                region=region,
                service="sns",
                at=message.at,
            ),
        )

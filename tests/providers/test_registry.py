"""Every SMS and chat provider that the interface names has a file."""

from tidings.providers.registry import known

SMS = """
nexmo plivo sms77 sms-central sns telnyx twilio gupshup firetext infobip-sms burst-sms bulk-sms
isend-sms forty-six-elks kannel maqsam termii africas-talking sendchamp generic-sms clickatell
clicksend bandwidth messagebird simpletexting azure-sms ring-central brevo-sms eazy-sms mobishastra
afro-message unifonic smsmode imedia
"""
CHAT = """
slack discord msteams mattermost ryver zulip grafana-on-call getstream rocket-chat
whatsapp-business chat-webhook svc-slack
"""


def test_sms() -> None:
    assert set(SMS.split()) <= set(known("sms"))


def test_chat() -> None:
    assert set(known("chat")) == set(CHAT.split())

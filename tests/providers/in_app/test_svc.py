"""The rows of the in-app provider; tests/contract/test_providers.py asks for them."""

from tidings.providers.exchange import Response

CREDENTIALS = {"hmac": True}
SENT = Response(status=200)
SENT_ID = None

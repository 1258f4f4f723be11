"""The rows of a catcher; tests/contract/test_providers.py asks for them."""

from typing import Any

from tidings.providers.exchange import Response

CREDENTIALS: dict[str, Any] = {}
SENT = Response(status=200)
SENT_ID = None

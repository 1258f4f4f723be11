"""A vendor's certificate is fetched once, and kept only when it proved the vendor right."""

from datetime import timedelta

import msgspec
import pytest

from tests.providers.email.test_ses import _CERTIFICATE, TOPIC, _notification
from tidings.actions.deliveries import hear
from tidings.domain.errors import UnprovenError
from tidings.providers.email.ses import Ses
from tidings.providers.exchange import Request, Response, Webhook
from tidings.providers.fake import fake_network


def _later(**span: float) -> Webhook:
    webhook = _notification()
    return msgspec.structs.replace(webhook, fetched=b"", at=webhook.at + timedelta(**span))


async def test_the_certificate_is_fetched_once_a_day() -> None:
    network, http, _ = fake_network([Response(status=200, body=_CERTIFICATE)])
    for hours in (0, 1, 23):
        events = await hear(Ses(), _later(hours=hours), TOPIC, network)
        assert isinstance(events, list)
        assert len(events) == 1
    assert len(http.requests) == 1
    with pytest.raises(UnprovenError):  # too old by now, but by then it was fetched anew
        await hear(Ses(), _later(hours=25), TOPIC, network)
    assert len(http.requests) == 2


async def test_what_proves_nothing_is_not_kept() -> None:
    network, http, _ = fake_network(
        [Response(status=200, body=b"no certificate"), Response(status=200, body=_CERTIFICATE)]
    )
    with pytest.raises(UnprovenError):
        await hear(Ses(), _later(), TOPIC, network)
    await hear(Ses(), _later(), TOPIC, network)
    await hear(Ses(), _later(), TOPIC, network)
    assert len(http.requests) == 2


async def test_without_a_signing_key_nothing_is_fetched() -> None:
    network, http, _ = fake_network([Response(status=200, body=_CERTIFICATE)])
    with pytest.raises(UnprovenError):
        await hear(Ses(), _later(), "", network)
    assert not http.requests


async def test_only_so_many_are_kept() -> None:
    network, http, _ = fake_network([Response(status=200, body=b"x")])
    at = _later().at
    requests = [Request(method="GET", url=f"https://a.example/{n}") for n in range(33)]
    for request in requests:
        network.keep(request, await network.fetch(request, at), at)
    await network.fetch(requests[-1], at)
    assert len(http.requests) == 33
    await network.fetch(requests[0], at)
    assert len(http.requests) == 34

"""Receipts are fetched some time after the send, and a dead device is forgotten."""

from typing import Any

import msgspec

from tests.engine.conftest import Engine
from tests.engine.test_delivery import PUSH, devices
from tidings.engine import receipts
from tidings.providers.delivery import Network
from tidings.providers.exchange import Encoded, Response
from tidings.providers.transport import UnreachableError

RECEIPTS = {
    "t-phone": {"status": "ok"},
    "t-tablet": {
        "status": "error",
        "message": "gone",
        "details": {"error": "DeviceNotRegistered"},
    },
}


class Expo:
    """Gives a ticket for each message, and receipts once they are ready."""

    def __init__(self) -> None:
        self.ready: dict[str, Any] = {}
        self.asked: list[list[str]] = []
        self.away = False

    async def send(self, request: Encoded) -> Response:
        if self.away:
            raise UnreachableError("no answer")
        said = msgspec.json.decode(request.body)
        if request.url.endswith("/push/send"):
            tickets = [{"status": "ok", "id": f"t-{each['to']}"} for each in said]
            return Response(status=200, body=msgspec.json.encode({"data": tickets}))
        self.asked.append(sorted(said["ids"]))
        found = {id: self.ready[id] for id in said["ids"] if id in self.ready}
        return Response(status=200, body=msgspec.json.encode({"data": found}))

    async def close(self) -> None:
        pass


async def test_receipts_are_fetched_until_they_are_there(engine: Engine) -> None:
    expo = Expo()
    engine.wire.send = expo.send  # type: ignore[method-assign]
    network = Network(expo, expo)  # type: ignore[arg-type]

    async def collect(**span: float) -> None:
        await engine.pass_time(**span)
        await receipts.collect(engine.database, engine.world, network)

    await devices(engine, "expo", "phone", "tablet", apiKey="k" * 12)
    await engine.trigger(await engine.workflow(PUSH))
    await engine.work()
    assert await engine.statuses() == [["completed"]]
    await collect(minutes=14)
    assert expo.asked == []
    await collect(minutes=2)
    assert expo.asked == [["t-phone", "t-tablet"]]
    expo.away = True
    await collect(minutes=31)
    expo.away = False
    expo.ready = RECEIPTS
    await collect(minutes=31)
    assert (await engine.details())[-2:] == [
        "The provider reports the message as sent",
        "The provider reports the message as bounced: gone",
    ]
    assert sorted(await engine.messages("status, error_text")) == [
        ("error", "gone"),
        ("sent", None),
    ]
    ((channels,),) = await engine.rows("SELECT channels FROM subscribers WHERE key = 'ada'")
    assert msgspec.json.decode(channels)[0]["credentials"]["deviceTokens"] == ["phone"]
    asked = len(expo.asked)
    await collect(hours=2)
    assert len(expo.asked) == asked


async def test_receipts_that_never_come_are_given_up(engine: Engine) -> None:
    expo = Expo()
    engine.wire.send = expo.send  # type: ignore[method-assign]
    await devices(engine, "expo", "phone")
    await engine.trigger(await engine.workflow(PUSH))
    await engine.work()
    await engine.pass_time(hours=25)
    await receipts.collect(engine.database, engine.world, Network(expo, expo))  # type: ignore[arg-type]
    assert expo.asked == []
    assert await engine.rows("SELECT * FROM awaited_receipts") == []

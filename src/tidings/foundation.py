"""What every command stands on: from settings to the database and the world."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import TYPE_CHECKING

from tidings.clock import SystemClock
from tidings.domain.limits import Limits, Pace
from tidings.ids import Ids
from tidings.settings import Settings, encryption_keys, send_limits
from tidings.storage import secrets
from tidings.storage.database import Database
from tidings.world import World

if TYPE_CHECKING:
    from tidings.providers.delivery import Network


def make_world(settings: Settings) -> World:
    clock = SystemClock()
    return World(
        clock=clock,
        ids=Ids(clock),
        sealer=secrets.Sealer(lambda: keys_of(settings)),
        limits=limits_of(settings),
        allowed_references=settings.credential_references,
        catching=settings.development,
    )


def limits_of(settings: Settings) -> Limits:
    wait, throttle = settings.longest_wait_hours, settings.longest_throttle_hours
    return Limits(
        longest_wait=None if wait is None else timedelta(hours=wait),
        longest_throttle=None if throttle is None else timedelta(hours=throttle),
        kept_for=timedelta(days=settings.retention_days),
        in_app_kept_for=timedelta(days=settings.retention_in_app_days),
        send_concurrency=settings.send_concurrency,
        send_rate=settings.send_rate,
        send_limits={name: Pace(*pace) for name, pace in send_limits(settings).items()},
    )


def make_network(settings: Settings) -> "Network":
    """The ways out; loaded when wanted, since few commands send anything."""
    from tidings.providers.delivery import Network

    return Network.guarded(
        settings.outbound_allow, settings.development, settings.credential_references
    )


def keys_of(settings: Settings) -> list[bytes]:
    return encryption_keys(settings) or secrets.read_key_file(settings.data_path)


@asynccontextmanager
async def open_database(settings: Settings, url: str) -> AsyncIterator[Database]:
    database = await Database.open(url, settings.pool_size)
    try:
        yield database
    finally:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(5):
                await database.close()
        database.terminate()

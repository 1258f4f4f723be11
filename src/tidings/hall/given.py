"""What a handler may ask for by naming it: its connection, its caller, the world."""

from typing import Any

from litestar import Request
from litestar.di import NamedDependency, Provide

from tidings.actions.accepting import Accepter
from tidings.dialect import Dialect
from tidings.hall.caller import Caller
from tidings.hall.unit import Offered, Unit
from tidings.providers.delivery import Network
from tidings.storage.database import Connection, Database
from tidings.world import World

Conn = NamedDependency[Connection]
"""`conn`: for reading."""
Tx = NamedDependency[Connection]
"""`tx`: the transaction that commits before the answer is sent."""
ByCaller = NamedDependency[Caller]
"""`caller`: on whose behalf the request acts."""
InWorld = NamedDependency[World]
"""`world`: time, chance and encryption keys."""
InDialect = NamedDependency[Dialect]
"""`dialect`: how enumerated identifiers are spelled."""
GivenOffered = NamedDependency[Offered]
"""`offered`: takes the events that the answer promises (see `unit`)."""
InAccepter = NamedDependency[Accepter]
"""`accepter`: for handlers that accept triggers or wake the engine."""

InDatabase = NamedDependency[Database]
"""`database`: for handlers that open their own transactions (see `unit`)."""
Outbound = NamedDependency[Network]
"""`network`: the ways out, for such handlers."""


def basics(world: World, dialect: Dialect) -> dict[str, Provide]:
    """What handlers of every door may ask for."""
    return {
        "conn": Provide(_connection),
        "tx": Provide(_transaction),
        "world": Provide(lambda: world, sync_to_thread=False),
        "dialect": Provide(lambda: dialect, sync_to_thread=False),
    }


def providers(
    world: World, dialect: Dialect, database: Database, network: Network, accepter: Accepter
) -> dict[str, Provide]:
    return {
        **basics(world, dialect),
        "caller": Provide(_caller, sync_to_thread=False),
        "database": Provide(lambda: database, sync_to_thread=False),
        "network": Provide(lambda: network, sync_to_thread=False),
        "offered": Provide(_offered, sync_to_thread=False),
        "accepter": Provide(lambda: accepter, sync_to_thread=False),
    }


def described() -> dict[str, Provide]:
    """The same names without anything behind them, for describing handlers."""
    names = (
        *("conn", "tx", "caller", "world", "dialect"),
        *("database", "network", "offered", "accepter"),
    )
    return {name: Provide(lambda: None, sync_to_thread=False) for name in names}


async def _connection(request: Request[Any, Any, Any]) -> Connection:
    unit: Unit = request.scope["state"]["unit"]
    return await unit.connection()


async def _transaction(request: Request[Any, Any, Any]) -> Connection:
    return await _connection(request)


def _caller(request: Request[Any, Any, Any]) -> Caller:
    caller: Caller = request.scope["state"]["caller"]
    return caller


def _offered(request: Request[Any, Any, Any]) -> Offered:
    offered: Offered = request.scope["state"]["offered"]
    return offered

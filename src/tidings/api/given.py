"""What a handler may ask for by naming it: its connection, its caller, the world."""

from typing import Any

from litestar import Request
from litestar.di import NamedDependency, Provide

from tidings.api.auth import Caller
from tidings.api.unit import Unit
from tidings.dialect import Dialect
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

InDatabase = NamedDependency[Database]
"""`database`: for handlers that open their own transactions (see `unit`)."""
Outbound = NamedDependency[Network]
"""`network`: the ways out, for such handlers."""


def providers(
    world: World, dialect: Dialect, database: Database, network: Network
) -> dict[str, Provide]:
    return {
        "conn": Provide(_connection),
        "tx": Provide(_transaction),
        "caller": Provide(_caller, sync_to_thread=False),
        "world": Provide(lambda: world, sync_to_thread=False),
        "dialect": Provide(lambda: dialect, sync_to_thread=False),
        "database": Provide(lambda: database, sync_to_thread=False),
        "network": Provide(lambda: network, sync_to_thread=False),
    }


def described() -> dict[str, Provide]:
    """The same names without anything behind them, for describing handlers."""
    names = ("conn", "tx", "caller", "world", "dialect", "database", "network")
    return {name: Provide(lambda: None, sync_to_thread=False) for name in names}


async def _connection(request: Request[Any, Any, Any]) -> Connection:
    unit: Unit = request.scope["state"]["unit"]
    return await unit.connection()


async def _transaction(request: Request[Any, Any, Any]) -> Connection:
    return await _connection(request)


def _caller(request: Request[Any, Any, Any]) -> Caller:
    caller: Caller = request.scope["state"]["caller"]
    return caller

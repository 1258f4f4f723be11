"""What a handler may ask for by naming it: its connection, its caller, the world."""

import inspect
from collections.abc import Callable, Mapping
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


Getter = Callable[[Any], Any]
"""Takes one of these from the scope of a request; some have to be awaited."""


def basics(world: World, dialect: Dialect) -> dict[str, Getter]:
    """What handlers of every door may ask for."""
    return {
        "conn": _connection,
        "tx": _connection,
        "world": lambda scope: world,
        "dialect": lambda scope: dialect,
    }


def getters(
    world: World, dialect: Dialect, database: Database, network: Network, accepter: Accepter
) -> dict[str, Getter]:
    return {
        **basics(world, dialect),
        "caller": lambda scope: scope["state"]["caller"],
        "offered": lambda scope: scope["state"]["offered"],
        "database": lambda scope: database,
        "network": lambda scope: network,
        "accepter": lambda scope: accepter,
    }


def provided(getters: Mapping[str, Getter]) -> dict[str, Provide]:
    return {name: _provide(getter) for name, getter in getters.items()}


def providers(
    world: World, dialect: Dialect, database: Database, network: Network, accepter: Accepter
) -> dict[str, Provide]:
    """The same for the framework."""
    return provided(getters(world, dialect, database, network, accepter))


def described() -> dict[str, Provide]:
    """The same names without anything behind them, for describing handlers."""
    names = (
        *("conn", "tx", "caller", "world", "dialect"),
        *("database", "network", "offered", "accepter"),
    )
    return {name: Provide(lambda: None, sync_to_thread=False) for name in names}


def _provide(getter: Getter) -> Provide:
    if inspect.iscoroutinefunction(getter):

        async def wait(request: Request[Any, Any, Any]) -> Any:
            return await getter(request.scope)

        return Provide(wait)

    def take(request: Request[Any, Any, Any]) -> Any:
        return getter(request.scope)

    return Provide(take, sync_to_thread=False)


async def _connection(scope: Any) -> Connection:
    unit: Unit = scope["state"]["unit"]
    return await unit.connection()

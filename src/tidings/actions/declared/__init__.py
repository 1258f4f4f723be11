"""What a file declares, made so: one file per kind of resource, found by walking this package.

A kind's file has `KIND` (the name of its table in the file), `ORDER` (kinds that others need come
first) and `reconcile(tx, world, entry) -> Difference` for one entry. Adding a kind touches no other
file.
"""

import importlib
import pkgutil
from collections.abc import Mapping
from types import ModuleType
from typing import Any, Literal, TypeVar

import msgspec

from tidings.domain.errors import InvalidError, RefusedError
from tidings.storage.database import Connection
from tidings.world import World

T = TypeVar("T")


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """What was done to bring one thing to its declared state."""

    kind: str
    name: str
    action: Literal["create", "update", "unchanged"]
    changes: tuple[str, ...] = ()
    """One line for each field that differs, without secrets."""


async def apply(tx: Connection, world: World, declared: Mapping[str, Any]) -> list[Difference]:
    """Every entry in order; the first that is wrong ends it, and the caller's transaction."""
    kinds = sorted(_kinds().values(), key=lambda kind: kind.ORDER)
    known = [kind.KIND for kind in kinds]
    for name in declared:
        if name not in known:
            raise RefusedError(f"{name!r} cannot be declared; there are {', '.join(known)}.")
    done = []
    for kind in kinds:
        entries = declared.get(kind.KIND) or []
        if not isinstance(entries, list):
            raise RefusedError(f"{kind.KIND} must be a list.")
        for number, entry in enumerate(entries, 1):
            try:
                done.append(await kind.reconcile(tx, world, entry))
            except InvalidError as error:
                raise RefusedError(f"{kind.KIND}, entry {number}: {_told(error)}") from None
    return done


def read(entry: Any, shape: type[T]) -> T:
    """One entry in its record; a key that nobody reads is an error."""
    try:
        return msgspec.convert(entry, shape)
    except msgspec.ValidationError as error:
        raise InvalidError.of("entry", str(error)) from None


def difference(name: str, before: Any, after: Any) -> list[str]:
    if before == after:
        return []
    return [f"{name}: {_shown(before)} -> {_shown(after)}"]


def _shown(value: Any) -> str:
    return "(none)" if value is None else msgspec.json.encode(value).decode()


def _kinds() -> dict[str, ModuleType]:
    return {
        each.name: importlib.import_module(f"{__name__}.{each.name}")
        for each in pkgutil.iter_modules(__path__)
    }


def _told(error: InvalidError) -> str:
    return "; ".join(
        f"{field}: {', '.join(problem.messages)}" for field, problem in error.problems.items()
    )

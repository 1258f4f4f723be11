"""Doors that are built once for all tests, since that takes half a second.

They are built around stand-ins, which lead to the parts of whichever test is running.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import msgspec
from litestar.handlers import HTTPRouteHandler

from tidings import app
from tidings.api import door
from tidings.api.door import Parts
from tidings.domain.limits import Limits
from tidings.hall.edge import Edge
from tidings.inbox.sockets import Sockets
from tidings.world import World


class _StandIn:
    """Something that belongs to the running test. What is taken from it while doors are being
    built is a stand-in as well."""

    building = False

    def __init__(self, find: Callable[[], Any]) -> None:
        self._find = find

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        """The framework looks whether a handler gets what it asks for."""
        return type(self._find())

    def __getattr__(self, name: str) -> Any:
        if _StandIn.building:
            return _StandIn(lambda: getattr(self._find(), name))
        return getattr(self._find(), name)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self._find()(*arguments, **named)


class _Now(msgspec.Struct):
    """What the test that is running gave."""

    parts: Parts
    sockets: Sockets


_PLAIN = (bool, str, tuple, Limits)
_built: dict[Any, tuple[Edge, _Now]] = {}


def open_doors(parts: Parts, sockets: Sockets | None = None) -> Edge:
    """Like the service's own; of those with the same settings, the last opened are the ones that
    work."""
    return _once((), parts, sockets or app.make_sockets(parts), app.open_doors)


def open_probe(parts: Parts, *handlers: HTTPRouteHandler) -> Edge:
    """The API's door alone, with some more handlers behind it."""

    def build(parts: Parts, _: Sockets) -> Edge:
        probed = door.build(parts)
        probed.register(door.guarded(parts, list(handlers)))
        return Edge(probed)

    return _once(handlers, parts, app.make_sockets(parts), build)


def _once(
    what: Hashable, parts: Parts, sockets: Sockets, build: Callable[[Parts, Sockets], Edge]
) -> Edge:
    alike = (what, repr(msgspec.structs.replace(parts.settings, data_dir="")))
    if alike in _built:
        doors, now = _built[alike]
        now.parts, now.sockets = parts, sockets
        return doors
    now = _Now(parts, sockets)
    _built[alike] = (_build(now, build), now)
    return _built[alike][0]


def _build(now: _Now, build: Callable[[Parts, Sockets], Edge]) -> Edge:
    parts = Parts(
        now.parts.settings,
        World(**_standing(lambda: now.parts.world)),
        **_standing(lambda: now.parts, without=("settings", "world")),
    )
    sockets: Any = _StandIn(lambda: now.sockets)
    _StandIn.building = True
    try:
        return build(parts, sockets)
    finally:
        _StandIn.building = False


def _standing(find: Callable[[], msgspec.Struct], without: Sequence[str] = ()) -> dict[str, Any]:
    """For each field of a record, except those that are plain values, a stand-in."""
    values = msgspec.structs.asdict(find())
    return {
        name: value if isinstance(value, _PLAIN) else _stand_in(find, name)
        for name, value in values.items()
        if name not in without
    }


def _stand_in(find: Callable[[], msgspec.Struct], name: str) -> Any:
    return _StandIn(lambda: getattr(find(), name))

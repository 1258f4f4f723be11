"""One request to the dashboard, one unit of work: the change and its audit entry commit together,
before the answer is sent; a refused form is drawn anew with what is wrong."""

from http import HTTPStatus
from typing import Any

from litestar import Request
from litestar.enums import ScopeType
from litestar.types import ASGIApp, HTTPScope, Receive, Scope, Send

from tidings.actions import audit
from tidings.domain.errors import InvalidError, Problem, TidingsError
from tidings.hall.unit import OWN_TRANSACTIONS, Held, Unit
from tidings.storage.database import Connection, Database
from tidings.web.handlers import Does
from tidings.web.visit import Visit
from tidings.world import World

_READING = frozenset({"GET", "HEAD"})


class WebUnit:
    def __init__(self, app: ASGIApp, database: Database, world: World) -> None:
        self._app = app
        self._database = database
        self._world = world

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert scope["type"] == ScopeType.HTTP
        apart = OWN_TRANSACTIONS.items() <= scope["route_handler"].opt.items()
        unit = Unit(self._database, scope["method"] not in _READING, apart)
        scope["state"]["unit"] = unit
        if scope["method"] in _READING:
            try:
                await self._app(scope, receive, send)
            finally:
                await unit.roll_back()
        else:
            await self._write(scope, receive, send, unit, apart)

    async def _write(
        self, scope: HTTPScope, receive: Receive, send: Send, unit: Unit, apart: bool
    ) -> None:
        does: Does = scope["route_handler"].opt["does"]
        held = Held(scope, send)
        try:
            await self._app(scope, receive, held)
            if held.status < HTTPStatus.BAD_REQUEST:
                if apart:
                    async with self._database.transaction() as tx:
                        await self._note(tx, scope, does)
                else:
                    await self._note(await unit.connection(), scope, does)
                    await unit.commit()
        finally:
            await unit.roll_back()
        failure: TidingsError | None = scope["state"].get("failure")
        if failure is not None and does.again is not None:
            await self._again(scope, receive, send, failure, does)
        else:
            await held.release()

    async def _note(self, tx: Connection, scope: HTTPScope, does: Does) -> None:
        visit: Visit = scope["state"]["visit"]
        if does.action is None:
            return
        assert visit.touched is not None, f"{does.action} must call visit.touch"
        id, name, details = visit.touched
        user, here = visit.user, visit.touched_environment or visit.here
        await audit.note(tx, self._world, user, here, does.action, id, name, details, visit.address)

    async def _again(
        self, scope: HTTPScope, receive: Receive, send: Send, failure: TidingsError, does: Does
    ) -> None:
        visit: Visit = scope["state"]["visit"]
        visit.problems = (
            failure.problems
            if isinstance(failure, InvalidError)
            else {"": Problem([failure.message])}
        )
        assert does.again is not None
        async with self._database.connection() as connection:
            answer = await does.again(visit, connection, dict(scope["path_params"]))
        request: Request[Any, Any, Any] = Request(scope, receive, send)
        await answer.to_asgi_response(app=None, request=request)(scope, receive, send)

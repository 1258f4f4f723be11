"""Who may pass: the session, the role that the handler asks for, and where forms come from."""

from datetime import datetime
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from ipaddress import ip_address

import msgspec
from litestar.enums import ScopeType
from litestar.types import ASGIApp, HTTPScope, Receive, Scope, Send

from tidings.domain.environments import Environment
from tidings.domain.errors import ForbiddenError, NotFoundError
from tidings.domain.users import IDLE_FOR, Session, token_digest
from tidings.hall.errors import WireError
from tidings.settings import Settings
from tidings.storage import environments, sessions, users
from tidings.storage.database import Connection, Database
from tidings.web.form import Form
from tidings.web.handlers import SECTIONS, Does, Entry
from tidings.web.places import GLOBAL_STEPS, Places
from tidings.web.visit import SESSION_COOKIE, Visit
from tidings.world import World

_READING = frozenset({"GET", "HEAD"})
_NOTE_AFTER = IDLE_FOR / 1000
_FORWARDED = (b"forwarded", b"x-forwarded-for", b"x-real-ip")
_FORM = "application/x-www-form-urlencoded"


class SignInNeededError(Exception):
    """Nobody is signed in; the answer leads to where they can."""


class Keeper(msgspec.Struct, frozen=True):
    """What the gate needs to know."""

    settings: Settings
    world: World
    database: Database
    nav: tuple[Entry, ...]


class Gate:
    """Lets a request through with its Visit in the state, or refuses it."""

    def __init__(self, app: ASGIApp, keeper: Keeper) -> None:
        self._app = app
        self._keeper = keeper

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert scope["type"] == ScopeType.HTTP
        does: Does = scope["route_handler"].opt["does"]
        visit = bare_visit(scope, self._keeper.settings, self._keeper.world.clock.now())
        visit.world = self._keeper.world
        scope["state"]["visit"] = visit
        async with self._keeper.database.connection() as connection:
            await self._recognise(connection, visit)
            if does.role is not None and visit.session is None:
                raise SignInNeededError
            await self._find_environment(connection, visit, scope["path_params"])
        visit.greet(self._keeper.world.ids.secret())
        visit.nav = _nav(visit, self._keeper.nav)
        if does.role is not None and not visit.may(does.role):
            raise ForbiddenError(
                f"This needs the role {does.role}; you are {visit.user.role}. Ask an owner to "
                "change your role."
            )
        if scope["method"] not in _READING:
            visit.form = await self._form(scope, receive)
            self._refuse_forgery(scope, visit)
        await self._app(scope, receive, send)

    async def _recognise(self, connection: Connection, visit: Visit) -> None:
        token = visit.cookie(SESSION_COOKIE)
        if not token:
            return
        now = self._keeper.world.clock.now()
        found = await sessions.find(connection, token_digest(token), now, now - IDLE_FOR)
        if found is not None and now - found.seen_at > _NOTE_AFTER:
            await sessions.note_seen(connection, found.id, now)
            await users.note_seen(connection, found.user.id, now)
        visit.session = found

    async def _find_environment(
        self, connection: Connection, visit: Visit, parameters: dict[str, str]
    ) -> None:
        if visit.session is None:
            return
        visit.environments = await _environments(connection, visit.session)
        wanted = parameters.get("environment")
        if wanted is not None:
            visit.stand_in(_named(visit.environments, wanted))

    async def _form(self, scope: HTTPScope, receive: Receive) -> Form:
        if (kind := header(scope, b"content-type").partition(";")[0].strip()) not in (_FORM, ""):
            raise WireError(
                HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"Forms are sent as {_FORM}, not as {kind}."
            )
        body, limit, more = bytearray(), self._keeper.settings.body_limit, True
        while more:
            message = await receive()
            if message["type"] != "http.request":
                raise WireError(HTTPStatus.BAD_REQUEST, "The client left in mid-request.")
            body += message["body"]
            more = message["more_body"]
            if len(body) > limit:
                raise WireError(
                    HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                    f"What you sent is larger than {limit} bytes. Send less, or raise body_limit.",
                )
        return Form.read(bytes(body))

    def _refuse_forgery(self, scope: HTTPScope, visit: Visit) -> None:
        """Besides SameSite cookies: browsers say where a request comes from, and only our pages
        know the token."""
        elsewhere = header(scope, b"sec-fetch-site") in ("cross-site", "same-site")
        token = visit.form.get("csrf") or header(scope, b"x-csrf-token")
        if elsewhere or not visit.is_csrf(token):
            raise ForbiddenError(
                "This form is out of date, or did not come from this dashboard. Nothing was "
                "changed. Go back, reload the page and try again."
            )


def bare_visit(scope: Scope, settings: Settings, now: datetime) -> Visit:
    """A visit of somebody not yet known."""
    cookies: SimpleCookie = SimpleCookie()
    try:
        cookies.load(header(scope, b"cookie"))
    except CookieError:
        cookies = SimpleCookie()
    client = scope.get("client")
    visit = Visit(
        places=Places.of(scope, settings.public_url),
        path=scope["path"],
        query=Form.read(scope["query_string"]),
        cookies={key: morsel.value for key, morsel in cookies.items()},
        now=now,
        address=client[0] if client else "",
        agent=header(scope, b"user-agent"),
    )
    forwarded = any(header(scope, name) for name in _FORWARDED)
    visit.trusted = settings.development and not forwarded and _is_loopback(visit.address)
    visit.elsewhere = settings.oidc_name if settings.oidc_issuer else None
    visit.partial = header(scope, b"hx-request") == "true"
    return visit


def _is_loopback(address: str) -> bool:
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False


def header(scope: Scope, wanted: bytes) -> str:
    for name, value in scope["headers"]:
        if name == wanted:
            return str(value.decode("latin-1"))
    return ""


async def _environments(connection: Connection, session: Session) -> list[Environment]:
    return await environments.of_organization(connection, session.user.organization_id)


def _named(known: "list[Environment] | tuple[Environment, ...]", wanted: str) -> Environment:
    for each in known:
        if wanted in (each.identifier, each.id):
            return each
    raise NotFoundError(
        "There is no such environment, or it was deleted. Choose one from the list.",
        environment=wanted,
    )


def _nav(visit: Visit, entries: tuple[Entry, ...]) -> list[tuple[str, list[Entry]]]:
    shown = [each for each in entries if visit.may(each.role)]
    return [
        (section, [each for each in shown if each.section == section])
        for section in SECTIONS
        if any(each.section == section for each in shown)
    ]


def check_paths(paths: list[str]) -> None:
    """Paths about the whole installation must not look like an environment's."""
    for path in paths:
        first = path.strip("/").split("/")[0]
        assert not first or first.startswith("{") or first in GLOBAL_STEPS, path

"""Signing in at the OpenID Connect issuer that the settings name."""

import hmac

from litestar import Response

from tidings import log
from tidings.actions import oidc as actions
from tidings.actions import sessions
from tidings.domain.errors import NotFoundError, UnprovenError
from tidings.hall.given import InDatabase, InWorld
from tidings.providers import oidc
from tidings.providers.oidc import Client, OidcError
from tidings.settings import Settings
from tidings.web.handlers import EVERYONE, view
from tidings.web.parts import InParts
from tidings.web.signing_in import MINUTES, safe
from tidings.web.visit import SESSION_COOKIE, InVisit, Visit

_STATE_COOKIE = "tidings_oidc"
_log = log.get("web")


def _client(settings: Settings) -> Client:
    if settings.oidc_issuer is None:
        raise NotFoundError("This server has no OpenID Connect issuer. Sign in with a password.")
    return Client(
        issuer=settings.oidc_issuer,
        id=settings.oidc_client_id or "",
        secret=settings.oidc_client_secret or "",
    )


def _back(visit: Visit) -> str:
    return visit.places.address(visit.places.path("oidc", "back"))


@view("/oidc/start", role=EVERYONE)
async def start(
    visit: InVisit, database: InDatabase, world: InWorld, parts: InParts
) -> Response[str]:
    client = _client(parts.settings)
    try:
        endpoints = await oidc.discover(parts.network.http, client.issuer)
    except OidcError as error:
        return _failed(visit, error)
    async with database.transaction() as tx:
        state, begun = await actions.begin(tx, world, visit.query.get("next"))
    visit.set_cookie(_STATE_COOKIE, state, minutes=10)
    return visit.go(
        oidc.authorization_url(endpoints, client, _back(visit), state, begun.nonce, begun.verifier)
    )


@view("/oidc/back", role=EVERYONE)
async def back(
    visit: InVisit, database: InDatabase, world: InWorld, parts: InParts
) -> Response[str]:
    """The state must be the one that this browser was given: nobody can be signed in as somebody
    else by a prepared link."""
    client, query, http = _client(parts.settings), visit.query, parts.network.http
    state, held = query.get("state"), visit.cookie(_STATE_COOKIE)
    if not held or not hmac.compare_digest(state.encode(), held.encode()):
        raise UnprovenError("This sign-in was not started in this browser. Start again.")
    async with database.transaction() as tx:
        begun = await actions.take(tx, world, state)
    if query.get("error") or not query.get("code"):
        said = query.get("error_description") or query.get("error") or "no code"
        return _failed(visit, OidcError(f"The issuer refused: {said[:200]}."))
    try:
        endpoints = await oidc.discover(http, client.issuer)
        token = await oidc.redeem(
            http, endpoints, client, _back(visit), query.get("code"), begun.verifier
        )
        now = world.clock.now()
        person = await oidc.verify(http, endpoints, client, token, begun.nonce, now)
    except OidcError as error:
        return _failed(visit, error)
    settings = parts.settings
    async with database.transaction() as tx:
        user = await actions.account_of(
            tx, world, person, settings.oidc_domains, settings.oidc_role, visit.address
        )
        _, secret = await sessions.open_session(tx, world, user, visit.address, visit.agent)
    visit.set_cookie(_STATE_COOKIE, "", minutes=0)
    visit.set_cookie(SESSION_COOKIE, secret, MINUTES)
    return visit.go(safe(visit, begun.came_for))


def _failed(visit: Visit, error: OidcError) -> Response[str]:
    _log.warning("oidc_failed", reason=str(error))
    return visit.go(visit.places.path("sign-in"), str(error), "bad")


HANDLERS = [start, back]

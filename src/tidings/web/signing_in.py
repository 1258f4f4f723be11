"""Signing in and out, the first owner, one's own password, and the choice of colours."""

from litestar import Response

from tidings.actions import sessions as actions
from tidings.actions import users
from tidings.domain.errors import InvalidError
from tidings.domain.users import SESSION_LASTS
from tidings.hall.given import Conn, InDatabase, InWorld, Tx
from tidings.storage import sessions
from tidings.storage import users as stored
from tidings.storage.database import Connection
from tidings.web.handlers import EVERYONE, change, view
from tidings.web.places import DASHBOARD
from tidings.web.visit import SESSION_COOKIE, THEME_COOKIE, InVisit, Visit

MINUTES = int(SESSION_LASTS.total_seconds() // 60)


@view("/", role=EVERYONE)
async def start(visit: InVisit, conn: Conn) -> Response[str]:
    """Leads to the last environment, or to where one signs in."""
    if visit.session is None:
        first = not await stored.any_exists(conn)
        return visit.go(visit.places.path("first-owner" if first else "sign-in"))
    environment = visit.last_environment
    if environment is None:
        return visit.go(visit.places.path("environments"))
    return visit.go(visit.in_environment(environment, "home"))


async def _sign_in_form(visit: Visit, conn: Connection, _: dict[str, str]) -> Response[str]:
    came_for = visit.form.get("next") or visit.query.get("next")
    return visit.page("sign_in.html", title="Sign in", came_for=came_for, elsewhere=visit.elsewhere)


@view("/sign-in", role=EVERYONE)
async def show_sign_in(visit: InVisit, conn: Conn) -> Response[str]:
    if visit.session is not None:
        return visit.go(visit.places.path())
    if not await stored.any_exists(conn):
        return visit.go(visit.places.path("first-owner"))
    return await _sign_in_form(visit, conn, {})


@change("/sign-in", does=None, role=EVERYONE, again=_sign_in_form, own_transactions=True)
async def sign_in(visit: InVisit, database: InDatabase, world: InWorld) -> Response[str]:
    form = visit.form
    email, password = form.get("email"), form.get("password")
    _, token = await actions.sign_in(database, world, email, password, visit.address, visit.agent)
    visit.set_cookie(SESSION_COOKIE, token, MINUTES)
    return visit.go(safe(visit, form.get("next")))


def safe(visit: Visit, path: str) -> str:
    """Only paths of the dashboard: nobody is led elsewhere by a prepared link."""
    ours = path == DASHBOARD or path.startswith(DASHBOARD + "/")
    plain = path.isprintable() and "\\" not in path and "//" not in path
    return visit.places.prefix + path if ours and plain else visit.places.path()


@change("/sign-out", does=None, role="viewer")
async def sign_out(visit: InVisit, tx: Tx) -> Response[str]:
    assert visit.session is not None
    await sessions.end(tx, visit.session.id)
    visit.set_cookie(SESSION_COOKIE, "", minutes=0)
    return visit.go(visit.places.path("sign-in"), "You are signed out.")


async def _first_form(visit: Visit, conn: Connection, _: dict[str, str]) -> Response[str]:
    return visit.page(
        "first_owner.html",
        title="Welcome",
        token=visit.query.get("token"),
        token_needed=not visit.trusted,
    )


@view("/first-owner", role=EVERYONE)
async def show_first_owner(visit: InVisit, conn: Conn) -> Response[str]:
    if await stored.any_exists(conn):
        return visit.go(visit.places.path("sign-in"))
    return await _first_form(visit, conn, {})


@change("/first-owner", does=None, role=EVERYONE, again=_first_form)
async def make_first_owner(visit: InVisit, tx: Tx, world: InWorld) -> Response[str]:
    form = visit.form
    user = await users.create_first(
        tx,
        world,
        form.get("email"),
        form.get("name"),
        form.get("password"),
        form.text("token"),
        visit.trusted,
    )
    _, token = await actions.open_session(tx, world, user, visit.address, visit.agent)
    visit.set_cookie(SESSION_COOKIE, token, MINUTES)
    return visit.go(visit.places.path(), f"Welcome, {user.name}. You are the owner.")


@change("/theme", does=None, role=EVERYONE)
async def set_theme(visit: InVisit) -> Response[str]:
    theme = visit.form.get("theme")
    if theme not in ("auto", "light", "dark"):
        raise InvalidError.of("theme", "must be auto, light or dark", theme)
    visit.set_cookie(THEME_COOKIE, theme, minutes=60 * 24 * 365)
    return visit.go(safe(visit, visit.form.get("back")))


HANDLERS = [
    start,
    show_sign_in,
    sign_in,
    sign_out,
    show_first_owner,
    make_first_owner,
    set_theme,
]

"""The people who may use the dashboard, and one's own account."""

from litestar import Response
from litestar.params import FromPath

from tidings.actions import passwords
from tidings.actions import users as actions
from tidings.domain.errors import InvalidError, Problem
from tidings.domain.users import ROLES, User
from tidings.hall.given import Conn, InWorld, Tx
from tidings.storage import users
from tidings.storage.database import Connection
from tidings.web.handlers import Entry, change, view
from tidings.web.visit import InVisit, Visit


async def _list(
    visit: Visit, conn: Connection, about: User | None = None, password: str | None = None
) -> Response[str]:
    return visit.page(
        "users/list.html",
        title="Users",
        users=await users.all_of(conn, visit.user.organization_id),
        roles=ROLES,
        about=about,
        password=password,
    )


async def _again(visit: Visit, conn: Connection, _: dict[str, str]) -> Response[str]:
    return await _list(visit, conn)


@view("/users", role="owner")
async def show_users(visit: InVisit, conn: Conn) -> Response[str]:
    return await _list(visit, conn)


@change("/users", does="user.create", role="owner", again=_again)
async def create_user(visit: InVisit, tx: Tx, world: InWorld) -> Response[str]:
    form = visit.form
    given = form.get("password") or None
    password = given or world.ids.secret(10)
    made = await actions.create(
        *(tx, visit.user.organization_id, world),
        *(form.get("email"), form.get("name"), form.get("role"), password),
    )
    visit.touch(made.id, made.email, role=made.role)
    if given is None:
        return await _list(visit.blank(), tx, made, password)
    return visit.go(visit.places.path("users"), f"{made.name} can sign in now.")


@change("/users/{id:str}/role", does="user.set_role", role="owner", again=_again)
async def set_role(visit: InVisit, tx: Tx, world: InWorld, id: FromPath[str]) -> Response[str]:
    user = await users.get(tx, visit.user.organization_id, id)
    after = await actions.set_role(tx, world, user, visit.form.get("role"))
    visit.touch(user.id, user.email, before=user.role, after=after.role)
    return visit.go(visit.places.path("users"), f"{user.name} is {after.role} now.")


@change("/users/{id:str}/reset-password", does="user.reset_password", role="owner", again=_again)
async def reset_password(
    visit: InVisit, tx: Tx, world: InWorld, id: FromPath[str]
) -> Response[str]:
    user = await users.get(tx, visit.user.organization_id, id)
    password = world.ids.secret(10)
    kept = visit.session.id if visit.session and user.id == visit.user.id else None
    await actions.set_password(tx, world, user, password, kept)
    visit.touch(user.id, user.email)
    return await _list(visit, tx, user, password)


@change("/users/{id:str}/delete", does="user.delete", role="owner", again=_again)
async def delete_user(visit: InVisit, tx: Tx, world: InWorld, id: FromPath[str]) -> Response[str]:
    user = await users.get(tx, visit.user.organization_id, id)
    await actions.remove(tx, world, user)
    visit.touch(user.id, user.email)
    return visit.go(visit.places.path("users"), f"{user.name} is deleted.")


async def _account(visit: Visit, conn: Connection, _: dict[str, str]) -> Response[str]:
    return visit.page("account.html", title="Your account")


@view("/password")
async def show_account(visit: InVisit, conn: Conn) -> Response[str]:
    return await _account(visit, conn, {})


@change("/password", does="user.change_password", role="viewer", again=_account)
async def change_password(visit: InVisit, tx: Tx, world: InWorld) -> Response[str]:
    user, form = visit.user, visit.form
    if user.password and not await passwords.matches(user.password, form.get("current")):
        raise InvalidError({"current": Problem(["is not your present password"])})
    assert visit.session is not None
    await actions.set_password(tx, world, user, form.get("password"), visit.session.id)
    visit.touch(user.id, user.email)
    return visit.go(visit.places.path("password"), "Your password is changed.")


HANDLERS = [
    show_users,
    create_user,
    set_role,
    reset_password,
    delete_user,
    show_account,
    change_password,
]
NAV = [
    Entry(
        label="Users",
        path="users",
        icon="user",
        section="Administer",
        order=82,
        role="owner",
        global_=True,
    )
]

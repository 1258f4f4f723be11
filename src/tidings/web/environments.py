"""Environments and their API keys."""

from litestar import Response
from litestar.params import FromPath

from tidings.actions import environments as actions
from tidings.actions import keys as key_actions
from tidings.domain.scope import Scope
from tidings.hall.given import Conn, InWorld, Tx
from tidings.storage import environments, keys
from tidings.storage.database import Connection
from tidings.web.handlers import Entry, change, view
from tidings.web.visit import InVisit, Visit


@view("/environments")
async def show_environments(visit: InVisit, conn: Conn) -> Response[str]:
    counts = {
        each.id: len(await keys.live(conn, Scope(each.organization_id, each.id)))
        for each in visit.environments
    }
    return visit.page("environments/list.html", title="Environments", key_counts=counts)


async def _form(visit: Visit, conn: Connection, _: dict[str, str]) -> Response[str]:
    return visit.page("environments/new.html", title="New environment")


@view("/environments/new", role="owner")
async def show_new_environment(visit: InVisit, conn: Conn) -> Response[str]:
    return await _form(visit, conn, {})


@change("/environments/new", does="environment.create", role="owner", again=_form)
async def create_environment(visit: InVisit, tx: Tx, world: InWorld) -> Response[str]:
    made, secret = await actions.create(
        tx, _anywhere(visit), world, visit.form.get("name"), visit.form.text("color")
    )
    visit.touch(made.id, made.name, environment=made)
    return await _one(visit, tx, made.id, secret)


async def _one(visit: Visit, conn: Connection, id: str, secret: str | None = None) -> Response[str]:
    environment = await environments.get(conn, _anywhere(visit), id)
    found = await keys.all_of(conn, Scope(environment.organization_id, environment.id))
    return visit.page(
        "environments/one.html",
        title=environment.name,
        environment=environment,
        keys=sorted(found, key=lambda key: (key.revoked_at is not None, key.id)),
        secret=secret,
    )


async def _one_again(visit: Visit, conn: Connection, given: dict[str, str]) -> Response[str]:
    return await _one(visit, conn, given["id"])


@view("/environments/{id:str}")
async def show_environment(visit: InVisit, conn: Conn, id: FromPath[str]) -> Response[str]:
    return await _one(visit, conn, id)


@change("/environments/{id:str}/keys", does="key.create", role="owner", again=_one_again)
async def create_key(visit: InVisit, tx: Tx, world: InWorld, id: FromPath[str]) -> Response[str]:
    environment = await environments.get(tx, _anywhere(visit), id)
    scope = Scope(environment.organization_id, environment.id)
    key, secret = await key_actions.create(tx, scope, world, visit.form.get("name"))
    visit.touch(key.id, key.name, environment=environment)
    return await _one(visit, tx, id, secret)


@change(
    "/environments/{id:str}/keys/{key_id:str}/revoke",
    does="key.revoke",
    role="owner",
    again=_one_again,
)
async def revoke_key(
    visit: InVisit, tx: Tx, world: InWorld, id: FromPath[str], key_id: FromPath[str]
) -> Response[str]:
    environment = await environments.get(tx, _anywhere(visit), id)
    scope = Scope(environment.organization_id, environment.id)
    name = next((key.name for key in await keys.live(tx, scope) if key.id == key_id), None)
    await key_actions.revoke(tx, scope, world, key_id)
    visit.touch(key_id, name, environment=environment)
    return visit.go(visit.places.path("environments", id), "The key is revoked.")


@change("/environments/{id:str}/delete", does="environment.delete", role="owner", again=_one_again)
async def delete_environment(
    visit: InVisit, tx: Tx, world: InWorld, id: FromPath[str]
) -> Response[str]:
    environment = await environments.get(tx, _anywhere(visit), id)
    await actions.delete(tx, _anywhere(visit), world, id)
    visit.touch(id, environment.name, environment=environment)
    return visit.go(visit.places.path("environments"), f"{environment.name} is deleted.")


def _anywhere(visit: Visit) -> Scope:
    """The organization, from no environment in particular."""
    return Scope(visit.user.organization_id, "")


HANDLERS = [
    show_environments,
    show_new_environment,
    create_environment,
    show_environment,
    create_key,
    revoke_key,
    delete_environment,
]
NAV = [
    Entry(
        label="Environments",
        path="environments",
        icon="key",
        section="Administer",
        order=80,
        global_=True,
    )
]

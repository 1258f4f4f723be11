"""Bringing a workflow, and the layouts it uses, to another environment, the difference first."""

from litestar import Response
from litestar.params import FromPath

from tidings.actions import publishing as actions
from tidings.domain.environments import Environment
from tidings.domain.errors import InvalidError, NotFoundError
from tidings.domain.scope import Scope
from tidings.domain.workflows import Workflow
from tidings.hall.given import Conn, InWorld, Tx
from tidings.storage import workflows
from tidings.storage.database import Connection
from tidings.web.handlers import change, view
from tidings.web.visit import InVisit, Visit
from tidings.web.workflows_changes import shown
from tidings.web.workflows_parts import author, page, place

_AT = "/{environment:str}/workflows/{workflow:str}/publish"


async def _publish(visit: Visit, conn: Connection, given: dict[str, str]) -> Response[str]:
    found = await workflows.get(conn, visit.scope, given["workflow"])
    others = [each for each in visit.environments if each.id != visit.environment.id]
    wanted = visit.form.get("to") or visit.query.get("to")
    target = next((each for each in others if wanted in (each.identifier, each.id)), None)
    target = target or next((each for each in others if each.kind == "prod"), None)
    target = target or next(iter(others), None)
    pairs = [] if target is None else await _pairs(visit, conn, found, target)
    return page(
        visit,
        found,
        "publish",
        "publish",
        title=f"Publish · {found.name}",
        others=others,
        target=target,
        pairs=[(pair, shown(pair.changes)) for pair in pairs],
        anything=any(pair.action != "unchanged" for pair in pairs),
        elsewhere=target and visit.in_environment(target, "workflows", place(found)),
    )


async def _pairs(
    visit: Visit, conn: Connection, workflow: Workflow, target: Environment
) -> list[actions.Pair]:
    there = Scope(target.organization_id, target.id)
    used = {each.key for each in await actions.layouts_of(conn, visit.scope, workflow)}
    found = await actions.compare(conn, visit.scope, there)
    ours = [pair for pair in found if pair.kind == "workflow" and pair.key == workflow.key]
    return [*ours, *(pair for pair in found if pair.kind == "layout" and pair.key in used)]


@view(_AT)
async def show_publish(visit: InVisit, conn: Conn, workflow: FromPath[str]) -> Response[str]:
    return await _publish(visit, conn, {"workflow": workflow})


@change(_AT, does="workflow.publish", again=_publish)
async def publish_workflow(
    visit: InVisit, tx: Tx, world: InWorld, workflow: FromPath[str]
) -> Response[str]:
    found = await workflows.lock(tx, visit.scope, workflow)
    wanted = visit.form.get("to")
    target = next((each for each in visit.environments if each.id == wanted), None)
    if target is None:
        raise NotFoundError("There is no such environment. Choose one from the list.")
    if visit.form.get("version") != str(found.version):
        raise InvalidError.of(
            "", "It was changed since you saw the difference. Look at it again, then publish."
        )
    scope = await actions.target_scope(tx, visit.scope, target.id)
    await actions.sync(tx, visit.scope, world, found.id, scope, author(visit))
    visit.touch(found.id, found.name, environment=target, source=visit.environment.name)
    said = f"{found.name} is in {target.name} now, as it is here."
    return visit.go(visit.at("workflows", place(found), "publish", to=target.identifier), said)


HANDLERS = [show_publish, publish_workflow]

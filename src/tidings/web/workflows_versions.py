"""The versions of a workflow: who saved what, how they differ, and going back to one."""

from litestar import Response
from litestar.params import FromPath

from tidings.actions import workflows as actions
from tidings.domain import differences
from tidings.domain.errors import NotFoundError
from tidings.hall.given import Conn, InWorld, Tx
from tidings.storage import workflow_versions, workflows
from tidings.storage.database import Connection
from tidings.web.handlers import change, view
from tidings.web.visit import InVisit, Visit
from tidings.web.workflows_changes import shown
from tidings.web.workflows_parts import author, page, place

_AT = "/{environment:str}/workflows/{workflow:str}/versions"
_PAGE = 30


@view(_AT)
async def show_versions(visit: InVisit, conn: Conn, workflow: FromPath[str]) -> Response[str]:
    found = await workflows.get(conn, visit.scope, workflow)
    number = visit.query.get("page")
    offset = _PAGE * int(number) if number.isdecimal() and len(number) < 6 else 0
    versions = await workflow_versions.page(conn, visit.scope, found.id, _PAGE + 1, offset)
    return page(
        visit,
        found,
        "versions",
        "versions",
        title=f"Versions · {found.name}",
        versions=versions[:_PAGE],
        offset=offset,
        size=_PAGE,
        more=len(versions) > _PAGE,
    )


async def _version(visit: Visit, conn: Connection, given: dict[str, str]) -> Response[str]:
    found = await workflows.get(conn, visit.scope, given["workflow"])
    number = _number(given["number"])
    version = await workflow_versions.get(conn, visit.scope, found.id, number)
    assert version.definition is not None
    against = visit.query.get("with") or ("now" if number != found.version else "before")
    changes = differences.between(version.definition, found.definition)
    if against == "before":
        changes = []
        if number > 1:
            before = await workflow_versions.get(conn, visit.scope, found.id, number - 1)
            assert before.definition is not None
            changes = differences.between(before.definition, version.definition)
    return page(
        visit,
        found,
        "versions",
        "version",
        title=f"Version {number} · {found.name}",
        version=version,
        against=against,
        changes=shown(changes),
    )


def _number(text: str) -> int:
    if not text.isdecimal() or len(text) > 9:
        raise NotFoundError(f"There is no version {text!r}.")
    return int(text)


@view(_AT + "/{number:str}")
async def show_version(
    visit: InVisit, conn: Conn, workflow: FromPath[str], number: FromPath[str]
) -> Response[str]:
    return await _version(visit, conn, {"workflow": workflow, "number": number})


@change(_AT + "/{number:str}/restore", does="workflow.restore", again=_version)
async def restore_version(
    visit: InVisit, tx: Tx, world: InWorld, workflow: FromPath[str], number: FromPath[str]
) -> Response[str]:
    saved = await actions.restore(tx, visit.scope, world, workflow, _number(number), author(visit))
    visit.touch(saved.id, saved.name, restored=int(number), version=saved.version)
    said = f"Version {number} is back, as version {saved.version}."
    return visit.go(visit.at("workflows", place(saved)), said)


HANDLERS = [show_versions, show_version, restore_version]

"""Test runs: a workflow started for one subscriber, really, and what became of it."""

from typing import Any

import msgspec
from litestar import Response
from litestar.params import FromPath

from tidings.actions import events as actions
from tidings.actions.accepting import Offer
from tidings.domain import schemas, variables
from tidings.domain.activities import Activity
from tidings.domain.errors import InvalidError, RefusedError
from tidings.domain.events import Recipients, Trigger, TriggerStatus
from tidings.domain.notifications import FINAL
from tidings.domain.paging import Asked
from tidings.domain.workflows import Workflow
from tidings.hall.given import Conn, InAccepter, InDatabase, InWorld
from tidings.storage import notifications, subscribers, workflows
from tidings.storage.database import Connection
from tidings.storage.notifications import Filter
from tidings.web.handlers import change, view
from tidings.web.visit import InVisit, Visit
from tidings.web.workflows_parts import page, place

_AT = "/{environment:str}/workflows/{workflow:str}/test"
_OFFERED = 50
_HINDRANCES: dict[TriggerStatus, str] = {
    "trigger_not_active": "The workflow is inactive. Switch it on first: the switch is above.",
    "no_workflow_steps_defined": "The workflow has no steps. Add one first.",
}


async def _form(
    visit: Visit, conn: Connection, given: dict[str, str], run: str | None = None
) -> Response[str]:
    found = await workflows.get(conn, visit.scope, given["workflow"])
    people = await subscribers.page(conn, visit.scope, Asked(limit=_OFFERED), {})
    run = run or visit.query.text("run")
    return page(
        visit,
        found,
        "test",
        "test",
        title=f"Test run · {found.name}",
        people=people.items,
        example=_example(found),
        run=run,
        runs=await _runs(visit, conn, run) if run else [],
        final=FINAL,
        activity=visit.at("activity", transactionId=run) if run else "",
    )


def _example(workflow: Workflow) -> str:
    found = schemas.example(variables.payload_of(workflow))
    return msgspec.json.format(msgspec.json.encode(found), indent=2).decode()


async def _runs(visit: Visit, conn: Connection, run: str) -> list[Activity]:
    wanted = Filter(transaction_ids=[run])
    found, _ = await notifications.page(conn, visit.scope, wanted, 0, 5)
    return found


@view(_AT, role="viewer")
async def show_test(visit: InVisit, conn: Conn, workflow: FromPath[str]) -> Response[str]:
    return await _form(visit, conn, {"workflow": workflow})


@change(_AT, does="workflow.test", again=_form, own_transactions=True)
async def start_test(
    visit: InVisit,
    database: InDatabase,
    world: InWorld,
    accepter: InAccepter,
    workflow: FromPath[str],
) -> Response[str]:
    key = visit.form.text("subscriber")
    if key is None:
        raise InvalidError.of("subscriber", "is needed: a test run goes to somebody")
    async with database.connection() as connection:
        found = await workflows.get(connection, visit.scope, workflow)
        if await subscribers.find(connection, visit.scope, key) is None:
            raise InvalidError.of(
                "subscriber", f"there is no {key!r} here; make the subscriber first, or choose one"
            )
    trigger = Trigger(
        workflow_key=found.key,
        recipients=Recipients(subscribers=({"subscriberId": key},)),
        payload=_payload(visit.form.get("payload")),
        transaction_id=f"test_{world.ids.new()}",
    )
    verdict, event = await actions.judge(accepter.catalog, database, visit.scope, world, trigger)
    if event is None:
        sentence = _HINDRANCES.get(verdict.status, f"Nothing was started: {verdict.status}.")
        raise RefusedError(sentence)
    await accepter.accept(Offer(scope=visit.scope, events=[event]))
    visit.touch(found.id, found.name, subscriber=key, transaction=event.transaction_id)
    async with database.connection() as connection:
        return await _form(visit, connection, {"workflow": place(found)}, event.transaction_id)


def _payload(text: str) -> dict[str, Any]:
    try:
        found = msgspec.json.decode(text) if text.strip() else {}
    except msgspec.DecodeError as error:
        raise InvalidError.of("payload", f"is not JSON: {error}") from None
    if not isinstance(found, dict):
        raise InvalidError.of("payload", 'must be an object, such as {"name": "Ada"}')
    return found


HANDLERS = [show_test, start_test]

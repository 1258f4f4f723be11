"""Triggers a workflow for one subscriber, to see what comes of it."""

from typing import Any

import msgspec
from litestar import Response
from litestar.params import FromPath

from tidings.actions import events as actions
from tidings.actions.accepting import Offer
from tidings.domain.errors import InvalidError, RefusedError
from tidings.domain.events import Recipients, Trigger, TriggerStatus
from tidings.hall.given import InAccepter, InDatabase, InWorld
from tidings.storage import subscribers
from tidings.web.handlers import change
from tidings.web.subscribers import show_again
from tidings.web.visit import InVisit

_HINDRANCES: dict[TriggerStatus, str] = {
    "trigger_not_active": "The workflow is not active. Switch it on, and try again.",
    "no_workflow_steps_defined": "The workflow has no steps. Add one, and try again.",
}


@change(
    "/{environment:str}/subscribers/{id:str}/test",
    does="event.trigger",
    again=show_again,
    own_transactions=True,
)
async def trigger_test(
    visit: InVisit,
    database: InDatabase,
    accepter: InAccepter,
    world: InWorld,
    id: FromPath[str],
) -> Response[str]:
    async with database.connection() as connection:
        subscriber = await subscribers.named(connection, visit.scope, id)
    trigger = Trigger(
        workflow_key=visit.form.get("workflow"),
        recipients=Recipients(subscribers=({"subscriberId": subscriber.key},)),
        payload=_payload(visit.form.get("payload")),
    )
    verdict, event = await actions.judge(
        accepter.catalog, accepter.database, visit.scope, world, trigger
    )
    if event is None:
        text = _HINDRANCES.get(verdict.status, "; ".join(verdict.errors))
        raise RefusedError(text or f"The trigger was refused: {verdict.status}.")
    await accepter.accept(Offer(scope=visit.scope, events=[event]))
    visit.touch(event.transaction_id, trigger.workflow_key, subscriber=subscriber.key)
    return visit.go(visit.at("activity", "transaction", id=event.transaction_id))


def _payload(text: str) -> dict[str, Any]:
    try:
        return msgspec.json.decode(text.strip() or "{}", type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise InvalidError.of("payload", f"must be a JSON object: {error}", text) from None


HANDLERS = [trigger_test]

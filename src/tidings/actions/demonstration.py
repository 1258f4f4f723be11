"""What the inbox demonstration needs: three workflows, made when it is first used, and triggers."""

from typing import Literal, get_args

from tidings.actions import events, workflows
from tidings.actions.accepting import Accepter, Offer
from tidings.domain.environments import DEVELOPMENT
from tidings.domain.errors import RefusedError
from tidings.domain.events import Recipients, Trigger
from tidings.domain.scope import Scope
from tidings.domain.workflows import All, Definition, Preference, Preferences, Step
from tidings.storage import environments
from tidings.storage import workflows as stored
from tidings.storage.database import Connection
from tidings.world import World

Kind = Literal["comment", "invitation", "alarm"]
Person = Literal["anna", "ben"]
PEOPLE: tuple[Person, ...] = get_args(Person)

_TEXTS = {"subject": "{{payload.title}}", "body": "{{payload.text}}"}
_PLACE = {"url": "/demo/inbox/window/{{subscriber.data.demo}}", "target": "_self"}


def _in_app(**more: object) -> Step:
    return Step(name="Inbox", type="in_app", controls={**_TEXTS, **more})


_DEFINITIONS: dict[Kind, Definition] = {
    "comment": Definition(
        key="inbox-demo-comment",
        name="Comments",
        active=True,
        tags=["demo"],
        steps=[_in_app(), Step(name="Email", type="email", controls=_TEXTS)],
    ),
    "invitation": Definition(
        key="inbox-demo-invitation",
        name="Invitations",
        active=True,
        tags=["demo"],
        steps=[_in_app(primaryAction={"label": "Accept"}, secondaryAction={"label": "Decline"})],
    ),
    "alarm": Definition(
        key="inbox-demo-alarm",
        name="Security",
        active=True,
        tags=["demo"],
        severity="high",
        preferences=Preferences(default=Preference(all=All(read_only=True))),
        steps=[_in_app(redirect=_PLACE)],
    ),
}


def subscriber_key(person: Person) -> str:
    return f"demo-{person}"


async def development(conn: Connection) -> tuple[Scope, str]:
    """The environment of the demonstration, and the identifier of its inbox."""
    found = await environments.named(conn, DEVELOPMENT)
    return Scope(found.organization_id, found.id), found.identifier


async def prepare(tx: Connection, scope: Scope, world: World) -> None:
    """Make the workflows that are not there; one that somebody changed stays as it is."""
    for definition in _DEFINITIONS.values():
        if await stored.by_key(tx, scope, definition.key) is None:
            await workflows.put(tx, scope, world, definition, None)


async def trigger(
    accepter: Accepter,
    scope: Scope,
    world: World,
    kind: Kind,
    people: tuple[Person, ...],
    title: str,
    text: str,
) -> str:
    """Trigger as any caller would; the transaction id."""
    wanted = Trigger(
        workflow_key=_DEFINITIONS[kind].key,
        recipients=Recipients(
            subscribers=tuple(
                {
                    "subscriberId": subscriber_key(each),
                    "firstName": each.title(),
                    "data": {"demo": each},
                }
                for each in people
            )
        ),
        payload={"title": title, "text": text},
    )
    verdict, event = await events.judge(accepter.catalog, accepter.database, scope, world, wanted)
    if event is None:
        raise RefusedError(
            f"The workflow {wanted.workflow_key!r} did not start: {verdict.status}. Switch it on "
            "again, or delete it to have it made anew.",
            status=verdict.status,
        )
    await accepter.accept(Offer(scope=scope, events=[event]))
    return event.transaction_id

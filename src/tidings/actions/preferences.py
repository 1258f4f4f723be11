"""Writing down what subscribers choose."""

from collections.abc import Sequence

from msgspec import UNSET, UnsetType

from tidings.domain.errors import InvalidError, NotFoundError
from tidings.domain.preferences import Channels, Workflow
from tidings.domain.schedules import Schedule
from tidings.domain.scope import Scope
from tidings.storage import preferences, subscribers
from tidings.storage.database import Connection
from tidings.world import World


async def choose_everywhere(
    tx: Connection,
    scope: Scope,
    world: World,
    key: str,
    channels: Channels,
    schedule: Schedule | UnsetType | None = UNSET,
) -> str:
    """Choose for all workflows, over what was chosen for single ones; the subscriber's id."""
    id = await subscribers.lock(tx, scope, key)
    now = world.clock.now()
    if channels:
        await preferences.choose(tx, scope, id, {None: channels}, now)
        await preferences.clear_workflow_choices(tx, scope, id, channels, now)
    if schedule is not UNSET:
        await preferences.set_schedule(tx, scope, id, schedule, now)
    return id


async def choose_for_workflows(
    tx: Connection,
    scope: Scope,
    world: World,
    key: str,
    choices: Sequence[tuple[str, str, Channels]],
) -> tuple[str, list[Workflow]]:
    """Choices as (field, workflow, channels), the field naming the workflow in the request; the
    subscriber's id, and the workflows in the order of the choices, each once."""
    id = await subscribers.lock(tx, scope, key)
    found = await preferences.named_workflows(tx, scope, {name for _, name, _ in choices})
    by_id: dict[str, Workflow] = {}
    chosen: dict[str | None, Channels] = {}
    for field, name, channels in choices:
        workflow = _open_to_choice(found, field, name)
        by_id[workflow.id] = workflow
        chosen[workflow.id] = {**chosen.get(workflow.id, {}), **channels}
    await preferences.choose(tx, scope, id, chosen, world.clock.now())
    return id, list(by_id.values())


def _open_to_choice(found: dict[str, Workflow], field: str, name: str) -> Workflow:
    workflow = found.get(name)
    if workflow is None:
        raise NotFoundError(f"There is no workflow {name!r}.", workflowId=name)
    if workflow.preferences.critical:
        raise InvalidError.of(
            field,
            f"{workflow.name} is critical: its preferences are read-only and subscribers cannot "
            "change them",
            name,
        )
    return workflow

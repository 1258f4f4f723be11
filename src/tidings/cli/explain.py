"""`tidings explain` and `tidings replay`: what became of a transaction, and trying again."""

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from tidings.cli.common import (
    DatabaseUrl,
    DataDir,
    EnvironmentName,
    fail,
    scope_named,
    settings_from,
    with_database,
)

if TYPE_CHECKING:
    from tidings.domain.explaining import Account
    from tidings.storage.database import Database
    from tidings.storage.replays import Again
    from tidings.world import World

_UNITS = {"m": "minutes", "h": "hours", "d": "days"}

Transaction = Annotated[str, typer.Argument(help="The transactionId of the trigger.")]
Subscriber = Annotated[
    str | None, typer.Option("--subscriber", "-s", help="Only for this subscriberId.")
]
Most = Annotated[int, typer.Option("--limit", min=1, max=50, help="How many recipients to show.")]


def explain(
    transaction: Transaction,
    environment: EnvironmentName = "Development",
    subscriber: Subscriber = None,
    limit: Most = 10,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Tell what became of a trigger: step by step, what was sent, what was not, and why."""

    async def work(world: "World", database: "Database") -> "tuple[list[Account], bool]":
        from tidings.domain.explaining import account
        from tidings.storage import notifications

        async with database.connection() as connection:
            scope = await scope_named(connection, environment)
            people = None
            if subscriber is not None:
                people = await notifications.subscribers_matching(
                    connection, scope, [subscriber], [], None
                )
            filter = notifications.Filter(transaction_ids=[transaction], subscriber_ids=people)
            found, more = await notifications.page(connection, scope, filter, 0, limit)
        return [account(each) for each in found], more

    settings = settings_from(data_dir=data_dir, database_url=database_url)
    accounts, more = with_database(settings, work)
    if not accounts:
        fail(
            f"No notification of the transaction {transaction!r} is in {environment}. Nobody was "
            "notified yet, or it is another environment (--environment)."
        )
    for told in accounts:
        _show(told)
    if more:
        typer.echo(f"There are more recipients: --limit, or --subscriber. Shown: {len(accounts)}.")


def replay(
    transaction: Annotated[
        str | None, typer.Argument(help="The transactionId of the trigger.")
    ] = None,
    environment: EnvironmentName = "Development",
    since: Annotated[
        str | None,
        typer.Option(help="Instead: everything triggered since `30m`, `6h`, `2d` or a timestamp."),
    ] = None,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Give the failed channel steps of a transaction, or of a span of time, new attempts."""
    if (transaction is None) == (since is None):
        fail("Name a transaction, or a span with --since; one of them.", code=2)

    async def work(world: "World", database: "Database") -> "list[Again]":
        from tidings.actions import notifications as actions

        async with database.transaction() as tx:
            scope = await scope_named(tx, environment)
            if transaction is not None:
                return await actions.replay_transaction(tx, scope, world, transaction)
            moment = _moment(since or "", world.clock.now())
            return await actions.replay_since(tx, scope, world, moment)

    settings = settings_from(data_dir=data_dir, database_url=database_url)
    again = with_database(settings, work)
    for each in again:
        typer.echo(f"{each.notification_id}  {each.type}")
    typer.echo(f"{len(again)} failed steps will be tried again.")


def _show(told: "Account") -> None:
    typer.echo(f"{told.notification_id}  {told.summary}")
    for step in told.steps:
        typer.echo(f"  {step.summary}")
        for line in step.lines:
            typer.echo(f"    {line.at:%Y-%m-%d %H:%M:%S}  {line.status:<8} {line.text}")


def _moment(text: str, now: datetime) -> datetime:
    if text[:-1].isdigit() and text[-1] in _UNITS:
        return now - timedelta(**{_UNITS[text[-1]]: int(text[:-1])})
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        fail(f"--since cannot be {text!r}: write 30m, 6h, 2d or 2026-01-31T12:00:00Z.", code=2)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def register(app: typer.Typer) -> None:
    app.command()(explain)
    app.command()(replay)

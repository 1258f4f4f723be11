"""The built-in catcher: in development it takes what no integration of the environment can."""

from typing import Any

from tidings.domain.catching import PROVIDERS, Attached, Caught
from tidings.domain.channels import Channel
from tidings.domain.integrations import Integration
from tidings.engine.run import Run
from tidings.providers.messages import AnyMessage, ChatMessage, EmailMessage, PushMessage
from tidings.world import World

CATCHER = "catcher"
"""Stands where the id of an integration would."""
_CATCHERS = frozenset((PROVIDERS["email"], PROVIDERS["sms"]))


def catcher(run: Run, channel: Channel) -> Integration | None:
    """The catcher as an integration; None where the environment has one of its own."""
    if not run.catching or any(each.channel == channel for each in run.surroundings.integrations):
        return None
    made_at = run.notification.created_at
    return Integration(
        id=CATCHER,
        organization_id=run.scope.organization_id,
        environment_id=run.scope.environment_id,
        name="Catcher",
        identifier=CATCHER,
        provider_id=PROVIDERS[channel],
        channel=channel,
        active=True,
        created_at=made_at,
        updated_at=made_at,
    )


def catches(integration: Integration) -> bool:
    """Whether what goes through it is kept here: the catcher itself, or one set up as such."""
    return integration.id == CATCHER or integration.provider_id in _CATCHERS


def caught(run: Run, world: World, channel: Channel, message: AnyMessage) -> Caught:
    """The message as the catcher keeps it."""
    shared: dict[str, Any] = {
        "id": world.ids.new(),
        "channel": channel,
        "message_id": message.id,
        "transaction_id": run.notification.transaction_id,
        "subscriber_key": run.subscriber.key,
        "created_at": world.clock.now(),
    }
    match message:
        case EmailMessage():
            return Caught(**shared, **_email(message))
        case PushMessage():
            return Caught(
                **shared,
                recipients=message.targets,
                subject=message.title or None,
                content=message.content,
            )
        case ChatMessage():
            place = message.webhook_url or message.channel
            return Caught(**shared, recipients=(place,) if place else (), content=message.content)
        case _:
            return Caught(
                **shared, recipients=(getattr(message, "to", ""),), content=message.content
            )


def _email(message: EmailMessage) -> dict[str, Any]:
    said = {
        "From": message.from_,
        "Cc": ", ".join(message.cc),
        "Bcc": ", ".join(message.bcc),
        "Reply-To": message.reply_to,
    }
    return {
        "recipients": message.to,
        "subject": message.subject,
        "html": message.html,
        "text": message.text,
        "headers": {**{name: value for name, value in said.items() if value}, **message.headers},
        "attachments": tuple(
            Attached(name=each.name, mime=each.mime, size=len(each.content))
            for each in message.attachments
        ),
    }

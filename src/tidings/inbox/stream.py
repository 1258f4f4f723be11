"""Server-Sent Events: the same news over plain HTTP, for people without a client library."""

from collections.abc import AsyncIterator
from typing import Annotated, Any

from litestar import Request, get
from litestar.di import NamedDependency
from litestar.params import HeaderParameter, QueryParameter
from litestar.response import Stream

from tidings.hall.given import InWorld
from tidings.inbox import auth, news
from tidings.inbox.live import Live
from tidings.inbox.mailbox import Mailbox
from tidings.inbox.news import News
from tidings.storage.database import AWAY

GivenLive = NamedDependency[Live]
"""`live`: the inboxes that are connected to this process."""

_RETRY_MILLISECONDS = 3000
_SIGN_OF_LIFE_SECONDS = 20.0
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


@get("/stream", summary="Follow the inbox", media_type="text/event-stream", status_code=200)
async def follow(
    request: Request[Any, Any, Any],
    live: GivenLive,
    world: InWorld,
    token: Annotated[
        str | None, QueryParameter(description="For browsers, whose EventSource sends no headers.")
    ] = None,
    last_event_id: Annotated[
        str | None,
        HeaderParameter(name="Last-Event-ID", description="What arrived since is told again."),
    ] = None,
) -> Stream:
    """Sends `notification_received`, `unseen_count_changed` and `unread_count_changed` as they
    happen, and the counts at once. Needs `Authorization: Bearer <token>`, or `?token=`."""
    given = token or auth.token_in(request.scope)
    mailbox = Mailbox(await auth.prove(live.tokens, given), given)
    start = _block(retry=_RETRY_MILLISECONDS, id=news.mark(world.clock.now()))
    return Stream(_stream(live, mailbox, start, last_event_id), headers=_HEADERS)


async def _stream(
    live: Live, mailbox: Mailbox, start: bytes, last_event_id: str | None
) -> AsyncIterator[bytes]:
    try:
        await live.join(mailbox)
        if last_event_id is not None:
            for missed in await live.missed(mailbox.visitor, last_event_id):
                yield _event(missed)
        yield start
        while mailbox.ended is None:
            told = await mailbox.take(_SIGN_OF_LIFE_SECONDS)
            yield b"".join(map(_event, told)) or b": still here\n\n"
    except AWAY:
        return
    finally:
        live.leave(mailbox)


def _event(told: News) -> bytes:
    fields = {} if told.id is None else {"id": told.id}
    return _block(**fields, event=told.event, data=told.data)


def _block(**fields: object) -> bytes:
    return ("".join(f"{name}: {value}\n" for name, value in fields.items()) + "\n").encode()


OPEN_HANDLERS = [follow]

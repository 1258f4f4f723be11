"""The suppression list: addresses that bounced or complained."""

from typing import Annotated

from litestar import delete, get
from litestar.params import FromPath, QueryParameter
from msgspec import UNSET, UnsetType

from tidings.actions import suppressions as actions
from tidings.domain.channels import Channel
from tidings.domain.messages import canonical
from tidings.domain.suppressions import Suppression
from tidings.hall.given import ByCaller, Conn, InWorld, Tx
from tidings.hall.pages import Limit, Number, NumberedPageOut, window
from tidings.hall.wire import Out, Timestamp, iso
from tidings.storage import suppressions

_TAGS = ["Suppressions"]
LARGEST_LIMIT = 1000


class SuppressionOut(Out, frozen=True, kw_only=True):
    channel: Channel
    address: str
    reason: str
    detail: str | UnsetType = UNSET
    since: Timestamp

    @classmethod
    def of(cls, suppression: Suppression) -> "SuppressionOut":
        return cls(
            channel=suppression.channel,
            address=suppression.address,
            reason=suppression.reason,
            detail=suppression.detail or UNSET,
            since=iso(suppression.since),
        )


class SuppressionPageOut(NumberedPageOut, frozen=True, kw_only=True):
    data: list[SuppressionOut]


@get("/v1/suppressions", tags=_TAGS, summary="List suppressed addresses")
async def list_suppressions(
    conn: Conn,
    caller: ByCaller,
    channel: Annotated[Channel | None, QueryParameter()] = None,
    address: Annotated[str | None, QueryParameter()] = None,
    page: Number = 0,
    limit: Limit = 10,
) -> SuppressionPageOut:
    """Newest first. Nothing is sent to these addresses: their steps are canceled."""
    number, offset, size = window(page, limit, LARGEST_LIMIT)
    wanted = canonical(address) if address else None
    found = await suppressions.newest(conn, caller.scope, channel, wanted, offset, size + 1)
    return SuppressionPageOut(
        has_more=len(found) > size,
        page_size=size,
        page=number,
        data=[SuppressionOut.of(each) for each in found[:size]],
    )


@delete(
    "/v1/suppressions/{channel:str}/{address:str}",
    tags=_TAGS,
    summary="Take an address off the suppression list",
    status_code=204,
)
async def delete_suppression(
    channel: FromPath[Channel],
    address: FromPath[str],
    tx: Tx,
    caller: ByCaller,
    world: InWorld,
) -> None:
    """Messages go to it again, until it bounces or complains again."""
    await actions.lift(tx, caller.scope, world, channel, address)


HANDLERS = [list_suppressions, delete_suppression]

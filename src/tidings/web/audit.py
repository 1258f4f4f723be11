"""Who changed what."""

from litestar import Response

from tidings.domain.audit import Filter
from tidings.domain.paging import Asked
from tidings.hall.given import Conn
from tidings.storage import audit, users
from tidings.web.drawing import action_words
from tidings.web.handlers import Entry, view
from tidings.web.visit import InVisit

_PER_PAGE = 50


@view("/audit")
async def show_audit(visit: InVisit, conn: Conn) -> Response[str]:
    organization_id, query = visit.user.organization_id, visit.query
    wanted = Filter(
        user_id=query.text("user"),
        environment_id=query.text("environment"),
        action=query.text("action"),
    )
    asked = Asked(after=query.text("after"), before=query.text("before"), limit=_PER_PAGE)
    known = await audit.actions(conn, organization_id)

    def path(after: str | None, before: str | None) -> str:
        return visit.places.path(
            "audit",
            user=wanted.user_id,
            environment=wanted.environment_id,
            action=wanted.action,
            after=after,
            before=before,
        )

    return visit.page(
        "audit.html",
        title="Audit log",
        found=await audit.page(conn, organization_id, wanted, asked),
        wanted=wanted,
        users=[(each.id, each.name) for each in await users.all_of(conn, organization_id)],
        environments=[(each.id, each.name) for each in visit.environments],
        actions=[(each, action_words(each)) for each in known],
        path=path,
    )


HANDLERS = [show_audit]
NAV = [
    Entry(
        label="Audit log",
        path="audit",
        icon="log",
        section="Administer",
        order=84,
        global_=True,
    )
]

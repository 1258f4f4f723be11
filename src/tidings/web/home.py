"""How the environment is doing: figures over time, the engine, integrations in trouble."""

from collections.abc import Sequence
from datetime import timedelta

import msgspec
from litestar import Response
from markupsafe import Markup

from tidings.domain.figures import SPANS, Moment, Span
from tidings.domain.integrations import IN_APP_PROVIDER
from tidings.hall.given import Conn
from tidings.storage import figures, workers
from tidings.web import charts
from tidings.web.charts import Series
from tidings.web.handlers import Entry, view
from tidings.web.parts import InParts
from tidings.web.visit import InVisit

_ALIVE_FOR = timedelta(seconds=20)
_LATE_SECONDS = 60


class Engine(msgspec.Struct, frozen=True, kw_only=True):
    workers: int
    depth: int
    oldest_due_seconds: float

    @property
    def state(self) -> tuple[str, str]:
        """In a word, and its tone."""
        if not self.workers:
            return "Not running", "bad"
        return ("Behind", "warn") if self.oldest_due_seconds > _LATE_SECONDS else ("Well", "good")


@view("/{environment:str}")
async def show_environment_home(visit: InVisit) -> Response[str]:
    return visit.go(visit.at("home"))


@view("/{environment:str}/home")
async def show_home(visit: InVisit, conn: Conn, parts: InParts) -> Response[str]:
    chosen = visit.query.get("span", "day")
    span = SPANS.get(chosen, SPANS["day"])
    moments = await figures.moments(conn, visit.scope, span.starts(visit.now), span.step)
    queue = await parts.queue_state(conn)
    return visit.page(
        "home.html",
        title="Home",
        begun=await figures.begun(conn, visit.scope, IN_APP_PROVIDER),
        engine=Engine(
            workers=await workers.seen_since(conn, visit.now - _ALIVE_FOR),
            depth=queue.depth,
            oldest_due_seconds=queue.oldest_seconds,
        ),
        troubles=await figures.troubles(conn, visit.scope, visit.now - timedelta(days=1)),
        spans=SPANS,
        span=span,
        moments=moments,
        slow=seconds(max((each.slow_seconds or 0 for each in moments), default=0)),
        plots=_plots(moments, span),
    )


def _plots(moments: Sequence[Moment], span: Span) -> list[Markup]:
    form = "%H:%M" if span.step < timedelta(hours=6) else "%d %b"
    labels = [format(each.at, form) for each in moments]
    events = Series(label="Triggered", values=[each.events for each in moments], color=1)
    sent = Series(label="Sent", values=[each.sent for each in moments], color=2)
    failed = Series(label="Failed", values=[each.failed for each in moments], color=3)
    median = Series(label="Half of them", values=[m.median_seconds for m in moments], color=1)
    slow = Series(label="19 of 20", values=[m.slow_seconds for m in moments], color=4)
    return [
        charts.lines("Events", [events], labels, _count),
        charts.lines("Messages", [sent, failed], labels, _count),
        charts.lines("Hand-over time", [slow, median], labels, seconds),
    ]


def _count(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:g}"


def seconds(value: float) -> str:
    if value == 0:
        return "0"
    if value < 1:
        return f"{value * 1000:.0f} ms"
    return f"{value:.3g} s" if value < 120 else f"{value / 60:.0f} min"


HANDLERS = [show_environment_home, show_home]
NAV = [Entry(label="Home", path="home", icon="home", section="", order=0)]

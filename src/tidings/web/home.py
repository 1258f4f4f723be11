"""How the environment is doing."""

from litestar import Response

from tidings.hall.given import Conn
from tidings.web.handlers import Entry, view
from tidings.web.visit import InVisit


@view("/{environment:str}/home")
async def show_home(visit: InVisit, conn: Conn) -> Response[str]:
    return visit.page("home.html", title="Home")


HANDLERS = [show_home]
NAV = [Entry(label="Home", path="home", icon="home", section="", order=0)]

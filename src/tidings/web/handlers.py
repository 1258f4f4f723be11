"""How a page file declares its handlers: who may use them, and what they do.

`@view(path)` reads; `@change(path, does="topic.create")` changes something, in a transaction that
also holds the audit entry. Both say the least role that may use them; the gate enforces it. In a
path, `{environment:str}` is resolved before the handler runs and found as `visit.environment`.
"""

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from litestar import Response, get, post
from litestar.handlers import HTTPRouteHandler

from tidings.domain.users import Role
from tidings.hall.unit import OWN_TRANSACTIONS
from tidings.storage.database import Connection
from tidings.web.visit import Visit

Again = Callable[[Visit, Connection, dict[str, str]], Awaitable[Response[str]]]
"""Draws a form anew, with `visit.form` and `visit.problems`: (visit, conn, path parameters)."""
Declared = Callable[[Callable[..., Any]], HTTPRouteHandler]

EVERYONE = None
"""In place of a role: no sign-in needed."""


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the side navigation, declared in a page file's `NAV`."""

    label: str
    path: str
    """The first step of its pages' paths."""
    icon: str
    section: str
    """One of SECTIONS."""
    order: int
    role: Role = "viewer"
    global_: bool = False
    """Whether its pages are about the whole installation, not one environment."""


SECTIONS = ("", "Build", "People", "Watch", "Administer")


class Does(msgspec.Struct, frozen=True, kw_only=True):
    """What the gate and the unit of work must know of a handler."""

    role: Role | None
    action: str | None = None
    again: Again | None = None


def view(path: str, *, role: Role | None = "viewer", **options: Any) -> Declared:
    """A page, or a part of one. Reads only: `conn: Conn`."""
    return get(path, opt={"does": Does(role=role)}, include_in_schema=False, **options)


def change(
    path: str,
    *,
    does: str | None,
    role: Role | None = "editor",
    again: Again | None = None,
    own_transactions: bool = False,
    **options: Any,
) -> Declared:
    """Something that a form or button does: `tx: Tx`, and `visit.touch(id, name)` tells the audit
    log on what. When the action refuses, `again` draws the form with what is wrong; without it an
    error page does. `own_transactions`: asks for `database`, because it waits for somebody else."""
    opt: dict[str, Any] = {"does": Does(role=role, action=does, again=again)}
    if own_transactions:
        opt |= OWN_TRANSACTIONS
    return post(path, opt=opt, status_code=200, include_in_schema=False, **options)

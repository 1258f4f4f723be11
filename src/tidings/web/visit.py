"""One request to the dashboard: who asks, in which environment, and the ways to answer."""

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from datetime import datetime
from http import HTTPStatus
from typing import Any, Literal
from urllib.parse import quote, unquote

from litestar import Response
from litestar.datastructures import Cookie
from litestar.di import NamedDependency

from tidings.domain.environments import Environment
from tidings.domain.errors import Problem
from tidings.domain.scope import Scope
from tidings.domain.users import Role, Session, User
from tidings.web.drawing import render
from tidings.web.form import Form
from tidings.web.places import DASHBOARD, GLOBAL_STEPS, Places
from tidings.world import World

SESSION_COOKIE = "tidings_session"
VISITOR_COOKIE = "tidings_visitor"
THEME_COOKIE = "tidings_theme"
SAID_COOKIE = "tidings_said"
ENVIRONMENT_COOKIE = "tidings_environment"

Tone = Literal["good", "bad"]

_FRAMED = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; "
    "font-src data:; frame-ancestors 'self'"
)


class Visit:
    """Handlers ask for it as `visit: InVisit`."""

    world: World
    """For forms that are drawn anew and show what is sealed; the gate puts it here."""

    def __init__(
        self,
        places: Places,
        path: str,
        query: Form,
        cookies: Mapping[str, str],
        now: datetime,
        session: Session | None = None,
        environments: Sequence[Environment] = (),
        environment: Environment | None = None,
        address: str = "",
        agent: str = "",
    ) -> None:
        self.places = places
        self.path = path
        self.query = query
        self.form = Form()
        self.problems: dict[str, Problem] = {}
        """What was wrong with the form that was just sent, by field; under "" what is wrong with
        the whole."""
        self.session = session
        self.environments = environments
        self._environment = environment
        self.address = address
        self.agent = agent
        self.now = now
        self.trusted = False
        """Whether the visitor sits at the server itself, in development."""
        self.elsewhere: str | None = None
        """The name of the issuer at which one can sign in too."""
        self.partial = False
        """Whether htmx asks for a part of the page."""
        self.nav: Sequence[tuple[str, Sequence[Any]]] = ()
        """The side navigation: sections with their entries."""
        self.touched: tuple[str | None, str | None, dict[str, Any]] | None = None
        self.touched_environment: Environment | None = None
        self._cookies = cookies
        self._new_cookies: list[Cookie] = []

    # Who and where

    @property
    def user(self) -> User:
        assert self.session is not None, "this handler is open to everyone"
        return self.session.user

    @property
    def environment(self) -> Environment:
        assert self._environment is not None, "the path of this handler has no environment"
        return self._environment

    @property
    def here(self) -> Environment | None:
        """The environment of the path; None on pages about the whole installation."""
        return self._environment

    @property
    def last_environment(self) -> Environment | None:
        """Where the navigation leads: the one of the path, or the one last visited."""
        last = self._cookies.get(ENVIRONMENT_COOKIE)
        found = (each for each in self.environments if each.identifier == last)
        return self._environment or next(found, None) or next(iter(self.environments), None)

    @property
    def scope(self) -> Scope:
        """Whose data this page may touch."""
        return Scope(self.environment.organization_id, self.environment.id)

    def may(self, role: Role) -> bool:
        return self.session is not None and self.session.user.may(role)

    # What was done, for the audit log

    def touch(
        self,
        id: str | None,
        name: str | None,
        environment: Environment | None = None,
        **details: Any,
    ) -> None:
        """Says what a change was made to; every `@change` that succeeds must have called it. The
        environment is the path's unless another one is given. Never put secrets into details."""
        self.touched = (id, name, details)
        self.touched_environment = environment

    # What the gate finds out

    def blank(self) -> "Visit":
        """Forget the form that was sent, so that the page shows an empty one."""
        self.form = Form()
        return self

    def cookie(self, name: str) -> str:
        return self._cookies.get(name, "")

    def stand_in(self, environment: Environment) -> None:
        self._environment = environment

    # Links

    def at(self, *steps: str, **query: str | None) -> str:
        """A path in the environment of this page: `visit.at("topics", topic.key)`."""
        return self.in_environment(self.environment, *steps, **query)

    def in_environment(self, environment: Environment, *steps: str, **query: str | None) -> str:
        taken = environment.identifier in GLOBAL_STEPS
        step = environment.id if taken else environment.identifier
        return self.places.path(step, *steps, **query)

    def is_at(self, step: str, whole: bool) -> bool:
        """Whether this page belongs to that entry of the navigation."""
        steps = self.path.removeprefix(DASHBOARD).strip("/").split("/")
        return steps[0] == step if whole else self.here is not None and steps[1:2] == [step]

    # Answers

    def page(
        self,
        template: str,
        *,
        title: str,
        status: int = HTTPStatus.OK,
        **context: Any,
    ) -> Response[str]:
        """The template as an answer; it finds `visit`, `title` and the context."""
        if self.problems and status == HTTPStatus.OK:
            status = HTTPStatus.UNPROCESSABLE_ENTITY
        if self._environment is not None:
            last = self._environment.identifier
            if self._cookies.get(ENVIRONMENT_COOKIE) != last:
                self.set_cookie(ENVIRONMENT_COOKIE, last, minutes=60 * 24 * 365)
        html = render(template, visit=self, title=title, said=self.take_said(), **context)
        return self._answer(html, status)

    def framed(self, html: str) -> Response[str]:
        """HTML that somebody else wrote, for an `<iframe sandbox>`: it can show itself and no
        more."""
        answer = self._answer(html, HTTPStatus.OK)
        answer.headers["Content-Security-Policy"] = _FRAMED
        answer.headers["X-Frame-Options"] = "SAMEORIGIN"
        return answer

    def go(self, path: str, said: str | None = None, tone: Tone = "good") -> Response[str]:
        """On to another page, which shows what is said once."""
        if said is not None:
            self.set_cookie(SAID_COOKIE, quote(f"{tone}:{said[:400]}"), minutes=5)
        answer = self._answer("", HTTPStatus.SEE_OTHER)
        answer.headers["Location"] = path
        return answer

    def set_cookie(self, key: str, value: str, minutes: int | None, strict: bool = False) -> None:
        self._new_cookies.append(
            Cookie(
                key=key,
                value=value,
                path=self.places.base,
                max_age=None if minutes is None else minutes * 60,
                httponly=True,
                secure=self.places.secure,
                samesite="strict" if strict else "lax",
            )
        )

    def _answer(self, html: str, status: int) -> Response[str]:
        return Response(
            html,
            status_code=int(status),
            media_type="text/html; charset=utf-8",
            cookies=self._new_cookies,
        )

    # What templates ask for

    @property
    def theme(self) -> str:
        chosen = self._cookies.get(THEME_COOKIE)
        return chosen if chosen in ("light", "dark") else "auto"

    @property
    def csrf(self) -> str:
        """Proves that a form came from a page of ours: bound to the session, or to the visitor who
        has none yet. Only who holds the cookie can compute it."""
        secret = self._cookies.get(SESSION_COOKIE if self.session else VISITOR_COOKIE, "")
        return hmac.new(secret.encode(), b"tidings csrf", hashlib.sha256).hexdigest()

    def is_csrf(self, token: str) -> bool:
        held = SESSION_COOKIE if self.session else VISITOR_COOKIE
        return bool(self._cookies.get(held)) and hmac.compare_digest(
            token.encode(), self.csrf.encode()
        )

    def greet(self, secret: str) -> None:
        """Give a visitor without a session a secret to which forms can be bound."""
        if self.session is None and not self._cookies.get(VISITOR_COOKIE):
            self._cookies = {**self._cookies, VISITOR_COOKIE: secret}
            self.set_cookie(VISITOR_COOKIE, secret, minutes=60 * 12, strict=True)

    def take_said(self) -> tuple[str, str] | None:
        """What the page before wants to be said: its tone and the text."""
        said = self._cookies.get(SAID_COOKIE)
        if not said:
            return None
        self.set_cookie(SAID_COOKIE, "", minutes=0)
        tone, _, text = unquote(said).partition(":")
        return ("bad" if tone == "bad" else "good", text)

    def value(self, name: str, default: Any = "") -> str:
        """What a field shows: what was just sent, or else what is stored."""
        return self.form.get(name) if name in self.form else str(default or "")

    def wrong(self, name: str) -> str:
        """What is wrong with a field, or nothing."""
        found = self.problems.get(name)
        return "" if found is None else "; ".join(found.messages)


InVisit = NamedDependency[Visit]

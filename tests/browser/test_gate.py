"""Who may do what, asked without a browser's manners: by direct requests."""

import httpx
import pytest
from litestar.handlers import HTTPRouteHandler

from tests.browser.conftest import session_of
from tidings import web
from tidings.domain.users import ROLES, Role
from tidings.hall.finding import found
from tidings.storage.database import Database
from tidings.web.handlers import Does


def caller(base: str, token: str | None) -> httpx.AsyncClient:
    cookies = {} if token is None else {"tidings_session": token}
    return httpx.AsyncClient(base_url=base, cookies=cookies)


async def csrf_of(client: httpx.AsyncClient) -> str:
    text = (await client.get("/dashboard/password")).text
    return text.split('name="csrf" content="')[1].split('"')[0]


def handlers() -> list[tuple[str, str, Does]]:
    """(method, path, what it does) of every handler of the dashboard."""
    listed: list[HTTPRouteHandler] = found(web, "HANDLERS")
    return [
        (next(iter(each.http_methods)), path, each.opt["does"])
        for each in listed
        for path in sorted(each.paths)
    ]


def filled(path: str, home: str) -> str:
    steps = [
        home.split("/")[-1] if step == "{environment:str}" else step for step in path.split("/")
    ]
    return "/dashboard" + "/".join("x" if step.startswith("{") else step for step in steps)


async def test_every_handler_asks_for_its_role(base: str, database: Database, home: str) -> None:
    for role in ROLES:
        async with caller(base, await session_of(database, role)) as client:
            token = await csrf_of(client)
            for method, path, does in handlers():
                if does.role is None or "sign-out" in path:
                    continue
                answer = await client.request(
                    method, filled(path, home), headers={"X-CSRF-Token": token}
                )
                enough = ROLES.index(role) >= ROLES.index(does.role)
                refused = answer.status_code == 403 and "needs the role" in answer.text
                assert refused != enough, f"{role}: {method} {path}: {answer.status_code}"


async def test_nobody_reads_or_changes_without_a_session(base: str, home: str) -> None:
    async with caller(base, None) as client:
        for method, path, does in handlers():
            if does.role is not None:
                answer = await client.request(method, filled(path, home))
                assert answer.status_code == (303 if method == "GET" else 401), path


async def test_a_form_without_the_proof_is_refused(
    base: str, database: Database, home: str
) -> None:
    others = await session_of(database, "editor")
    async with caller(base, others) as other:
        foreign = await csrf_of(other)
    async with caller(base, await session_of(database, "owner")) as client:
        await client.get("/dashboard/users")
        for method, path, _ in handlers():
            for headers in ({}, {"X-CSRF-Token": foreign}, {"X-CSRF-Token": ""}):
                if method == "POST":
                    answer = await client.post(filled(path, home), headers=headers)
                    assert answer.status_code == 403, path
                    assert "did not come from this dashboard" in answer.text


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
async def test_a_form_from_another_site_is_refused_even_with_the_proof(
    base: str, database: Database, site: str
) -> None:
    async with caller(base, await session_of(database, "owner")) as client:
        headers = {"X-CSRF-Token": await csrf_of(client), "Sec-Fetch-Site": site}
        answer = await client.post("/dashboard/environments/new", headers=headers)
        assert answer.status_code == 403


async def test_every_change_is_declared_with_an_action_or_is_about_oneself() -> None:
    silent = {path for method, path, does in handlers() if method == "POST" and not does.action}
    only_drawn = {path for path in silent if path.endswith(("/draft", "/preview", "/frame"))}
    assert silent - only_drawn == {"/sign-in", "/sign-out", "/first-owner", "/theme"}


async def test_what_browsers_are_told(base: str, database: Database) -> None:
    async with caller(base, await session_of(database, "viewer")) as client:
        answer = await client.get("/dashboard/audit")
    policy = answer.headers["content-security-policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    assert answer.headers["x-frame-options"] == "DENY"
    assert answer.headers["cache-control"] == "no-store"


async def test_links_and_cookies_follow_the_proxy(base: str, database: Database) -> None:
    role: Role = "viewer"
    headers = {"X-Forwarded-Prefix": "/tidings", "X-Forwarded-Proto": "https"}
    async with caller(base, await session_of(database, role)) as client:
        page = await client.get("/dashboard/audit", headers=headers)
        assert 'href="/tidings/dashboard/static/' in page.text
        assert 'href="/dashboard' not in page.text
        assert 'action="/dashboard' not in page.text
        start = await client.get("/dashboard", headers=headers)
        assert start.headers["location"].startswith("/tidings/dashboard/")
    async with caller(base, None) as stranger:
        cookie = (await stranger.get("/dashboard/sign-in", headers=headers)).headers["set-cookie"]
        assert "Path=/tidings/dashboard" in cookie
        assert "Secure" in cookie
        root = await stranger.get("/", headers={**headers, "Accept": "text/html"})
        assert root.headers["location"] == "/tidings/dashboard"
        assert (await stranger.get("/")).status_code == 404


async def test_a_link_cannot_lead_elsewhere_after_signing_in(base: str, database: Database) -> None:
    async with caller(base, await session_of(database, "viewer")) as client:
        token = await csrf_of(client)
        for bad in ("//evil.example", "https://evil.example", "/\\evil.example", "/dashboard//e"):
            data = {"theme": "dark", "back": bad, "csrf": token}
            answer = await client.post("/dashboard/theme", data=data)
            assert answer.headers["location"] == "/dashboard"

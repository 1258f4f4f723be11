from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from msgspec.structs import replace

from tests.browser.conftest import session_of
from tests.browser.issuer import CLIENT_ID, CLIENT_SECRET, Issuer, issuing
from tidings.settings import Settings
from tidings.storage import users
from tidings.storage.database import Database


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    with issuing() as issuer:
        yield issuer


@pytest.fixture
def settings(settings: Settings, issuer: Issuer) -> Settings:
    return replace(
        settings,
        oidc_issuer=issuer.address,
        oidc_client_id=CLIENT_ID,
        oidc_client_secret=CLIENT_SECRET,
        oidc_domains=("example.com",),
        oidc_role="editor",
    )


async def sign_in(client: httpx.AsyncClient) -> httpx.Response:
    """From the button to the page one ends up at, by way of the issuer."""
    started = await client.get("/dashboard/oidc/start", params={"next": "/dashboard/audit"})
    return await client.get(started.headers["location"], follow_redirects=True)


async def test_somebody_of_the_domain_gets_an_account_and_comes_back_to_it(
    base: str, database: Database
) -> None:
    await session_of(database, "owner")
    for _ in range(2):
        async with httpx.AsyncClient(base_url=base) as client:
            assert "Continue with single sign-on" in (await client.get("/dashboard/sign-in")).text
            page = await sign_in(client)
            assert page.url.path == "/dashboard/audit"
            assert "Ada Lovelace" in page.text
    async with database.connection() as connection:
        user = await users.get_by_email(connection, "ada@example.com")
        rows = await connection.fetch("SELECT action, target_name, details FROM audit_entries")
    assert (user.role, user.password, user.subject) == ("editor", None, "ada-at-issuer")
    [noted] = rows
    assert (noted["action"], noted["target_name"]) == ("user.create", "ada@example.com")
    assert '"role": "editor"' in noted["details"]


@pytest.mark.parametrize(
    ("claims", "said"),
    [
        ({"email": "eve@elsewhere.example"}, "has no account here"),
        ({"email_verified": False}, "does not vouch for your e-mail"),
        ({"nonce": "another"}, "belongs to another sign-in"),
        ({"aud": "another client"}, "does not hold"),
        ({"iss": "https://evil.example"}, "does not hold"),
        ({"exp": 1}, "too old"),
    ],
)
async def test_a_token_that_does_not_hold_opens_nothing(
    base: str, database: Database, issuer: Issuer, claims: dict[str, Any], said: str
) -> None:
    await session_of(database, "owner")
    issuer.claims |= claims
    async with httpx.AsyncClient(base_url=base) as client:
        page = await sign_in(client)
        assert said in page.text
        assert "tidings_session" not in client.cookies
    async with database.connection() as connection:
        assert await users.find_by_email(connection, "ada@example.com") is None


async def test_a_token_signed_by_somebody_else_opens_nothing(
    base: str, database: Database, issuer: Issuer
) -> None:
    await session_of(database, "owner")
    issuer.signs_with = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    async with httpx.AsyncClient(base_url=base) as client:
        assert "does not hold" in (await sign_in(client)).text
        assert "tidings_session" not in client.cookies


async def test_a_sign_in_cannot_be_finished_in_another_browser_or_twice(
    base: str, database: Database
) -> None:
    await session_of(database, "owner")
    async with httpx.AsyncClient(base_url=base) as client, httpx.AsyncClient() as other:
        started = await client.get("/dashboard/oidc/start")
        agreed = await client.get(started.headers["location"])
        back = agreed.headers["location"]
        assert "not started in this browser" in (await other.get(back)).text
        cookies = dict(client.cookies)
        assert (await client.get(back)).status_code == 303
        other.cookies.set("tidings_oidc", cookies["tidings_oidc"])
        again = await other.get(back)
        assert "took too long or was finished already" in again.text

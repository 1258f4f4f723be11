from datetime import UTC, datetime, timedelta

import jwt
import msgspec
import pytest

from tests.conftest import make_world
from tidings.actions import sessions
from tidings.clock import ManualClock
from tidings.domain.scope import Scope
from tidings.domain.sessions import SIGNING_KEY_SERVES, SigningKey
from tidings.domain.subscribers import Profile, Subscriber
from tidings.inbox import tokens
from tidings.inbox.tokens import Tokens, Visitor
from tidings.storage import subscribers
from tidings.storage.changes import Listener
from tidings.storage.database import Database
from tidings.world import World

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)
KEY = SigningKey(id="k1", scope=Scope("o", "e"), secret=b"s" * 64, created_at=NOW)
ADA = Subscriber(
    id="1" * 24,
    key="ada",
    first_name=None,
    last_name=None,
    email=None,
    phone=None,
    avatar=None,
    locale=None,
    timezone=None,
    data=None,
    channels=msgspec.Raw(b"[]"),
    is_online=None,
    last_online_at=None,
    version=0,
    created_at=NOW,
    updated_at=NOW,
)


def test_a_token_is_a_web_token_that_others_can_read() -> None:
    token = tokens.sign(KEY, ADA, NOW, DAY)
    claims = jwt.decode(token, KEY.secret, ["HS256"], options={"verify_exp": False}, audience="e")
    assert claims["subscriberId"] == "ada"
    assert claims["exp"] - claims["iat"] == DAY.total_seconds()
    assert tokens.verify(KEY, token, NOW) == Visitor(Scope("o", "e"), ADA.id, "ada", NOW + DAY)


def test_a_token_runs_out() -> None:
    token = tokens.sign(KEY, ADA, NOW, DAY)
    assert tokens.verify(KEY, token, NOW + DAY - timedelta(seconds=1))
    assert tokens.verify(KEY, token, NOW + DAY) is None


@pytest.mark.parametrize(
    "forged",
    [
        jwt.encode({"iss": "tidings", "aud": "e"}, b"x" * 32, "HS256", {"kid": "k1"}),
        jwt.encode({"iss": "tidings", "aud": "e"}, KEY.secret, "HS256", {"kid": "k1"}),
        jwt.encode({"iss": "tidings", "aud": "e"}, KEY.secret, "HS512", {"kid": "k1"}),
        "",
        "a.b.c",
        "..",
        "é.ß.ø",
    ],
)
def test_what_we_did_not_sign_opens_nothing(forged: str) -> None:
    assert tokens.verify(KEY, forged, NOW) is None


def test_a_token_of_one_environment_opens_no_other() -> None:
    token = tokens.sign(KEY, ADA, NOW, DAY)
    other = msgspec.structs.replace(KEY, scope=Scope("o", "other"))
    assert tokens.verify(other, token, NOW) is None


def test_every_changed_character_spoils_a_token() -> None:
    token = tokens.sign(KEY, ADA, NOW, DAY)
    for place in range(0, len(token), 7):
        other = "A" if token[place] != "A" else "B"
        assert tokens.verify(KEY, token[:place] + other + token[place + 1 :], NOW) is None


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOW)


@pytest.fixture
def world(clock: ManualClock) -> World:
    return make_world(clock)


async def signed(database: Database, scope: Scope, world: World) -> str:
    now = world.clock.now()
    async with database.transaction() as tx:
        ada = await subscribers.put(tx, scope, world.ids.new(), Profile(key="ada"), now)
        key = await sessions.signing_key(tx, scope, world, DAY)
    return tokens.sign(key, ada, now, DAY)


async def test_keys_change_by_themselves_and_former_tokens_stay_good(
    database: Database, scope: Scope, world: World, clock: ManualClock
) -> None:
    listener = Listener(database)
    await listener.start()
    ring = Tokens(database, listener, world)
    former = await signed(database, scope, world)
    clock.advance(timedelta(hours=25))
    assert tokens.key_id(await signed(database, scope, world)) == tokens.key_id(former)
    clock.advance(SIGNING_KEY_SERVES)
    stale, fresh = former, await signed(database, scope, world)
    assert tokens.key_id(fresh) != tokens.key_id(stale)
    assert await ring.visitor(stale) is None
    assert await ring.visitor(fresh) is not None
    async with database.transaction() as tx:
        await sessions.rotate_signing_key(tx, scope, world, DAY)
    assert await ring.visitor(fresh) is not None
    await listener.stop()


async def test_ending_all_sessions_is_heard_by_every_process(
    database: Database, scope: Scope, world: World
) -> None:
    ring = Tokens(database, Listener(database), world)
    token = await signed(database, scope, world)
    assert await ring.visitor(token) is not None
    async with database.transaction() as tx:
        await sessions.end_all(tx, scope, world)
    assert await ring.visitor(token) is None

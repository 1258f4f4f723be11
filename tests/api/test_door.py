import msgspec
import pytest

from tests.conftest import caller_of
from tests.doors import open_doors
from tidings.api.door import Parts


@pytest.fixture
def for_browsers(parts: Parts) -> Parts:
    settings = msgspec.structs.replace(parts.settings, cors_origins=("https://shop.example",))
    return msgspec.structs.replace(parts, settings=settings)


async def test_a_browser_asks_before_it_calls(for_browsers: Parts) -> None:
    async with caller_of(open_doors(for_browsers), key=None) as client:
        answer = await client.options(
            "/v1/environments",
            headers={
                "Origin": "https://shop.example",
                "Access-Control-Request-Method": "GET",
                "Access-Control-Request-Headers": "authorization,content-type",
            },
        )
        assert answer.status_code == 204
        assert answer.headers["access-control-allow-origin"] == "https://shop.example"
        assert "authorization" in answer.headers["access-control-allow-headers"].lower()


async def test_the_origin_is_allowed_on_answers_and_errors(for_browsers: Parts) -> None:
    async with caller_of(open_doors(for_browsers)) as client:
        for path in ("/v1/environments", "/v1/nowhere"):
            answer = await client.get(path, headers={"Origin": "https://shop.example"})
            assert answer.headers["access-control-allow-origin"] == "https://shop.example"
        other = await client.get("/v1/environments", headers={"Origin": "https://evil.example"})
        assert other.headers.get("access-control-allow-origin") != "https://evil.example"


async def test_the_novu_dialect_wraps_single_answers(parts: Parts) -> None:
    settings = msgspec.structs.replace(parts.settings, dialect="novu")
    async with caller_of(open_doors(msgspec.structs.replace(parts, settings=settings))) as client:
        answer = await client.get("/v1/environments")
        assert [each["name"] for each in answer.json()["data"]] == ["Development", "Production"]
        assert "data" not in (await client.get("/v1/nowhere")).json()

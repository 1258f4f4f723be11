"""GET /v1/environments."""

import httpx


async def test_lists_the_environments_of_the_organization(client: httpx.AsyncClient) -> None:
    answer = await client.get("/v1/environments")
    assert answer.status_code == 200
    development, production = answer.json()
    assert [development["name"], production["name"]] == ["Development", "Production"]
    assert [development["type"], production["type"]] == ["dev", "prod"]
    assert production["_parentId"] == development["_id"]
    assert "_parentId" not in development
    assert "color" not in development

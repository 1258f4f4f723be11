import httpx

from tidings import __version__


async def test_the_interface_describes_itself(client: httpx.AsyncClient) -> None:
    document = (await client.get("/openapi.json")).json()
    assert document["openapi"].startswith("3.1")
    assert document["info"]["version"] == __version__
    operation = document["paths"]["/v1/environments"]["get"]
    assert operation["operationId"] == "listEnvironments"
    assert operation["security"] == [{"apiKey": []}]
    error = operation["responses"]["401"]["content"]["application/json"]["schema"]
    name = error["$ref"].split("/")[-1]
    shape = document["components"]["schemas"][name]["properties"]
    assert {"statusCode", "timestamp", "path", "message", "error", "ctx"} <= set(shape)
    assert "security" not in document["paths"]["/health/live"]["get"]


async def test_every_operation_is_named_once_and_explained(client: httpx.AsyncClient) -> None:
    document = (await client.get("/openapi.json")).json()
    operations = [each for path in document["paths"].values() for each in path.values()]
    names = [operation["operationId"] for operation in operations]
    assert len(names) == len(set(names))
    for operation in operations:
        assert operation["summary"], operation["operationId"]
        assert operation["tags"], operation["operationId"]


async def test_the_page_for_people_needs_no_other_host(client: httpx.AsyncClient) -> None:
    page = await client.get("/docs")
    assert page.headers["content-type"].startswith("text/html")
    assert "default-src 'self'" in page.headers["content-security-policy"]
    assert "/v1/environments" in page.text
    for name in ("docs.css", "docs.js"):
        assert f"docs/assets/{name}" in page.text
        assert (await client.get(f"/docs/assets/{name}")).status_code == 200
    assert (await client.get("/docs/assets/secret")).status_code == 404
    for attribute in ('src="http', 'href="http', "src='http"):
        assert attribute not in page.text


async def test_browsers_may_call_when_their_origin_is_allowed(client: httpx.AsyncClient) -> None:
    answer = await client.get("/v1/environments", headers={"Origin": "https://shop.example"})
    assert "access-control-allow-origin" not in answer.headers

import gzip
import re
from pathlib import Path

import httpx
import pytest

from tests.conftest import TEST_KEY_TEXT
from tidings.settings import Settings

_MOST_BYTES = 40_000
_ROOT = Path(__file__).parent.parent.parent
_SOURCE = (_ROOT / "src" / "tidings" / "inbox" / "static" / "inbox.js").read_text()
_GUIDE = (_ROOT / "docs" / "how-to" / "inbox-element.md").read_text()


async def test_the_element_may_be_loaded_by_any_site(anyone: httpx.AsyncClient) -> None:
    answer = await anyone.get("/inbox.js", headers={"Origin": "https://shop.example"})
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.headers["cross-origin-resource-policy"] == "cross-origin"
    assert "customElements.define" in answer.text


async def test_the_element_is_sent_again_only_when_it_has_changed(
    anyone: httpx.AsyncClient,
) -> None:
    first = await anyone.get("/inbox.js")
    again = await anyone.get("/inbox.js", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    other = await anyone.get("/inbox.js", headers={"If-None-Match": '"something else"'})
    assert other.status_code == 200


async def test_little_is_sent(anyone: httpx.AsyncClient) -> None:
    packed = await anyone.get("/inbox.js", headers={"Accept-Encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip"
    assert "accept-encoding" in packed.headers["vary"].lower()
    assert int(packed.headers["content-length"]) < _MOST_BYTES
    plain = await anyone.get("/inbox.js", headers={"Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert packed.content == plain.content
    assert len(gzip.compress(plain.content)) < _MOST_BYTES


def test_the_guide_names_everything_that_can_be_set() -> None:
    variables = set(re.findall(r"var\((--tidings-[a-z-]+)", _SOURCE))
    assert variables == set(re.findall(r"^\| `(--tidings-[a-z-]+)`", _GUIDE, re.M))
    listed = re.search(r"observedAttributes = \[(.*?)\]", _SOURCE)
    assert listed
    attributes = set(re.findall(r'"([a-z-]+)"', listed[1])) | {"theme", "toasts"}
    assert attributes == set(re.findall(r"^\| `([a-z][a-z-]+)` \|", _GUIDE, re.M))


def test_the_guide_names_every_event() -> None:
    told = set(re.findall(r"#emit\(\"(\w+)\"", _SOURCE))
    assert told == set(re.findall(r"`tidings:(\w+)`", _GUIDE))


def test_every_language_has_every_label() -> None:
    languages = re.findall(r"^  (\w\w): \{\n(.*?)^  \},", _SOURCE, re.M | re.S)
    english, *others = [set(re.findall(r"(\w+): \"", text)) for _, text in languages]
    assert len(english) > 50
    assert all(other == english for other in others)
    said = set(re.findall(r"#say\(\"(\w+)\"", _SOURCE))
    assert said <= english


class TestDemonstration:
    async def test_pages_allow_nothing_from_elsewhere(self, anyone: httpx.AsyncClient) -> None:
        for path in ("/demo/inbox", "/demo/inbox/window/anna"):
            answer = await anyone.get(path)
            assert answer.status_code == 200
            policy = answer.headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "http" not in policy
            assert "unsafe" not in policy

    async def test_an_unknown_person_has_no_window(self, anyone: httpx.AsyncClient) -> None:
        assert (await anyone.get("/demo/inbox/window/mallory")).status_code == 404
        assert (await anyone.get("/demo/inbox/static/inbox.js")).status_code == 404

    async def test_words_in_the_address_stay_words(self, anyone: httpx.AsyncClient) -> None:
        nasty = '"><script>alert(1)</script>'
        answer = await anyone.get(
            "/demo/inbox/window/anna",
            params={"lang": nasty, "dir": nasty, "theme": nasty, "placement": nasty},
        )
        assert "<script>alert" not in answer.text

    async def test_it_triggers(self, anyone: httpx.AsyncClient, client: httpx.AsyncClient) -> None:
        body = {"people": ["anna", "anna"], "kind": "invitation", "title": "Hello"}
        answer = await anyone.post("/demo/inbox/trigger", json=body)
        assert answer.status_code == 201
        assert answer.json()["transactionId"]
        known = (await client.get("/v2/workflows?query=inbox-demo")).json()
        assert known["totalCount"] == 3

    async def test_a_workflow_that_somebody_changed_stays_changed(
        self, anyone: httpx.AsyncClient, client: httpx.AsyncClient
    ) -> None:
        body = {"people": ["ben"], "title": "Hello"}
        await anyone.post("/demo/inbox/trigger", json=body)
        await client.patch("/v2/workflows/inbox-demo-comment", json={"active": False})
        answer = await anyone.post("/demo/inbox/trigger", json=body)
        assert answer.status_code == 400
        assert "trigger_not_active" in answer.json()["message"]

    @pytest.mark.parametrize(
        ("body", "status"),
        [
            ({"people": ["mallory"], "title": "x"}, 422),
            ({"people": [], "title": "x"}, 422),
            ({"people": ["anna"], "title": ""}, 422),
            ({"people": ["anna"], "title": "x" * 201}, 422),
        ],
    )
    async def test_what_it_cannot_trigger_is_named(
        self, anyone: httpx.AsyncClient, body: dict[str, object], status: int
    ) -> None:
        assert (await anyone.post("/demo/inbox/trigger", json=body)).status_code == status

    async def test_no_other_site_can_trigger_for_its_visitor(
        self, anyone: httpx.AsyncClient
    ) -> None:
        body = {"people": ["anna"], "title": "Hello"}
        headers = {"Sec-Fetch-Site": "cross-site", "Origin": "https://elsewhere.example"}
        refused = await anyone.post("/demo/inbox/trigger", json=body, headers=headers)
        assert refused.status_code == 403
        form = await anyone.post("/demo/inbox/trigger", data={"title": "Hello"})
        assert form.status_code == 415
        asked = await anyone.options(
            "/demo/inbox/trigger", headers={**headers, "Access-Control-Request-Method": "POST"}
        )
        assert "access-control-allow-origin" not in asked.headers


class TestProduction:
    @pytest.fixture
    def settings(self, settings: Settings) -> Settings:
        return Settings(data_dir=settings.data_dir, mode="production", encryption_key=TEST_KEY_TEXT)

    async def test_there_is_no_demonstration(self, anyone: httpx.AsyncClient) -> None:
        body = {"people": ["anna"], "title": "Hello"}
        assert (await anyone.get("/demo/inbox")).status_code == 404
        assert (await anyone.get("/demo/inbox/window/anna")).status_code == 404
        assert (await anyone.get("/demo/inbox/static/demo.js")).status_code == 404
        assert (await anyone.post("/demo/inbox/trigger", json=body)).status_code == 404

    async def test_there_is_the_element(self, anyone: httpx.AsyncClient) -> None:
        assert (await anyone.get("/inbox.js")).status_code == 200

"""What a reader finds on the API reference page, drawn from a small OpenAPI document."""

from __future__ import annotations

import copy
import json
import re
import shlex
from html.parser import HTMLParser
from typing import Any

import pytest

from tidings.api import docs_page

HOSTILE = "<script>alert('x')</script>"
VOID = {"meta", "link", "input"}


def ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {
        "title": "Tidings",
        "version": "1.2.3",
        "description": f"First `word`.\n\nSecond {HOSTILE} with `<b>code</b>`.",
    },
    "servers": [{"url": "http://127.0.0.1:8080/base/"}],
    "security": [{"ApiKey": []}],
    "tags": [{"name": "Letters", "description": "All about letters."}],
    "paths": {
        "/letters/{letter_id}": {
            "parameters": [{"$ref": "#/components/parameters/LetterId"}],
            "post": {
                "operationId": "sendLetter",
                "tags": ["Letters"],
                "summary": "Send a letter",
                "description": f"Sends it. {HOSTILE}",
                "security": [{"ApiKey": ["letters:write"]}],
                "parameters": [
                    {
                        "name": "copies",
                        "in": "query",
                        "required": True,
                        "description": "How many copies.",
                        "schema": {"type": "integer", "minimum": 2.0, "maximum": 9.0},
                    },
                    {
                        "name": "Idempotency-Key",
                        "in": "header",
                        "required": True,
                        "schema": {"type": "string", "maxLength": 64, "examples": ["it's once"]},
                    },
                    {
                        "name": "session",
                        "in": "cookie",
                        "deprecated": True,
                        "schema": {"type": "string", "default": "none"},
                    },
                    {
                        "name": "sort",
                        "in": "query",
                        "schema": {"type": "array", "items": ref("Order")},
                    },
                ],
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": ref("Letter")}},
                },
                "responses": {
                    "202": {
                        "description": "On its way.",
                        "headers": {"Location": {"schema": {"type": "string", "format": "uri"}}},
                        "content": {"application/json": {"schema": ref("Receipt")}},
                    },
                    "204": {"description": "Nothing to send."},
                    "422": {"$ref": "#/components/responses/Refused"},
                },
            },
            "get": {
                "operationId": "readLetter",
                "tags": ["Letters"],
                "summary": "Read a letter",
                "deprecated": True,
                "responses": {"200": {"description": HOSTILE}},
            },
        },
        "/health": {
            "get": {"operationId": "health", "security": [], "responses": {}},
        },
    },
    "components": {
        "securitySchemes": {
            "ApiKey": {
                "type": "apiKey",
                "in": "header",
                "name": "Authorization",
                "description": "Make one with `tidings key`.",
            }
        },
        "parameters": {
            "LetterId": {
                "name": "letter_id",
                "in": "path",
                "required": True,
                "schema": {"type": "string"},
            }
        },
        "responses": {
            "Refused": {
                "description": "Not acceptable.",
                "content": {"application/problem+json": {"schema": ref("Problem")}},
            }
        },
        "schemas": {
            "Order": {"type": "string", "enum": ["newest", "oldest"]},
            "Problem": {"type": "object", "properties": {"detail": {"type": "string"}}},
            "Receipt": {
                "type": "object",
                "properties": {"number": {"type": "integer"}},
                "additionalProperties": {"type": "string"},
            },
            "Post": {
                "type": "object",
                "required": ["kind", "street"],
                "properties": {"street": {"type": "string"}, "kind": {"const": "post"}},
            },
            "Mail": {
                "type": "object",
                "required": ["address"],
                "properties": {"address": {"type": "string", "format": "email"}},
            },
            "Enclosure": {
                "type": "object",
                "required": ["title"],
                "properties": {
                    "title": {"type": "string"},
                    "inside": {"type": "array", "items": ref("Enclosure")},
                },
            },
            "Letter": {
                "type": "object",
                "required": ["id", "to", "text"],
                "properties": {
                    "id": {"type": "string", "readOnly": True},
                    "order": {**ref("Order"), "default": "oldest"},
                    "reply_to": {
                        "oneOf": [{"type": "string", "format": "email"}, {"type": "null"}]
                    },
                    "postage": {"type": ["number", "null"], "exclusiveMinimum": 0},
                    "stamp": {"type": "string", "deprecated": True, "examples": ["penny black"]},
                    "to": {"oneOf": [ref("Post"), ref("Mail")]},
                    "text": {"type": "string", "pattern": r"^\S+$", "description": HOSTILE},
                    "enclosure": {"anyOf": [ref("Enclosure"), {"type": "null"}]},
                    "marks": {
                        "type": "array",
                        "maxItems": 3,
                        "uniqueItems": True,
                        "items": {"type": "string", "maxLength": 7},
                    },
                    "names": {"type": "object", "additionalProperties": {"type": "integer"}},
                },
            },
        },
    },
}


class Element:
    """One element of the page, with its children and text pieces in order."""

    def __init__(self, tag: str, attributes: dict[str, str | None]) -> None:
        self.tag = tag
        self.attributes = attributes
        self.content: list[Element | str] = []

    def all(self) -> list[Element]:
        children = [child for child in self.content if isinstance(child, Element)]
        return [self, *(found for child in children for found in child.all())]

    def find(self, tag: str, **attributes: str) -> list[Element]:
        wanted = {key.rstrip("_"): value for key, value in attributes.items()}.items()
        return [e for e in self.all() if e.tag == tag and wanted <= e.attributes.items()]

    @property
    def raw(self) -> str:
        return "".join(part if isinstance(part, str) else part.raw for part in self.content)

    @property
    def text(self) -> str:
        return " ".join(self.raw.split())


class PageParser(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = Element("page", {})
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, dict(attrs))
        self.open[-1].content.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop().tag == tag, f"unbalanced </{tag}>"

    def handle_data(self, data: str) -> None:
        self.open[-1].content.append(data)


def parse(document: dict[str, Any]) -> Element:
    parser = PageParser()
    parser.feed(docs_page.render(document))
    parser.close()
    assert parser.open == [parser.root]
    return parser.root


@pytest.fixture(scope="module")
def page() -> Element:
    return parse(DOCUMENT)


@pytest.fixture(scope="module")
def send(page: Element) -> Element:
    return article(page, "sendLetter")


def article(page: Element, anchor: str) -> Element:
    [found] = page.find("article", id=anchor)
    return found


def field(within: Element, name: str) -> Element:
    """Find the list item whose own name (not that of a field inside it) is `name`."""
    for item in within.find("li"):
        names = [e for e in item.content if isinstance(e, Element) and e.tag == "code"]
        if names and names[0].text == name:
            return item
    raise AssertionError(f"no field {name}")


def own_text(item: Element) -> str:
    """Read what is said of the field itself, without the fields nested in it."""
    shown = [e for e in item.content if not (isinstance(e, Element) and e.tag == "details")]
    return " ".join(" ".join(e.text if isinstance(e, Element) else e for e in shown).split())


def example(operation: Element) -> str:
    [block] = operation.find("pre")
    return block.raw


def test_head_tells_title_version_and_introduction(page: Element) -> None:
    [heading] = page.find("h1")
    assert heading.text == "Tidings 1.2.3"
    [main] = page.find("main")
    assert "First word." in [paragraph.text for paragraph in main.find("p")]
    assert "word" in [code.text for code in main.find("code")]


def test_hostile_text_stays_text(page: Element, send: Element) -> None:
    assert [script.attributes.get("src") for script in page.find("script")] == [
        "docs/assets/docs.js"
    ]
    assert HOSTILE in send.text
    assert f"Second {HOSTILE} with <b>code</b>." in page.text
    assert all(bold.text != "code" for bold in page.find("b"))


def test_hostile_names_cannot_leave_their_attribute() -> None:
    document = copy.deepcopy(DOCUMENT)
    operation = document["paths"]["/health"]["get"]
    operation |= {"operationId": '"><img src=x>', "summary": '"><img src=x>'}
    page = parse(document)
    assert page.find("img") == []
    assert '"><img src=x>' in page.text


def test_page_obeys_a_strict_content_policy_and_a_sub_path(page: Element) -> None:
    for element in page.all():
        assert element.tag != "style"
        assert not [name for name in element.attributes if name == "style" or name.startswith("on")]
        for name in ("href", "src"):
            assert not re.match(r"/|[a-z]+:", element.attributes.get(name) or "")
    links = {element.attributes.get("href") for element in page.all()}
    assert {"docs/assets/docs.css", "openapi.json"} <= links


def test_every_inner_link_has_one_target(page: Element) -> None:
    anchors = [e.attributes["id"] for e in page.all() if "id" in e.attributes]
    links = [e.attributes.get("href") or "" for e in page.find("a")]
    assert len(anchors) == len(set(anchors))
    assert {link[1:] for link in links if link.startswith("#")} <= set(anchors)


def test_navigation_lists_operations_by_tag(page: Element) -> None:
    [contents] = page.find("nav")
    groups = [[part.text for part in g.find("h2") + g.find("a")] for g in contents.find("section")]
    assert groups == [
        ["Letters", "GET Read a letter deprecated", "POST Send a letter"],
        ["Other", "GET /health"],
    ]
    assert page.find("a", href="#sendLetter", title="/letters/{letter_id}")


def test_authentication_is_explained_and_told_per_operation(page: Element, send: Element) -> None:
    [section] = page.find("section", id="docs-authentication")
    assert "Make one with tidings key." in section.text
    assert "Sent in the header Authorization." in section.text
    assert "Authenticate with ApiKey (letters:write)." in send.text
    assert "No authentication needed." in article(page, "health").text


def test_operation_shows_method_path_and_deprecation(page: Element, send: Element) -> None:
    assert "POST /letters/{letter_id}" in send.text
    assert "deprecated" not in send.find("header")[0].text
    assert article(page, "readLetter").find("header")[0].text.startswith("Read a letter deprecated")


@pytest.mark.parametrize(
    ("place", "name", "said"),
    [
        ("Path", "letter_id", "letter_id string required"),
        ("Query", "copies", "copies integer required minimum 2 maximum 9 How many copies."),
        ("Query", "sort", "sort array of string One of newest oldest"),
        ("Header", "Idempotency-Key", "Idempotency-Key string required max length 64"),
        ("Cookie", "session", 'session string deprecated default "none"'),
    ],
)
def test_parameters(send: Element, place: str, name: str, said: str) -> None:
    assert f"{place} parameters" in [heading.text for heading in send.find("h4")]
    assert own_text(field(send, name)) == said


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("id", "id string required read only"),
        ("order", 'order string default "oldest" One of newest oldest'),
        ("reply_to", "reply_to string (email) or null"),
        ("postage", "postage number or null exclusive minimum 0"),
        ("stamp", "stamp string deprecated"),
        ("to", "to one of Post, Mail required"),
        ("text", rf"text string required pattern ^\S+$ {HOSTILE}"),
        ("enclosure", "enclosure Enclosure or null"),
        ("marks", "marks array of string max items 3 unique items each max length 7"),
        ("names", "names map of integer"),
    ],
)
def test_body_fields(send: Element, name: str, said: str) -> None:
    assert own_text(field(send, name)) == said


def test_alternatives_and_nested_types_open_in_place(send: Element) -> None:
    [outer, *inner] = field(send, "to").find("summary")
    assert outer.text == "2 alternatives"
    assert [summary.text for summary in inner] == ["2 fields", "1 field"]
    assert own_text(field(field(send, "to"), "kind")) == 'kind any required const "post"'


def test_recursive_type_ends_in_a_link_to_itself(page: Element, send: Element) -> None:
    inside = field(field(send, "enclosure"), "inside")
    assert [link.attributes["href"] for link in inside.find("a")] == ["#schema-Enclosure"]
    assert inside.find("details") == []
    assert "title string required" in article(page, "schema-Enclosure").text


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#/components/schemas/Loop"},
        {"additionalProperties": ref("Loop")},
        {"oneOf": [ref("Loop"), {"type": "null"}]},
        {"allOf": [ref("Order"), {"properties": {"again": {"allOf": [ref("Loop")]}}}]},
        {"properties": {"again": ref("Loop")}, "required": ["again"]},
        {"$ref": "#/nowhere"},
    ],
)
def test_loops_and_dangling_references_still_draw(schema: dict[str, Any]) -> None:
    document = copy.deepcopy(DOCUMENT)
    document["components"]["schemas"] |= {"Loop": schema, "Letter": ref("Loop")}
    assert "Send a letter" in parse(document).text


def test_combined_schema_shows_the_fields_of_all_parts() -> None:
    document = copy.deepcopy(DOCUMENT)
    own = {"properties": {"colour": {"type": "string"}}, "required": ["colour"]}
    document["components"]["schemas"]["Letter"] = {"allOf": [ref("Post"), own]}
    send = article(parse(document), "sendLetter")
    assert own_text(field(send, "street")) == "street string required"
    assert own_text(field(send, "colour")) == "colour string required"


def test_responses_by_status(page: Element, send: Element) -> None:
    accepted, empty, refused = send.find("details", class_="response")
    assert "202 On its way." in accepted.text
    assert own_text(field(accepted, "number")) == "number integer"
    assert own_text(field(accepted, "(any other name)")) == "(any other name) string"
    assert own_text(field(accepted, "Location")) == "Location string (uri)"
    assert "open" in accepted.attributes
    assert empty.text == "204 Nothing to send. No body."
    assert "422 Not acceptable." in refused.text
    assert "Problem as application/problem+json" in refused.text
    assert page.find("article", id="schema-Problem")


def test_curl_example_can_be_run_as_it_stands(send: Element) -> None:
    words = shlex.split(example(send).replace("\\\n", " "))
    assert words[:3] == ["curl", "-X", "POST"]
    assert words[3] == "http://127.0.0.1:8080/base/letters/LETTER_ID?copies=2"
    assert '"Authorization: ApiKey $TIDINGS_API_KEY"' in example(send)
    assert "Idempotency-Key: it's once" in words
    assert "Content-Type: application/json" in words


def test_curl_body_has_required_fields_then_stated_ones(send: Element) -> None:
    words = shlex.split(example(send).replace("\\\n", " "))
    body = json.loads(words[words.index("-d") + 1])
    assert list(body.items()) == [
        ("to", {"street": "text", "kind": "post"}),
        ("text", "text"),
        ("order", "oldest"),
    ]


def test_curl_without_authentication_and_with_a_relative_server() -> None:
    document = {**DOCUMENT, "servers": [{"url": "/"}]}
    assert example(article(parse(document), "health")) == "curl http://127.0.0.1:8080/health"


def test_page_reads_without_script(page: Element) -> None:
    scripted = [e for e in page.all() if "hidden" in e.attributes]
    assert {e.tag for e in scripted} == {"button", "p"}
    assert all(e.tag == "button" or e.find("input", type="search") for e in scripted)


def test_page_can_be_walked_by_keyboard_and_reader(page: Element) -> None:
    skip = page.find("a")[0].attributes["href"]
    assert skip == "#docs-main"
    assert page.find("main", id="docs-main")
    assert page.find("html", lang="en")
    assert page.find("label", for_="docs-filter")
    names = [button.attributes["aria-label"] for button in page.find("button")]
    assert len(names) == len(set(names)) == 3


def test_smallest_document_draws() -> None:
    page = parse({"openapi": "3.1.0", "info": {"title": "Bare", "version": "0"}})
    assert page.find("h1")[0].text == "Bare 0"
    assert page.find("article") == []


@pytest.mark.parametrize(
    ("name", "media_type"), [("docs.css", "text/css"), ("docs.js", "text/javascript")]
)
def test_assets_need_no_other_host(name: str, media_type: str) -> None:
    kind, content = docs_page.ASSETS[name]
    assert kind == f"{media_type}; charset=utf-8"
    assert not re.search(rb"https?:|//[a-z]|@import|url\(", content)


def test_page_of_sixty_operations_stays_small() -> None:
    document = copy.deepcopy(DOCUMENT)
    operation = document["paths"].pop("/letters/{letter_id}")["post"]
    for number in range(60):
        document["paths"][f"/{number}"] = {"post": {**operation, "operationId": f"send{number}"}}
    assert len(docs_page.render(document).encode()) < 600_000

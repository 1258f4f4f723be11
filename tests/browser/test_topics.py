from urllib.parse import quote

import pytest
from playwright.async_api import expect

from tests.browser.application import Application
from tests.browser.conftest import SignIn
from tests.browser.visiting import check_looks
from tests.browser.xss import CORPUS, check_inert


async def test_the_pages_look_well(signed_in: SignIn, home: str, application: Application) -> None:
    page = await signed_in("editor")
    await page.goto(f"{home}/topics")
    await expect(page.get_by_role("heading", name="No topic yet")).to_be_visible()
    await check_looks(page, "topics-empty")
    await application.call("POST", "/v2/topics", {"key": "empty", "name": "Nobody"})
    await application.subscriber()
    await application.call("POST", "/v2/topics/news/subscriptions", {"subscriberIds": ["ada"]})
    for path, name in (("", "topics"), ("/news", "topic"), ("/empty", "topic-empty")):
        await page.goto(f"{home}/topics{path}")
        await check_looks(page, name)


@pytest.mark.parametrize("javascript", [True, False])
async def test_a_topic_is_made_filled_renamed_and_deleted(
    signed_in: SignIn, home: str, application: Application, javascript: bool
) -> None:
    await application.subscriber()
    await application.subscriber("bob", firstName="Bob")
    page = await signed_in("editor", javascript=javascript)
    await page.goto(f"{home}/topics")
    await page.get_by_label("Key").fill("two words")
    await page.get_by_role("button", name="Make the topic").click()
    await expect(page.get_by_text("Must consist of letters")).to_be_visible()
    await page.get_by_label("Key").fill("news")
    await page.get_by_role("button", name="Make the topic").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("news")
    await page.get_by_label("Subscriber ids").fill("ada\nbob\neve")
    await page.get_by_role("button", name="Add them").click()
    await expect(page.get_by_role("status")).to_contain_text("2 subscribers belong to it now.")
    await expect(page.get_by_role("status")).to_contain_text("There is no subscriber 'eve'")
    await page.get_by_role("row", name="Bob").get_by_role("button", name="Remove").click()
    await expect(page.get_by_role("row", name="Bob")).to_have_count(0)
    await page.get_by_role("textbox", name="Name").fill("Product news")
    await page.get_by_role("button", name="Save the name").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Product news")
    await page.get_by_role("link", name="Ada Lovelace").click()
    await expect(page.get_by_role("link", name="Product news")).to_be_visible()
    await page.get_by_role("link", name="Product news").click()
    await page.get_by_role("button", name="Delete the topic").click()
    dialog = page.get_by_role("dialog", name="Delete Product news?")
    await expect(dialog).to_contain_text("1 subscription goes")
    await dialog.get_by_role("button", name="Delete it").click()
    await expect(page.get_by_role("status")).to_contain_text("The topic Product news is deleted.")
    assert (await application.call("GET", "/v2/topics"))["data"] == []


async def test_a_key_is_taken_once(signed_in: SignIn, home: str, application: Application) -> None:
    await application.call("POST", "/v2/topics", {"key": "news", "name": "News"})
    page = await signed_in("editor")
    await page.goto(f"{home}/topics")
    await page.get_by_label("Key").fill("news")
    await page.get_by_role("button", name="Make the topic").click()
    await expect(page.get_by_role("alert")).to_contain_text("There is a topic 'news' already.")
    await page.goto(f"{home}/topics?search=News")
    await expect(page.get_by_role("link", name="News", exact=True)).to_be_visible()


async def test_viewers_look_and_do_not_touch(
    signed_in: SignIn, home: str, application: Application
) -> None:
    await application.call("POST", "/v2/topics", {"key": "news", "name": "News"})
    page = await signed_in("viewer")
    await page.goto(f"{home}/topics/news")
    await expect(page.get_by_role("button", name="Delete the topic")).to_have_count(0)
    token = await page.locator("meta[name=csrf]").get_attribute("content")
    for path, form in (
        ("", {"key": "mine"}),
        ("/news/rename", {"name": "Mine"}),
        ("/news/subscribers", {"subscribers": "ada"}),
        ("/news/delete", {}),
    ):
        answer = await page.request.post(f"{home}/topics{path}", form={"csrf": token or "", **form})
        assert answer.status == 403
    assert [each["name"] for each in (await application.call("GET", "/v2/topics"))["data"]] == [
        "News"
    ]


async def test_hostile_texts_are_inert(
    signed_in: SignIn, home: str, application: Application
) -> None:
    await application.subscriber(CORPUS[3], firstName=CORPUS[0], lastName=CORPUS[4])
    for number, text in enumerate(CORPUS):
        body = {"subscriberIds": [CORPUS[3]]}
        await application.call("POST", "/v2/topics", {"key": f"t{number}", "name": text})
        await application.call("POST", f"/v2/topics/t{number}/subscriptions", body)
    page = await signed_in("editor")
    for path in (
        "",
        f"?search={quote(CORPUS[1])}",
        "/t0",
        "/t5",
        f"/t6?subscriber={quote(CORPUS[6])}",
    ):
        await page.goto(f"{home}/topics{path}")
        await check_inert(page)

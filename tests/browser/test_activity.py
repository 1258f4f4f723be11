from typing import Any
from urllib.parse import quote

from playwright.async_api import expect

from tests.browser.application import WELCOME, Application
from tests.browser.conftest import SignIn
from tests.browser.visiting import check_looks, check_page
from tests.browser.xss import CORPUS, check_inert
from tests.conftest import make_world
from tests.flows.sink import sinking
from tests.records import Records
from tests.waiting import until_async
from tidings.domain.scope import Scope
from tidings.storage.database import Database

DELAYED: list[dict[str, Any]] = [
    {
        "name": "A day",
        "stepId": "day",
        "type": "delay",
        "controlValues": {"amount": 1, "unit": "days"},
    },
    *WELCOME,
]
ORDER = {"body": "{{ payload.order }}"}
TEXT = [{"name": "Text", "stepId": "text", "type": "sms", "controlValues": ORDER}]
CHAT = [{"name": "Room", "stepId": "room", "type": "chat", "controlValues": {"body": "Hi"}}]
ALL = ("email", "in_app", "sms", "push", "chat", "delay")


async def test_a_run_is_found_with_its_caught_mail_and_its_timeline(
    signed_in: SignIn, home: str, application: Application
) -> None:
    await application.workflow()
    await application.subscriber()
    transaction = await application.trigger("welcome", "ada", payload={"order": "A-17"})
    await application.finished(transaction)
    page = await signed_in("viewer")
    await page.goto(f"{home}/home")
    await page.get_by_role("link", name="Activity").click()
    row = page.get_by_role("row", name="Ada Lovelace")
    await expect(row).to_contain_text("E-mail sent")
    await expect(row).to_contain_text("In-app sent")
    await row.get_by_role("link", name="Welcome").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Welcome")
    mail = page.get_by_role("article", name="E-mail of Welcome mail")
    await expect(mail).to_contain_text("Hello Ada")
    await expect(mail).to_contain_text("ada@example.com")
    frame = page.frame_locator("iframe")
    await expect(frame.get_by_role("heading", name="Welcome aboard")).to_be_visible()
    await expect(frame.get_by_text("Your order is A-17.")).to_be_visible()
    await expect(page.get_by_text("Message caught").first).to_be_visible()
    await expect(page.get_by_role("article", name="In-app of Bell")).to_contain_text("A-17")
    await page.get_by_text("Payload", exact=True).click()
    await expect(page.get_by_text('"order": "A-17"').first).to_be_visible()


async def test_the_feed_shows_what_happens_without_being_loaded_again(
    signed_in: SignIn, home: str, application: Application
) -> None:
    await application.workflow()
    await application.workflow("later", DELAYED)
    await application.subscriber()
    page = await signed_in("viewer")
    await page.goto(f"{home}/activity")
    await expect(page.get_by_role("heading", name="Nothing was triggered yet")).to_be_visible()
    assert f"{page.url.split('/dashboard')[0]}/v1/events/trigger" in await page.inner_text(
        "#sample"
    )
    await application.trigger("later", "ada", transactionId="first")
    await expect(page.get_by_role("row", name="Later")).to_contain_text("Delay waits")
    await page.evaluate("window.mark = 1")
    await application.trigger("welcome", "ada", payload={"order": 1})
    await expect(page.get_by_role("row", name="Welcome")).to_contain_text("E-mail sent")
    await expect(page.get_by_role("status")).to_contain_text("1 new")
    await application.call("DELETE", "/v1/events/trigger/first")
    await expect(page.get_by_role("row", name="Later")).to_contain_text("Delay canceled")
    await expect(page.locator("#feed tr")).to_have_count(2)
    assert await page.evaluate("window.mark") == 1
    rows = page.locator("#feed tr")
    await expect(rows.first).to_contain_text("Welcome")


async def test_filters_combine(signed_in: SignIn, home: str, application: Application) -> None:
    workflow_id = await application.workflow()
    await application.workflow("text", TEXT, severity="high")
    await application.subscriber()
    await application.subscriber("bob", firstName="Bob", email="bob@example.com", phone="+33123")
    await application.call("POST", "/v2/topics/news/subscriptions", {"subscriberIds": ["bob"]})
    await application.finished(await application.trigger("welcome", "ada", transactionId="t-ada"))
    await application.finished(await application.trigger("text", "bob", transactionId="t-bob"))
    to = {"type": "Topic", "topicKey": "news"}
    await application.finished(await application.trigger("welcome", to, transactionId="t-news"))
    page = await signed_in("viewer")
    rows = page.locator("#feed tr")
    for query, wanted in (
        ("", 3),
        ("channels=sms", 1),
        ("channels=sms&channels=email", 3),
        (f"templates={workflow_id}", 2),
        (f"templates={workflow_id}&subscriberIds=bob", 1),
        ("subscriberIds=ada,bob", 3),
        ("emails=bob@example.com", 2),
        ("emails=bob@example.com&severity=high", 1),
        ("severity=low", 0),
        ("search=Bob+Lovelace", 2),
        ("search=t-ada", 1),
        ("transactionId=t-bob", 1),
        ("topicKey=news", 1),
        ("after=2020-01-01T00:00&before=2021-01-01T00:00", 0),
        ("after=2020-01-01T00:00", 3),
    ):
        await page.goto(f"{home}/activity?live=off&{query}")
        await expect(rows).to_have_count(wanted)
    await page.goto(f"{home}/activity")
    await page.get_by_text("More filters").click()
    await page.get_by_label("SMS").check()
    await page.get_by_label("Subscriber ids").fill("bob")
    await page.get_by_role("button", name="Show").click()
    await expect(rows).to_have_count(1)
    await expect(page.get_by_label("SMS")).to_be_checked()
    await page.goto(f"{home}/activity?after=soon")
    await expect(page.get_by_text("must be an ISO 8601 timestamp").first).to_be_visible()


async def test_a_delayed_run_is_canceled(
    signed_in: SignIn, home: str, application: Application
) -> None:
    await application.workflow("later", DELAYED)
    await application.subscriber()
    run = await application.started(await application.trigger("later", "ada", transactionId="t/1"))
    page = await signed_in("editor")
    await page.goto(f"{home}/activity/{run['_id']}")
    await expect(page.get_by_text("Waiting")).to_be_visible()
    await page.get_by_role("button", name="Cancel").click()
    dialog = page.get_by_role("dialog", name="Cancel this event?")
    await expect(dialog).to_contain_text("t/1")
    await dialog.get_by_role("button", name="Cancel it").click()
    await expect(page.get_by_role("status")).to_contain_text("Canceled")
    await expect(page.get_by_text("Not sent", exact=True)).to_be_visible()
    assert {job["status"] for job in (await application.runs("t/1"))[0]["jobs"]} == {"canceled"}


async def test_what_failed_is_tried_again(
    signed_in: SignIn, home: str, application: Application
) -> None:
    with sinking() as sink:
        sink.behaviour, sink.refusal = "400", b'{"error": "no such room"}'
        await application.room(sink.url)
        await application.workflow("chat", CHAT)
        run = await application.finished(await application.trigger("chat", "ada"))
        page = await signed_in("editor")
        await page.goto(f"{home}/activity/{run['_id']}")
        await expect(page.get_by_text("Failed", exact=True).first).to_be_visible()
        await page.get_by_text("Answer of the provider").first.click()
        await expect(page.get_by_text("no such room").first).to_be_visible()
        assert sink.url not in await page.content()
        sink.behaviour = "ok"
        await page.get_by_role("button", name="Try failed steps again").click()
        await expect(page.get_by_role("status")).to_contain_text("1 failed step will be tried")
        await expect(page.get_by_text("Sent", exact=True)).to_be_visible()
        await expect(page.get_by_text("Replay requested")).to_be_visible()


async def test_a_trigger_that_reached_nobody_says_why(
    signed_in: SignIn, home: str, application: Application
) -> None:
    await application.workflow()
    to = {"type": "Topic", "topicKey": "nobody-here"}
    await application.trigger("welcome", to, transactionId="void", payload={"order": "C"})
    page = await signed_in("viewer")
    await page.goto(f"{home}/activity")
    await page.get_by_role("link", name="Reached nobody").click()
    row = page.get_by_role("row", name="void")
    await expect(row).to_contain_text("There is no topic 'nobody-here'.")
    await check_page(page)
    await row.get_by_role("link", name="Welcome").click()
    await expect(page.get_by_text("It reached nobody.")).to_be_visible()
    await expect(page.get_by_text("nobody-here").first).to_be_visible()
    await check_page(page)


async def test_a_trigger_for_several_is_seen_as_a_whole(
    signed_in: SignIn, home: str, application: Application
) -> None:
    await application.workflow()
    await application.subscriber("bob")
    await application.finished(
        await application.trigger("welcome", ["ada", "bob"], transactionId="both")
    )
    page = await signed_in("editor")
    await page.goto(f"{home}/activity/transaction?id=both")
    await expect(page.locator("#feed tr")).to_have_count(2)
    await check_page(page)
    await page.get_by_role("button", name="Try failed steps again").click()
    await expect(page.get_by_role("status")).to_contain_text("nothing to try again")
    await page.goto(f"{home}/activity/transaction?id=nowhere")
    await expect(page.get_by_text("There is no event of the transaction")).to_be_visible()


async def test_viewers_look_and_do_not_touch(
    signed_in: SignIn, home: str, application: Application
) -> None:
    await application.workflow("later", DELAYED)
    await application.subscriber()
    run = await application.started(await application.trigger("later", "ada", transactionId="x"))
    page = await signed_in("viewer")
    await page.goto(f"{home}/activity/{run['_id']}")
    await expect(page.get_by_role("button", name="Cancel")).to_have_count(0)
    token = await page.locator("meta[name=csrf]").get_attribute("content")
    for path, form in (
        ("transaction/cancel", {"transaction": "x"}),
        ("transaction/replay", {"transaction": "x"}),
        (f"{run['_id']}/replay", {}),
    ):
        answer = await page.request.post(
            f"{home}/activity/{path}", form={"csrf": token or "", **form}
        )
        assert answer.status == 403
    assert (await application.runs("x"))[0]["jobs"][0]["status"] == "delayed"


async def test_the_pages_look_well(signed_in: SignIn, home: str, application: Application) -> None:
    page = await signed_in("editor")
    await page.goto(f"{home}/activity?live=off")
    await check_looks(page, "activity-empty")
    await application.workflow("welcome", [*WELCOME, *TEXT], severity="high")
    await application.workflow("later", DELAYED)
    await application.subscriber()
    payload = {"order": "A-17"}
    later = await application.started(await application.trigger("later", "ada"))
    run = await application.finished(await application.trigger("welcome", "ada", payload=payload))
    for path, name in (
        ("?limit=10", "activity"),
        ("?channels=email&severity=high&subscriberIds=ada", "activity-filtered"),
        ("/unheard", "activity-unheard"),
        (f"/{run['_id']}", "run"),
        (f"/{run['_id']}/raw/payload", "run-raw"),
        (f"/{later['_id']}", "run-waiting"),
    ):
        await page.goto(f"{home}/activity{path}")
        await check_looks(page, name)


async def test_fifty_rows_are_light(
    signed_in: SignIn, database: Database, scope: Scope, home: str
) -> None:
    records = Records(database, scope, make_world())
    steps = [records.step(type, f"step-{number}") for number, type in enumerate(ALL * 2)]
    workflow = await records.workflow("a-workflow-with-quite-a-long-name", steps)
    person = await records.subscriber(
        "u" * 40, first_name="Wilhelmina Alexandra", last_name="Featherstonehaugh-Cholmondeley"
    )
    states = ["completed", "failed", "canceled", "delayed", "skipped", "pending"] * 2
    for number in range(60):
        await records.run(
            workflow, person, states[: len(steps)], transaction_id=f"t{number}", severity="high"
        )
    page = await signed_in("viewer")
    await page.goto(f"{home}/activity?limit=50")
    await expect(page.locator("#feed tr")).to_have_count(50)
    await check_page(page)
    await page.get_by_role("link", name="Older").click()
    await expect(page.locator("#feed tr")).to_have_count(10)
    await page.get_by_role("link", name="Newer").click()
    await expect(page.locator("#feed tr")).to_have_count(50)


async def test_the_longest_run_is_light(
    signed_in: SignIn, database: Database, scope: Scope, home: str
) -> None:
    records = Records(database, scope, make_world())
    steps = [records.step("email", f"step-number-{number}") for number in range(50)]
    workflow = await records.workflow("long", steps)
    person = await records.subscriber("ada", first_name="Ada", last_name="Lovelace")
    run = await records.notification(workflow, person)
    said = "The provider's answer is rather long, as such answers are. " * 40
    for place, step in enumerate(steps):
        details = [
            records.detail("Unexpected provider error", "Warning", raw={"answer": said})
            for _ in range(8)
        ]
        job_id = await records.job(run, place, step, "failed", details=details)
        content = {"html": f"<p>{said}</p>", "text": said}
        await records.message(
            run, job_id, workflow, person, channel="email", content=content, subject="Hello"
        )
    page = await signed_in("viewer")
    await page.goto(f"{home}/activity/{run}")
    await expect(page.locator(".timeline > li")).to_have_count(21)
    await check_page(page)
    await page.get_by_role("link", name="Later").click()
    await page.get_by_role("link", name="Later").click()
    await expect(page.get_by_text("Steps 41 to 50 of 50")).to_be_visible()
    await check_page(page)


async def test_hostile_texts_are_inert(
    signed_in: SignIn, database: Database, scope: Scope, home: str, application: Application
) -> None:
    texts = list(CORPUS)
    body = "\n".join(texts)
    hostile = [
        {
            "name": text,
            "stepId": f"s{number}",
            "type": type,
            "controlValues": {"subject": "{{ payload.text }}", "body": "{{ payload.text }}"},
        }
        for number, (text, type) in enumerate(
            zip(texts[:4], ("in_app", "push", "email", "sms"), strict=True)
        )
    ]
    with sinking() as sink:
        sink.behaviour, sink.refusal = "400", texts[2].encode()
        await application.room(sink.url, firstName=texts[0], lastName=texts[1], phone=texts[2])
        chat = {"name": texts[5], "stepId": "chat", "type": "chat"}
        chat["controlValues"] = {"body": "{{ payload.text }}"}  # type: ignore[assignment]
        await application.workflow(
            "hostile", [*hostile, chat], name=texts[0][:64], tags=[texts[4][:32]]
        )
        transaction = await application.trigger(
            "hostile",
            "ada",
            payload={"text": body, texts[0]: texts[1]},
            transactionId=texts[5],
            overrides={"email": {"senderName": texts[3]}},
        )
        assert transaction == texts[5]

        async def there() -> bool:
            found = await application.call("GET", "/v1/notifications")
            return bool(found["data"]) and all(
                job["status"] not in ("pending", "queued", "running")
                for job in found["data"][0]["jobs"]
            )

        await until_async(there)
        run = (await application.call("GET", "/v1/notifications"))["data"][0]
    await application.trigger(
        "hostile", {"type": "Topic", "topicKey": texts[2]}, transactionId=texts[2]
    )
    page = await signed_in("editor")
    for path in (
        "",
        f"/{run['_id']}",
        f"/{run['_id']}/raw/payload",
        "/unheard",
        f"?search={quote(texts[6])}&topicKey={quote(texts[7])}",
        f"/transaction?id={quote(texts[2])}",
    ):
        await page.goto(f"{home}/activity{path}")
        await expect(page.get_by_role("heading", level=1)).to_be_visible()
        await check_inert(page)
    for message in (await application.call("GET", "/v1/messages?limit=100"))["data"]:
        await page.goto(f"{home}/activity/{run['_id']}/messages/{message['_id']}")
        assert await page.evaluate("window.__ran") is None

"""A program that uses the service over HTTP, beside the browser that looks at it."""

from typing import Any

import httpx

from tests.conftest import API_KEY
from tests.waiting import until_async

FINAL = ("completed", "failed", "canceled", "merged", "skipped")

WELCOME: list[dict[str, Any]] = [
    {
        "name": "Welcome mail",
        "stepId": "mail",
        "type": "email",
        "controlValues": {
            "subject": "Hello {{ subscriber.firstName }}",
            "body": "<h1>Welcome aboard</h1><p>Your order is {{ payload.order }}.</p>",
            "editorType": "html",
        },
    },
    {
        "name": "Bell",
        "stepId": "bell",
        "type": "in_app",
        "controlValues": {"subject": "Hello", "body": "Nice to have you, {{ payload.order }}"},
    },
]


class Application:
    def __init__(self, base: str) -> None:
        self._client = httpx.AsyncClient(
            base_url=base, headers={"Authorization": f"ApiKey {API_KEY}"}, timeout=30
        )

    async def close(self) -> None:
        await self._client.aclose()

    async def call(self, method: str, path: str, body: Any = None) -> Any:
        answer = await self._client.request(method, path, json=body)
        assert answer.status_code < 300, answer.text
        return answer.json() if answer.content else None

    async def subscriber(self, key: str = "ada", **fields: Any) -> str:
        """Its id."""
        said = {"firstName": "Ada", "lastName": "Lovelace", "email": "ada@example.com", **fields}
        made = await self.call("POST", "/v2/subscribers", {"subscriberId": key, **said})
        return str(made["_id"])

    async def workflow(
        self, key: str = "welcome", steps: list[dict[str, Any]] | None = None, **fields: Any
    ) -> str:
        """Its id."""
        body = {"workflowId": key, "name": key.title(), "active": True, **fields}
        made = await self.call("POST", "/v2/workflows", {**body, "steps": steps or WELCOME})
        return str(made["_id"])

    async def room(self, url: str, **fields: Any) -> str:
        """A chat room behind that address for ada; the id of ada."""
        integration = {
            "providerId": "chat-webhook",
            "channel": "chat",
            "active": True,
            "identifier": "rooms",
            "credentials": {"webhookUrl": url},
        }
        await self.call("POST", "/v1/integrations", integration)
        id = await self.subscriber(**fields)
        said = {
            "providerId": "chat-webhook",
            "integrationIdentifier": "rooms",
            "credentials": {"webhookUrl": url},
        }
        await self.call("PATCH", "/v1/subscribers/ada/credentials", said)
        return id

    async def trigger(self, workflow: str, to: Any, **fields: Any) -> str:
        """The transaction."""
        body = {"name": workflow, "to": to, **fields}
        answer = await self.call("POST", "/v1/events/trigger", body)
        return str(answer["transactionId"])

    async def runs(self, transaction: str) -> list[dict[str, Any]]:
        path = f"/v1/notifications?limit=50&transactionId={transaction}"
        found: list[dict[str, Any]] = (await self.call("GET", path))["data"]
        return found

    async def finished(self, transaction: str) -> dict[str, Any]:
        """Its only run, when nothing of it is left to be done."""

        async def done() -> bool:
            runs = await self.runs(transaction)
            jobs = [job for run in runs for job in run["jobs"]]
            return bool(jobs) and all(job["status"] in FINAL for job in jobs)

        await until_async(done)
        return (await self.runs(transaction))[0]

    async def started(self, transaction: str) -> dict[str, Any]:
        """Its only run, when there is one."""

        async def there() -> bool:
            return bool(await self.runs(transaction))

        await until_async(there)
        return (await self.runs(transaction))[0]

"""Commands for visitors to copy, with the address at which they see this service."""

import shlex

import msgspec

from tidings.web.visit import Visit


def trigger(visit: Visit, workflow: str | None, to: object) -> str:
    """Triggers the workflow for somebody."""
    return _post(visit, "/v1/events/trigger", {"name": workflow or "welcome", "to": to})


def create_subscriber(visit: Visit) -> str:
    body = {"subscriberId": "ada", "firstName": "Ada", "email": "ada@example.com"}
    return _post(visit, "/v2/subscribers", body)


def subscribe(visit: Visit, topic: str) -> str:
    return _post(visit, f"/v2/topics/{topic}/subscriptions", {"subscriberIds": ["ada"]})


def _post(visit: Visit, path: str, body: object) -> str:
    address = visit.places.address(visit.places.api(path))
    said = msgspec.json.encode(body).decode()
    return (
        f"curl -X POST {shlex.quote(address)} \\\n"
        '  -H "Authorization: ApiKey $TIDINGS_API_KEY" \\\n'
        '  -H "Content-Type: application/json" \\\n'
        f"  -d {shlex.quote(said)}"
    )

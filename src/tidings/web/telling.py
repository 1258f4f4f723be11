"""What pages say of runs: words and colours of states, what to do about them, texts made short."""

from typing import Any

import msgspec

from tidings.domain.activities import Activity
from tidings.domain.channels import CHANNELS
from tidings.domain.explaining import StepAccount
from tidings.domain.messages import Message
from tidings.domain.notifications import FINAL, Job

SHORT = 1500
"""How much of a stored text a page shows; the whole has a page of its own."""

LONGEST = 1000
"""How much a page shows of the text of a message."""

NAMES = {
    "in_app": "In-app",
    "email": "E-mail",
    "sms": "SMS",
    "chat": "Chat",
    "push": "Push",
    "delay": "Delay",
    "digest": "Digest",
    "throttle": "Throttle",
    "custom": "Custom",
}
ICONS = {
    "in_app": "bell",
    "email": "mail",
    "sms": "phone",
    "chat": "chat",
    "push": "phone",
    "delay": "clock",
    "digest": "inbox",
    "throttle": "switch",
}
TONES = {
    "completed": "good",
    "failed": "bad",
    "canceled": "warn",
    "skipped": "",
    "merged": "",
    "delayed": "info",
    "running": "info",
    "queued": "info",
    "pending": "",
}
LINE_TONES = {
    "Success": "good",
    "ReadConfirmation": "good",
    "Warning": "warn",
    "Failed": "bad",
    "Pending": "info",
    "Queued": "info",
}
SEVERITY_TONES = {"high": "bad", "medium": "warn", "low": "info", "none": ""}
LAYERS = {
    "workflow_default": "workflow",
    "workflow_user": "operator",
    "subscriber_global": "everywhere",
    "subscriber_workflow": "own choice",
}
_SENT = {
    "completed": "sent",
    "failed": "failed",
    "canceled": "not sent",
    "skipped": "passed over",
    "merged": "digested",
    "delayed": "waits",
    "running": "sending",
    "queued": "waits",
    "pending": "to come",
}
_DONE = {**_SENT, "completed": "done", "canceled": "canceled", "running": "runs", "queued": "runs"}
_HIDDEN = frozenset({"deviceTokens", "webhookUrl"})


def word(job: Job) -> str:
    """`sent`, `not sent`, `waits` ..."""
    return (_SENT if job.type in CHANNELS else _DONE)[job.status]


def rest(step: StepAccount) -> str:
    """What the account says of a step, without its type and name: `was sent through ...`"""
    return step.summary.removeprefix(f"{step.type} step {step.step_key!r} ")


def sentence(step: StepAccount) -> str:
    text = rest(step)
    return text[:1].upper() + text[1:]


def is_open(activity: Activity) -> bool:
    return any(job.status not in FINAL for job in activity.jobs)


def can_replay(activity: Activity) -> bool:
    return any(job.status == "failed" and job.type in CHANNELS for job in activity.jobs)


def outcome(activity: Activity) -> tuple[str, str]:
    """What became of the run, in a word, and its tone."""
    states = {job.status for job in activity.jobs}
    sent = {job.status for job in activity.jobs if job.type in CHANNELS}
    if "failed" in states:
        return "Failed", "bad"
    if states - FINAL:
        return ("Waiting" if "delayed" in states else "Under way"), "info"
    if "completed" in sent:
        return ("Partly sent" if "canceled" in sent else "Sent"), "good"
    if "merged" in states:
        return "Digested", ""
    return "Not sent", "warn"


def remedy(reason: str, type: str) -> tuple[str, str] | None:
    """What to do about a step that did not send, and the page for it: `profile`, `preferences`,
    `integrations` or `workflow`."""
    address = {"email": "an e-mail address", "sms": "a phone number"}.get(type, "credentials")
    return {
        "preference": ("Look at who decided this, or change it", "preferences"),
        "schedule": ("Look at the hours in which they want to be reached", "preferences"),
        "address": (f"Give the subscriber {address}", "profile"),
        "suppressed": ("Look at the suppression, and lift it if it was an error", "profile"),
        "integration": ("Connect a provider of this channel, and try again", "integrations"),
        "provider": ("Look at the provider's answer below and at the integration", "integrations"),
        "content": ("Correct the step's template; the run keeps its version", "workflow"),
        "configuration": ("Correct the step; the run keeps its version", "workflow"),
        "condition": ("Look at the step's condition and at the values below", "workflow"),
    }.get(reason)


def name_of(person: Any) -> str:
    """The full name, or else the key; of whatever has both."""
    full = " ".join(each for each in (person.first_name, person.last_name) if each)
    return full or str(person.key)


def address_of(message: Message) -> str:
    """Where it went, as far as it may be shown."""
    said = message.address
    if plain := said.get("email") or said.get("phone"):
        return str(plain)
    hidden = said.get("webhookUrl") or next(iter(said.get("deviceTokens") or ()), None)
    return masked(hidden) if hidden else ""


def text_of(message: Message) -> str:
    """What it says, without its HTML."""
    content = message.content
    text = content.get("text", "") if isinstance(content, dict) else content
    return str(text)[:LONGEST]


def buttons_of(message: Message) -> list[str]:
    action = message.cta.get("action") or {}
    return [str(button.get("content", "")) for button in action.get("buttons", ())]


def pretty(value: Any) -> str:
    """JSON for people, without what must not be shown."""
    encoded = msgspec.json.encode(veiled(value))
    return msgspec.json.format(encoded, indent=2).decode()


def masked(value: Any) -> str:
    """The last characters, which are enough to recognise it."""
    text = value if isinstance(value, str) else str(value)
    return f"…{text[-4:]}" if len(text) > 8 else "…"


def veiled(value: Any, name: str = "") -> Any:
    """The value with device tokens and webhook addresses masked: who holds one can use it."""
    if isinstance(value, dict):
        return {key: veiled(each, key) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [veiled(each, name) for each in value]
    return masked(value) if name in _HIDDEN and value else value

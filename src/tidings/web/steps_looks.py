"""How each control of a step is drawn, in which order, and what its field is called."""

from collections.abc import Mapping
from typing import Literal

Look = Literal[
    "line",
    "area",
    "number",
    "choice",
    "variants",
    "switch",
    "action",
    "redirect",
    "json",
    "window",
    "layout",
    "editor",
    "body",
    "condition",
]

LOOKS: Mapping[str, Look] = {
    "TEXT_FULL_LINE": "line",
    "TEXT_INLINE_LABEL": "line",
    "IN_APP_PRIMARY_SUBJECT": "line",
    "IN_APP_AVATAR": "line",
    "PUSH_SUBJECT": "line",
    "DIGEST_KEY": "line",
    "DIGEST_CRON": "line",
    "DELAY_CRON": "line",
    "DELAY_DYNAMIC_KEY": "line",
    "THROTTLE_DYNAMIC_KEY": "line",
    "THROTTLE_KEY": "line",
    "IN_APP_BODY": "area",
    "SMS_BODY": "area",
    "CHAT_BODY": "area",
    "PUSH_BODY": "area",
    "DIGEST_AMOUNT": "number",
    "DELAY_AMOUNT": "number",
    "THROTTLE_WINDOW": "number",
    "THROTTLE_THRESHOLD": "number",
    "DIGEST_UNIT": "choice",
    "DELAY_UNIT": "choice",
    "THROTTLE_UNIT": "choice",
    "DIGEST_TYPE": "variants",
    "DELAY_TYPE": "variants",
    "THROTTLE_TYPE": "variants",
    "EXTEND_TO_SCHEDULE": "switch",
    "IN_APP_DISABLE_SANITIZATION_SWITCH": "switch",
    "DISABLE_SANITIZATION_SWITCH": "switch",
    "IN_APP_BUTTON_DROPDOWN": "action",
    "URL_TEXT_BOX": "redirect",
    "DATA": "json",
    "LAYOUT_SELECT": "layout",
    "EMAIL_EDITOR_SELECT": "editor",
    "EMAIL_BODY": "body",
    "QUERY_EDITOR": "condition",
}
"""How each component of a uiSchema is drawn."""
PLAIN: Mapping[str, Look] = {"lookBackWindow": "window", "custom": "json"}
"""Controls that have no component."""

WORDS: Mapping[str, tuple[str, str]] = {
    "subject": ("Subject", ""),
    "body": ("Text", ""),
    "preheader": ("Preview text", "Follows the subject in many mailboxes."),
    "avatar": ("Picture", "An address, a path that starts with /, or {{ subscriber.avatar }}."),
    "primaryAction": ("First button", ""),
    "secondaryAction": ("Second button", ""),
    "redirect": ("A click on the message leads to", ""),
    "disableOutputSanitization": (
        "Leave HTML as it is",
        "Normally scripts and other dangerous HTML are taken out.",
    ),
    "data": ("Data for your application", "A JSON object that comes along with the message."),
    "editorType": ("Write with", ""),
    "layoutId": ("Layout", "The frame around the text."),
    "type": ("Kind", ""),
    "amount": ("For how long", ""),
    "unit": ("Unit", ""),
    "cron": ("At the times of", "A cron expression: 0 9 * * 1-5 is 9:00 from Monday to Friday."),
    "dynamicKey": (
        "Until the time in",
        "A path such as payload.remindAt: a moment, or {amount, unit}.",
    ),
    "extendToSchedule": (
        "Wait for the subscriber's hours",
        "When the time is up outside of them, go on at their start.",
    ),
    "digestKey": ("Gather apart by", "Such as payload.orderId. Empty: all events together."),
    "lookBackWindow": (
        "Send the first at once, if there was none for",
        "Only what follows is gathered. Empty: everything is.",
    ),
    "threshold": ("Let through", "So many runs in each window."),
    "throttleKey": ("Count apart by", "Such as payload.orderId. Empty: all runs together."),
    "custom": ("Result", "A JSON object: what later steps see of this one."),
    "skip": ("Condition", ""),
}
VARIANTS = {
    "regular": "For some time",
    "timed": "Until a time of day",
    "dynamic": "Until a time in the payload",
    "fixed": "In a window of fixed length",
}
ORDER = (
    *("editorType", "type", "subject", "preheader", "body", "amount", "unit", "cron", "dynamicKey"),
    *("threshold", "throttleKey", "digestKey", "lookBackWindow", "extendToSchedule"),
    *("primaryAction", "secondaryAction", "redirect", "avatar", "layoutId", "data", "custom"),
    "disableOutputSanitization",
)
"""Of the fields in a form; others come first."""

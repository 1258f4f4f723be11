"""Writes docs/reference from the code: `make docs`."""

import inspect
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import typer
from typer.main import get_command

from tidings.cli.main import build
from tidings.domain.catching import PROVIDERS
from tidings.providers import registry
from tidings.providers.base import AnyProvider, PushProvider, spoken
from tidings.providers.credentials import Field
from tidings.providers.mail import SmtpProvider
from tidings.settings import rows

REFERENCE = Path(__file__).parent / "reference"
_NOTE = "<!-- Written by `make docs`; edit the code instead. -->\n"


def pages() -> dict[str, str]:
    """Every generated page by its file name."""
    return {
        "settings.md": settings(),
        "commands.md": commands(),
        "providers.md": providers(),
        **{f"providers/{each.id}.md": provider_page(each) for each in registry.every().values()},
    }


def settings() -> str:
    lines = [
        "# Settings",
        "",
        "Flags beat environment variables, which beat the file `tidings.toml` in the current",
        "directory (or the file that `TIDINGS_CONFIG` names), which beats the defaults. In the",
        "file a setting has its plain name; lists are TOML lists there, comma-separated elsewhere.",
        "",
        "| setting | variable | type | default | meaning |",
        "|---|---|---|---|---|",
    ]
    for row in rows():
        default = "" if row.default in (None, ()) else f"`{row.default}`"
        secret = " *Secret: never shown or logged.*" if row.secret else ""
        lines.append(
            f"| `{row.name}` | `{row.variable}` | {row.kind} | {default} | {row.help}{secret} |"
        )
    return _NOTE + "\n".join(lines) + "\n"


def commands() -> str:
    root = get_command(build())
    parts = ["# Commands\n", *_describe(root, ["tidings"])]
    return _NOTE + "\n".join(parts)


def _describe(command: Any, path: list[str]) -> Iterator[str]:
    if children := getattr(command, "commands", None):
        for name, child in sorted(children.items()):
            yield from _describe(child, [*path, name])
        return
    context = typer.Context(command, info_name=" ".join(path), terminal_width=80)
    help_text = command.get_help(context).strip()
    yield f"## {' '.join(path)}\n\n```\n{help_text}\n```\n"


def providers() -> str:
    every = registry.every().values()
    parts = [
        "# Providers\n",
        f"There are {len(every)}, each with a page: its credentials and where they are found",
        "(vendors rearrange their dashboards), what it supports, and how it was tested.",
        "[Connect a provider](../how-to/integrations.md) tells how to use one, [delivery",
        "events](../how-to/delivery-events.md) how to hear what became of messages, and [add a",
        "provider](../how-to/add-a-provider.md) how to write another. What differs from vendor to",
        "vendor: [e-mail and push](../how-to/send-email-and-push.md), [SMS and",
        "chat](../how-to/send-sms-and-chat.md).\n",
    ]
    for channel, title in _CHANNELS.items():
        parts += [f"## {title}\n", "| provider | id | reports delivery |", "|---|---|---|"]
        parts += [_row(each) for each in every if each.channel == channel]
        parts.append("")
    return _NOTE + "\n".join(parts)


_CHANNELS = {"in_app": "In-app", "email": "E-mail", "sms": "SMS", "push": "Push", "chat": "Chat"}


def _row(provider: AnyProvider) -> str:
    reports = "yes" if provider.takes_webhooks() else ""
    return f"| [{provider.name}](providers/{provider.id}.md) | `{provider.id}` | {reports} |"


def provider_page(provider: AnyProvider) -> str:
    ours = provider.docs.removeprefix("docs/")
    where = f"<{provider.docs}>" if ours == provider.docs else f"[how to use it](../../{ours})"
    lines = [
        f"# {provider.name}",
        "",
        *_about(provider),
        f"- Id: `{provider.id}`",
        f"- Channel: {_CHANNELS[provider.channel]}",
        f"- Documentation: {where}",
        "",
        "## Credentials",
        "",
        *_credentials(provider.credentials),
        "## What it supports",
        "",
        *_supported(provider),
        "",
        "## How it was tested",
        "",
        *_tested(provider),
        "",
        "[All providers](../providers.md)",
    ]
    return _NOTE + "\n".join(lines) + "\n"


def _about(provider: AnyProvider) -> Iterator[str]:
    """What its file says at the beginning, but for the link, which has a line of its own."""
    text = inspect.getdoc(inspect.getmodule(type(provider))) or ""
    for part in text.split("\n\n"):
        said = _plain(re.sub(r"\s*https://\S+", "", part).strip())
        if said:
            yield said
            yield ""


def _plain(text: str) -> str:
    """Text whose angle brackets are shown."""
    return text.replace("<", "&lt;").replace(">", "&gt;")


def _supported(provider: AnyProvider) -> Iterator[str]:
    carried = [spoken(each) for each in provider.optional if each not in provider.cannot]
    cannot = [spoken(each) for each in provider.optional if each in provider.cannot]
    if carried:
        yield f"- Carries, beside the text itself: {', '.join(carried)}."
    if cannot:
        yield f"- Cannot carry: {', '.join(cannot)}. The job's details say so when it was left out."
    if isinstance(provider, PushProvider) and provider.batch > 1:
        yield f"- Takes up to {provider.batch} devices in one call."
    if provider.receipt_after:
        minutes = int(provider.receipt_after.total_seconds() // 60)
        yield f"- Sends no reports; its receipts are fetched {minutes} minutes after the send."
        return
    if not provider.takes_webhooks():
        yield "- Reports no delivery."
        return
    key = f" Signing key: {_plain(provider.webhook_key)}" if provider.webhook_key else ""
    yield f"- [Reports delivery](../../how-to/delivery-events.md).{key}"


def _tested(provider: AnyProvider) -> Iterator[str]:
    if provider.channel == "in_app" or provider.id in PROVIDERS.values():
        yield "- With the service as a whole, which keeps these messages itself."
        return
    if "://" not in provider.docs:
        yield "- Against fakes that take our own format, and formats that integrations describe."
    elif not isinstance(provider, SmtpProvider):
        yield (
            "- Against a fake written from the vendor's documentation, which refuses what that "
            "does not show: the smallest and the fullest message, a wrong key, an invalid "
            "recipient, too much at once, an outage, silence, and answers that make no sense."
        )
        yield "- Not with an account of the vendor."
    if provider.tested:
        yield f"- {provider.tested}"


def _credentials(fields: Sequence[Field]) -> Iterator[str]:
    if not fields:
        yield "None: nothing has to be known to send through it.\n"
        return
    yield "| credential | label | required | secret | what it is, or where to find it |"
    yield "|---|---|---|---|---|"
    for field in fields:
        required = "yes" if field.required and field.default is None else ""
        others = [f"`{name}`" for name in field.together if name != field.name]
        with_ = f" Together with {', '.join(others)}." if others else ""
        default = "" if field.default is None else f" Default: `{field.default}`."
        text = _plain(field.help + with_ + default).strip().replace("|", "\\|")
        secret = "yes" if field.secret else ""
        yield f"| `{field.name}` | {field.label} | {required} | {secret} | {text} |"
    yield ""


def main() -> None:
    (REFERENCE / "providers").mkdir(parents=True, exist_ok=True)
    for old in REFERENCE.rglob("*.md"):
        old.unlink()
    for name, text in pages().items():
        (REFERENCE / name).write_text(text)


if __name__ == "__main__":
    main()

"""Writes docs/reference from the code: `make docs`."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import typer
from typer.main import get_command

from tidings.cli.main import build
from tidings.providers import registry
from tidings.providers.base import AnyProvider, spoken
from tidings.providers.credentials import Field
from tidings.providers.mail import SmtpProvider
from tidings.settings import rows

REFERENCE = Path(__file__).parent / "reference"
_NOTE = "<!-- Written by `make docs`; edit the code instead. -->\n"


def pages() -> dict[str, str]:
    """Every generated page by its file name."""
    return {"settings.md": settings(), "commands.md": commands(), "providers.md": providers()}


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
        f"There are {len(every)}. [Connect a provider](../how-to/integrations.md) tells how to use",
        "one, [delivery events](../how-to/delivery-events.md) how to hear what became of messages,",
        "and [add a provider](../how-to/add-a-provider.md) how to write another. What differs from",
        "vendor to vendor: [e-mail and push](../how-to/send-email-and-push.md), [SMS and",
        "chat](../how-to/send-sms-and-chat.md). Parts of a message that a provider cannot carry",
        "are left out, and the job says so.\n",
        "| channel | providers |\n|---|---|",
        *(f"| {_CHANNELS[channel]} | {_linked(channel)} |" for channel in _CHANNELS),
        "",
    ]
    for channel, title in _CHANNELS.items():
        parts.append(f"## {title}\n")
        parts += [_provider(each) for each in every if each.channel == channel]
    return _NOTE + "\n".join(parts)


_CHANNELS = {"in_app": "In-app", "email": "E-mail", "sms": "SMS", "push": "Push", "chat": "Chat"}


def _linked(channel: str) -> str:
    found = [each for each in registry.every().values() if each.channel == channel]
    return ", ".join(f"[{each.name}](#{each.id})" for each in found)


def _provider(provider: AnyProvider) -> str:
    ours = provider.docs.removeprefix("docs/")
    link = f"../{ours}" if ours != provider.docs else provider.docs
    cannot = [spoken(each) for each in sorted(provider.cannot)]
    key = f" Signing key: {_plain(provider.webhook_key)}" if provider.webhook_key else ""
    reports = f"Yes.{key}" if provider.takes_webhooks() else "No."
    lines = [
        f'<a id="{provider.id}"></a>',
        "",
        f"### {provider.name}",
        "",
        f"- Id: `{provider.id}`",
        f"- Documentation: <{link}>" if "://" in link else f"- Documentation: [here]({link})",
        f"- Cannot carry: {', '.join(cannot) or 'nothing to mention'}.",
        f"- Reports delivery: {reports}",
        f"- Tested: {_tested(provider)}",
        "",
    ]
    return "\n".join([*lines, *_credentials(provider.credentials)])


def _plain(text: str) -> str:
    """Text whose angle brackets are shown."""
    return text.replace("<", "&lt;").replace(">", "&gt;")


def _tested(provider: AnyProvider) -> str:
    if provider.channel == "in_app":
        return "with the service as a whole, which shows these messages itself."
    if isinstance(provider, SmtpProvider):
        return "against a mail server."
    if "://" in provider.docs:
        return "against a fake written from the vendor's documentation."
    return "against a server that takes our own format."


def _credentials(fields: Sequence[Field]) -> Iterator[str]:
    if not fields:
        yield "No credentials: the subscriber's channel holds the address.\n"
        return
    yield "| credential | label | required | secret | help |"
    yield "|---|---|---|---|---|"
    for field in fields:
        required = "yes" if field.required and field.default is None else ""
        default = "" if field.default is None else f" Default: `{field.default}`."
        text = _plain(field.help + default).strip().replace("|", "\\|")
        secret = "yes" if field.secret else ""
        yield f"| `{field.name}` | {field.label} | {required} | {secret} | {text} |"
    yield ""


def main() -> None:
    REFERENCE.mkdir(exist_ok=True)
    for name, text in pages().items():
        (REFERENCE / name).write_text(text)


if __name__ == "__main__":
    main()

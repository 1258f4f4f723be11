"""Writes docs/reference from the code: `make docs`."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from typer.main import get_command

from tidings.cli.main import build
from tidings.settings import rows

REFERENCE = Path(__file__).parent / "reference"
_NOTE = "<!-- Written by `make docs`; edit the code instead. -->\n"


def pages() -> dict[str, str]:
    """Every generated page by its file name."""
    return {"settings.md": settings(), "commands.md": commands()}


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


def main() -> None:
    REFERENCE.mkdir(exist_ok=True)
    for name, text in pages().items():
        (REFERENCE / name).write_text(text)


if __name__ == "__main__":
    main()

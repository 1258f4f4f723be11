"""The `tidings` command."""

import importlib
import pkgutil
from typing import Annotated

import typer

from tidings import __version__, cli


def build() -> typer.Typer:
    """The command with every subcommand that the files of this room register."""
    app = typer.Typer(
        name="tidings",
        help="Self-hosted notification management: start it with `tidings serve`.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    for each in pkgutil.iter_modules(cli.__path__):
        module = importlib.import_module(f"{cli.__name__}.{each.name}")
        if hasattr(module, "register"):
            module.register(app)
    return app


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tidings {__version__}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Show the version and exit.", callback=_show_version, is_eager=True
        ),
    ] = False,
) -> None:
    pass


def main() -> None:
    build()()

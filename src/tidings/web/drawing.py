"""Draws templates. Everything is escaped unless it was made by a template or a chart of ours."""

from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from tidings import __version__
from tidings.domain.environments import Environment as TidingsEnvironment
from tidings.web.icons import ICONS

_HERE = Path(__file__).parent
STATIC = _HERE / "static"


def render(template: str, **context: Any) -> str:
    return _jinja().get_template(template).render(**context)


@cache
def static_version(name: str) -> str:
    """Changes with the file, so that browsers may keep it for ever."""
    return sha256((STATIC / name).read_bytes()).hexdigest()[:12]


@cache
def _jinja() -> Environment:
    jinja = Environment(
        loader=FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    jinja.globals |= {
        "icon": icon,
        "swatch": swatch,
        "static_version": static_version,
        "version": __version__,
    }
    jinja.filters |= {"moment": moment, "number": number, "ago": ago, "capitalize_first": _capital}
    jinja.filters["action"] = action_words
    return jinja


def icon(name: str) -> Markup:
    """A line drawing; decorative, so screen readers pass over it."""
    return Markup(
        '<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">{}</svg>'
    ).format(Markup(ICONS[name]))  # noqa: S704


_KIND_COLORS = {"dev": "#0b8a7e", "prod": "#d01648"}


def swatch(environment: TidingsEnvironment) -> Markup:
    """The environment's colour."""
    color = _KIND_COLORS.get(environment.kind or "") or environment.color or "#7a8499"
    return Markup(
        '<svg class="dot" viewBox="0 0 12 12" aria-hidden="true"><circle cx="6" cy="6" r="6" '
        'fill="{}"/></svg>'
    ).format(color)


def moment(value: datetime | None, empty: str = "never") -> Markup:
    """A time in UTC, readable by people and programs."""
    if value is None:
        return escape(empty)
    value = value.astimezone(UTC)
    text = f"{value:%Y-%m-%d %H:%M}"
    return Markup('<time datetime="{}" title="{}">{}</time>').format(
        f"{value:%Y-%m-%dT%H:%M:%SZ}", f"{value:%Y-%m-%d %H:%M:%S} UTC", text
    )


def ago(value: datetime | None, now: datetime, empty: str = "never") -> Markup:
    """How long ago, with the time itself at hand."""
    if value is None:
        return escape(empty)
    seconds = max(0, int((now - value).total_seconds()))
    for size, unit in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            count = seconds // size
            text = f"{count} {unit}{'' if count == 1 else 's'} ago"
            break
    else:
        text = "just now"
    value = value.astimezone(UTC)
    return Markup('<time datetime="{}" title="{}">{}</time>').format(
        f"{value:%Y-%m-%dT%H:%M:%SZ}", f"{value:%Y-%m-%d %H:%M:%S} UTC", text
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def action_words(action: str) -> str:
    """`user.set_role` as "User: set role"."""
    kind, _, verb = action.partition(".")
    return f"{_capital(kind.replace('_', ' '))}: {verb.replace('_', ' ')}"


def number(value: float) -> str:
    """1234567 as 1,234,567."""
    return f"{value:,.0f}"

"""Structured logs: pretty on a terminal, JSON otherwise, and never a secret."""

import logging
import re
import sys
from collections.abc import Iterable, Mapping, MutableMapping
from contextvars import ContextVar, Token
from typing import Any, Literal, TextIO

import structlog

from tidings.ids import KEY_PREFIX

HIDDEN = "[hidden]"

_SECRET_NAMES = re.compile(
    r"authorization|api_?key|secret|password|passwd|token|credential|encryption_?key|cookie"
    r"|signing_?key|subscriber_?hash|private_?key|database_?url|dsn",
    re.IGNORECASE,
)
_SECRET_SHAPES = re.compile(
    rf"\b{KEY_PREFIX}\w+|(?<=ApiKey )\S+|(?<=Bearer )\S+|(?<=://)[^/@\s]*:[^/@\s]*(?=@)"
    r"|\beyJ[\w-]+\.[\w-]+\.[\w-]+|(?<=[?&]token=)[^&\s]+"
)

_known_secrets: set[str] = set()
_request_id: ContextVar[str | None] = ContextVar("request_id", default=None)


def never_show(secrets: Iterable[str | None]) -> None:
    """Hide these values wherever they appear in a log line."""
    _known_secrets.update(secret for secret in secrets if secret and len(secret) >= 8)


def begin_request(id: str) -> Token[str | None]:
    """Adds the id to every line until `end_request`."""
    return _request_id.set(id)


def end_request(token: Token[str | None]) -> None:
    _request_id.reset(token)


def _add_request_id(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    if (id := _request_id.get()) is not None:
        event["request_id"] = id
    return event


def hide_secrets(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """The last processor before rendering: nothing gets past it."""
    for name, value in event.items():
        event[name] = _hide(name, value)
    return event


def _hide(name: str, value: Any) -> Any:
    if _SECRET_NAMES.search(name) and value is not None and not isinstance(value, bool):
        return HIDDEN
    if isinstance(value, str):
        return _hide_text(value)
    if isinstance(value, Mapping):
        return {key: _hide(str(key), inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | set):
        return [_hide("", inner) for inner in value]
    if isinstance(value, int | float | None):
        return value
    return _hide_text(str(value))


def _hide_text(text: str) -> str:
    text = _SECRET_SHAPES.sub(HIDDEN, text)
    for secret in _known_secrets:
        if secret in text:
            text = text.replace(secret, HIDDEN)
    return text


def configure(
    style: Literal["auto", "pretty", "json"] = "auto",
    level: str = "info",
    stream: TextIO | None = None,
) -> None:
    """Send our log lines and those of every library through one pipe."""
    stream = stream or sys.stderr
    pretty = style == "pretty" or (style == "auto" and stream.isatty())
    shared: list[Any] = [
        _add_request_id,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    rendering: list[Any] = [
        structlog.processors.format_exc_info,
        hide_secrets,
        structlog.dev.ConsoleRenderer(colors=stream.isatty())
        if pretty
        else structlog.processors.JSONRenderer(),
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *rendering],
        )
    )
    logging.basicConfig(handlers=[handler], level=level.upper(), force=True)
    for noisy in ("uvicorn.access", "uvicorn.error", "pgqueuer", "alembic"):
        logging.getLogger(noisy).setLevel(logging.WARNING)


def tells_all() -> bool:
    """Whether lines for debugging are shown; asked where even a line that is not would cost."""
    return logging.getLogger().isEnabledFor(logging.DEBUG)


def get(room: str) -> structlog.typing.FilteringBoundLogger:
    logger: structlog.typing.FilteringBoundLogger = structlog.get_logger(room)
    return logger

"""One row per setting: its name, type, default and help. The environment, the configuration file,
the command line and the reference page all read these rows."""

import base64
import binascii
import difflib
import ipaddress
import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import msgspec
from msgspec import Meta

PREFIX = "TIDINGS_"
CONFIG_FILE = "tidings.toml"
_TYPO = 0.85
_PUBLIC_URL = re.compile(r"https?://[\w.:\[\]-]+(/[\w.~/-]*)?")

_SEND_LIMIT = re.compile(
    r"(?P<name>[A-Za-z0-9][A-Za-z0-9._:-]*)\s*=\s*(?P<rate>\d+(\.\d+)?)?(/(?P<concurrency>\d+))?"
)

Mode = Literal["development", "production"]
Dialect = Literal["svc", "novu"]
Port = Annotated[int, Meta(ge=0, le=65535)]
Count = Annotated[int, Meta(ge=1, le=256)]


class WrongSettingError(Exception):
    """A setting that stops the start; the message is one sentence that says what to change."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that can be set. Secrets are marked, so that no page or log shows them."""

    mode: Annotated[
        Mode | None,
        Meta(
            description="`development` or `production`. Production requires an encryption key and "
            "closes the conveniences of development. Unset: development with the embedded "
            "database, production with a database server."
        ),
    ] = None
    data_dir: Annotated[
        str,
        Meta(
            description="Directory of everything Tidings keeps on this machine: the embedded "
            "database and, in development, the encryption key."
        ),
    ] = "tidings-data"
    database_url: Annotated[
        str | None,
        Meta(
            description="`postgresql://user:password@host:port/name` of a PostgreSQL server "
            "(15 or newer). Unset: an embedded PostgreSQL 18 in the data directory.",
            extra={"secret": True},
        ),
    ] = None
    host: Annotated[str, Meta(description="Address to listen on.")] = "127.0.0.1"
    port: Annotated[Port, Meta(description="Port to listen on; 0 takes any free one.")] = 8080
    public_url: Annotated[
        str | None,
        Meta(
            description="The address under which people reach this server, such as "
            "`https://tidings.example.com` or, behind a proxy, `https://example.com/tidings`. "
            "Unset: the address of each request."
        ),
    ] = None
    api_processes: Annotated[Count, Meta(description="How many processes answer requests.")] = 1
    engine_processes: Annotated[
        Annotated[int, Meta(ge=0, le=256)],
        Meta(
            description="How many processes run the engine. 0: it runs inside the process that "
            "answers requests."
        ),
    ] = 0
    dialect: Annotated[
        Dialect,
        Meta(
            description="`svc` answers as the interface specification shows; `novu` answers "
            "in the shapes that published Novu clients read."
        ),
    ] = "svc"
    encryption_key: Annotated[
        str | None,
        Meta(
            description="Base64 of 32 bytes that encrypts provider credentials and signing keys. "
            "Several, separated by commas, while rotating: the first encrypts, all decrypt. "
            "Unset in development: made in the data directory.",
            extra={"secret": True},
        ),
    ] = None
    bootstrap_api_key: Annotated[
        str | None,
        Meta(
            description="The first API key of the Development environment, for containers and "
            "tests; unset: a random one is made and shown at the first start.",
            extra={"secret": True},
        ),
    ] = None
    outbound_allow: Annotated[
        tuple[str, ...],
        Meta(
            description="Networks (CIDR, comma-separated) that outgoing calls may reach although "
            "they are private, loopback or link-local, for example `10.1.0.0/16`."
        ),
    ] = ()
    credential_references: Annotated[
        tuple[str, ...],
        Meta(
            description="Patterns (comma-separated) of what provider credentials may refer to "
            "instead of holding it: `env:NAME` for variables of the server, `file:PATH` for files "
            "on it. Whoever has an API key can make the server read what these match."
        ),
    ] = ("env:PROVIDER_*", "file:/run/secrets/*")
    cors_origins: Annotated[
        tuple[str, ...],
        Meta(
            description="Browser origins (comma-separated) that may call the API; `*` for all. "
            "Unset: none."
        ),
    ] = ()
    inbox_origins: Annotated[
        tuple[str, ...],
        Meta(
            description="Browser origins (comma-separated) that may call the subscriber's inbox; "
            "`*` for all. The inbox takes tokens in a header and no cookies."
        ),
    ] = ("*",)
    inbox_hash: Annotated[
        Literal["auto", "always", "never"],
        Meta(
            description="Whether opening an inbox session needs `subscriberHash`, by which your "
            "server vouches for the subscriber. `auto`: outside development."
        ),
    ] = "auto"
    inbox_topics: Annotated[
        tuple[str, ...] | None,
        Meta(
            description="Patterns (comma-separated) of the topics that subscribers may join by "
            "themselves from their inbox, such as `project-*`. Unset: all in development, none in "
            "production."
        ),
    ] = None
    inbox_token_hours: Annotated[
        Annotated[int, Meta(ge=1, le=8760)],
        Meta(description="How many hours the token of an inbox session is good for."),
    ] = 24
    body_limit: Annotated[
        Annotated[int, Meta(ge=1024)],
        Meta(description="Largest request body in bytes; a larger one is answered 413."),
    ] = 512 * 1024
    pool_size: Annotated[
        Annotated[int, Meta(ge=2, le=1000)],
        Meta(
            description="Most database connections that one process opens for requests and the "
            "engine; up to four more listen for changes and carry the queue."
        ),
    ] = 10
    oidc_issuer: Annotated[
        str | None,
        Meta(
            description="Address of an OpenID Connect issuer at which people may sign in to the "
            "dashboard, such as `https://login.example.com/realms/main`. Unset: passwords only."
        ),
    ] = None
    oidc_client_id: Annotated[
        str | None, Meta(description="The client that the issuer knows this server as.")
    ] = None
    oidc_client_secret: Annotated[
        str | None,
        Meta(description="The secret of that client.", extra={"secret": True}),
    ] = None
    oidc_name: Annotated[
        str, Meta(description="What the button on the sign-in page calls the issuer.")
    ] = "single sign-on"
    oidc_domains: Annotated[
        tuple[str, ...],
        Meta(
            description="E-mail domains (comma-separated) whose people get an account when they "
            "first sign in at the issuer. Unset: only people who have an account already."
        ),
    ] = ()
    oidc_role: Annotated[
        Literal["viewer", "editor", "owner"],
        Meta(description="The role of accounts that are made so."),
    ] = "viewer"
    retention_days: Annotated[
        Annotated[int, Meta(ge=1, le=36500)],
        Meta(
            description="How many days finished events, notifications and messages are kept. What "
            "is unfinished is never removed."
        ),
    ] = 90
    retention_in_app_days: Annotated[
        Annotated[int, Meta(ge=1, le=36500)],
        Meta(description="How many days in-app messages are kept."),
    ] = 365
    longest_wait_hours: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Meta(
            description="How many hours a delay or digest step may take; a longer one is reported "
            "as an issue of the workflow. Unset: no limit."
        ),
    ] = None
    longest_throttle_hours: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Meta(
            description="How many hours the window of a throttle step may be; a longer one is "
            "reported as an issue of the workflow. Unset: no limit."
        ),
    ] = None
    send_concurrency: Annotated[
        Annotated[int, Meta(ge=1, le=10000)],
        Meta(
            description="How many messages all engine processes together send through one "
            "integration at the same time; each takes an equal share, one at least."
        ),
    ] = 50
    send_rate: Annotated[
        Annotated[float, Meta(gt=0)] | None,
        Meta(
            description="How many messages per second all engine processes together send through "
            "one integration; what comes faster waits. Unset: no limit."
        ),
    ] = None
    request_rate: Annotated[
        Annotated[float, Meta(gt=0)] | None,
        Meta(
            description="How many requests per second each answering process takes from one API "
            "key; what comes faster is answered 429 with `Retry-After`. Unset: no limit."
        ),
    ] = None
    send_limits: Annotated[
        tuple[str, ...],
        Meta(
            description="Limits of single integrations (comma-separated), by identifier or "
            "provider id: `twilio=10/5` sends at most 10 messages per second and 5 at the same "
            "time, `slack=1` at most one per second, `smtp=/3` three at the same time. What an "
            "entry leaves out is as `send_rate` and `send_concurrency` say."
        ),
    ] = ()
    stop_seconds: Annotated[
        Annotated[float, Meta(gt=0, le=3600)],
        Meta(
            description="How long a stopping process may take to finish requests in flight and "
            "return its leases."
        ),
    ] = 10.0
    log_format: Annotated[
        Literal["auto", "pretty", "json"],
        Meta(description="`auto` is pretty on a terminal and JSON otherwise."),
    ] = "auto"
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"],
        Meta(description="The least serious level that is logged."),
    ] = "info"

    @property
    def embedded(self) -> bool:
        return self.database_url is None

    @property
    def development(self) -> bool:
        return (self.mode or ("development" if self.embedded else "production")) == "development"

    @property
    def needs_inbox_hash(self) -> bool:
        return self.inbox_hash == "always" or (self.inbox_hash == "auto" and not self.development)

    @property
    def open_inbox_topics(self) -> tuple[str, ...]:
        unset = ("*",) if self.development else ()
        return unset if self.inbox_topics is None else self.inbox_topics

    @property
    def data_path(self) -> Path:
        return Path(self.data_dir).expanduser().resolve()


class Row(msgspec.Struct, frozen=True):
    """One setting as the reference page and the command line show it."""

    name: str
    variable: str
    kind: str
    default: Any
    help: str
    secret: bool


def rows() -> list[Row]:
    """All settings, in the order in which they are declared."""
    return [
        Row(
            name=field.name,
            variable=PREFIX + field.name.upper(),
            kind=_kind(field.type),
            default=field.default,
            help=_meta(field.type).description or "",
            secret=bool((_meta(field.type).extra or {}).get("secret")),
        )
        for field in msgspec.structs.fields(Settings)
    ]


def load(
    flags: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] = os.environ,
    directory: Path | None = None,
) -> Settings:
    """Settings from flags, then the environment, then the configuration file, then defaults."""
    names = [field.name for field in msgspec.structs.fields(Settings)]
    values: dict[str, Any] = {}
    values.update(_from_file(environ, directory or Path.cwd(), names))
    values.update(_from_environment(environ, names))
    values.update(
        {
            name: (value, f"--{name.replace('_', '-')}")
            for name, value in (flags or {}).items()
            if value is not None
        }
    )
    settings = Settings(**{name: _convert(name, *pair) for name, pair in values.items()})
    _check(settings)
    return settings


def origins(
    settings: Settings, environ: Mapping[str, str] = os.environ, directory: Path | None = None
) -> dict[str, str]:
    """Where the value of each setting comes from, in words."""
    names = [field.name for field in msgspec.structs.fields(Settings)]
    in_file = _from_file(environ, directory or Path.cwd(), names)
    found = {}
    for row in rows():
        value = getattr(settings, row.name)
        if _is(value, row.name, environ.get(row.variable) or None):
            found[row.name] = row.variable
        elif row.name in in_file and _is(value, row.name, in_file[row.name][0]):
            found[row.name] = environ.get(PREFIX + "CONFIG") or CONFIG_FILE
        else:
            found[row.name] = "default" if value == row.default else "command line"
    return found


def _is(value: Any, name: str, given: Any) -> bool:
    return given is not None and bool(_convert(name, given, name) == value)


def to_environment(settings: Settings) -> dict[str, str]:
    """The settings as variables, for a process that shall have the same."""
    return {
        row.variable: ",".join(value) if isinstance(value, tuple) else str(value)
        for row in rows()
        if (value := getattr(settings, row.name)) != row.default
    }


def unknown_variables(environ: Mapping[str, str] = os.environ) -> list[str]:
    """Variables that start like ours and are none of ours; TIDINGS_API_KEY is a client's."""
    known = {row.variable for row in rows()} | {PREFIX + "CONFIG", PREFIX + "API_KEY"}
    return sorted(name for name in environ if name.startswith(PREFIX) and name not in known)


def _from_file(
    environ: Mapping[str, str], directory: Path, names: list[str]
) -> dict[str, tuple[Any, str]]:
    chosen = environ.get(PREFIX + "CONFIG")
    path = directory / (chosen or CONFIG_FILE)
    if not path.is_file():
        if chosen:
            raise WrongSettingError(f"{PREFIX}CONFIG names {chosen}, which is not a file.")
        return {}
    try:
        table = tomllib.loads(path.read_text())
    except tomllib.TOMLDecodeError as error:
        raise WrongSettingError(f"{path} is not valid TOML: {error}.") from None
    for name in table:
        if name not in names:
            raise WrongSettingError(f"{path} sets {name!r}, {_suggest(name, names)}.")
    return {name: (value, f"{name} in {path}") for name, value in table.items()}


def _from_environment(environ: Mapping[str, str], names: list[str]) -> dict[str, tuple[Any, str]]:
    variables = [PREFIX + name.upper() for name in names]
    for name in unknown_variables(environ):
        if difflib.get_close_matches(name, variables, 1, _TYPO):
            raise WrongSettingError(f"{name} is set, {_suggest(name, variables)}.")
    return {
        name: (environ[variable], variable)
        for name, variable in zip(names, variables, strict=True)
        if environ.get(variable, "") != ""
    }


def _suggest(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, 1)
    return "which is not a setting" + (f" (did you mean {near[0]}?)" if near else "")


def _convert(name: str, value: Any, source: str) -> Any:
    field = next(f for f in msgspec.structs.fields(Settings) if f.name == name)
    if _is_tuple(field.type) and isinstance(value, str):
        value = [part.strip() for part in value.split(",") if part.strip()]
    try:
        return msgspec.convert(value, field.type, strict=False)
    except msgspec.ValidationError as error:
        shown = "its value" if (_meta(field.type).extra or {}).get("secret") else repr(value)
        reason = str(error).replace("`", "")
        raise WrongSettingError(f"{source} cannot be {shown}: {_lower(reason)}.") from None


def _check(settings: Settings) -> None:
    for key in encryption_keys(settings):
        if len(key) != 32:
            raise WrongSettingError(
                f"{PREFIX}ENCRYPTION_KEY must be base64 of 32 bytes; make one with "
                "`openssl rand -base64 32`."
            )
    for network in settings.outbound_allow:
        try:
            ipaddress.ip_network(network)
        except ValueError as error:
            raise WrongSettingError(
                f"{PREFIX}OUTBOUND_ALLOW holds {network!r}, which is not a network such as "
                f"10.1.0.0/16: {error}."
            ) from None
    send_limits(settings)
    public = settings.public_url
    if public is not None and not _PUBLIC_URL.fullmatch(public):
        raise WrongSettingError(
            f"{PREFIX}PUBLIC_URL must be an address such as https://tidings.example.com."
        )
    url = settings.database_url
    if url is not None and not url.startswith(("postgresql://", "postgres://")):
        raise WrongSettingError(f"{PREFIX}DATABASE_URL must start with postgresql://.")
    if not settings.development and settings.encryption_key is None:
        raise WrongSettingError(
            f"Production needs {PREFIX}ENCRYPTION_KEY; make one with `openssl rand -base64 32` "
            "and keep it safe: credentials cannot be read without it."
        )
    _check_bootstrap_key(settings)
    _check_oidc(settings)


def _check_bootstrap_key(settings: Settings) -> None:
    key = settings.bootstrap_api_key
    if key is None:
        return
    if key != key.strip() or not key.isascii() or any(c.isspace() for c in key):
        raise WrongSettingError(f"{PREFIX}BOOTSTRAP_API_KEY must be ASCII without spaces.")
    if not settings.development and len(key) < 32:
        raise WrongSettingError(
            f"{PREFIX}BOOTSTRAP_API_KEY must have at least 32 characters in production."
        )


def _check_oidc(settings: Settings) -> None:
    issuer = settings.oidc_issuer
    if issuer is None:
        return
    if not _PUBLIC_URL.fullmatch(issuer):
        raise WrongSettingError(f"{PREFIX}OIDC_ISSUER must be an address that starts with https://")
    if not issuer.startswith("https://") and not settings.development:
        raise WrongSettingError(f"{PREFIX}OIDC_ISSUER must start with https:// in production.")
    for name in ("oidc_client_id", "oidc_client_secret"):
        if getattr(settings, name) is None:
            raise WrongSettingError(f"{PREFIX}OIDC_ISSUER needs {PREFIX}{name.upper()} beside it.")


def encryption_keys(settings: Settings) -> list[bytes]:
    """The configured encryption keys, current first; an undecodable one comes back empty."""
    keys = []
    for text in (settings.encryption_key or "").split(","):
        if text.strip():
            try:
                keys.append(base64.b64decode(text.strip(), validate=True))
            except (binascii.Error, ValueError):
                keys.append(b"")
    return keys


def send_limits(settings: Settings) -> dict[str, tuple[float | None, int | None]]:
    """Rate and concurrency by identifier or provider id."""
    found = {}
    for text in settings.send_limits:
        match = _SEND_LIMIT.fullmatch(text)
        rate = float(match["rate"]) if match and match["rate"] else None
        concurrency = int(match["concurrency"]) if match and match["concurrency"] else None
        if match is None or (rate is None and concurrency is None) or 0 in (rate, concurrency):
            raise WrongSettingError(
                f"{PREFIX}SEND_LIMITS holds {text!r}, which is not a limit such as twilio=10/5: an "
                "identifier or provider id, messages per second, and messages at the same time."
            )
        found[match["name"]] = (rate, concurrency)
    return found


def _meta(kind: Any) -> Meta:
    return next(m for m in reversed(kind.__metadata__) if isinstance(m, Meta) and m.description)


def _is_tuple(kind: Any) -> bool:
    bare = get_args(kind)[0]
    return any(getattr(each, "__origin__", None) is tuple for each in (bare, *get_args(bare)))


def _kind(kind: Any) -> str:
    schema = msgspec.json.schema(kind)
    if "anyOf" in schema:
        schema = next(s for s in schema["anyOf"] if s.get("type") != "null")
    if "enum" in schema:
        return " or ".join(f"`{value}`" for value in schema["enum"] if value is not None)
    names = {"string": "text", "integer": "whole number", "number": "number", "array": "list"}
    return names[str(schema["type"])]


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]

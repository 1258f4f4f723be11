"""The house: who may import whom, one room per foreign library, SQL in one room only."""

import ast
import gc
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "tidings"

# Files at the top of the package and what they may be used by: everyone but the pure rooms.
PLUMBING = {"settings", "clock", "ids", "log", "metrics", "dialect", "world", "foundation"}

MAY_IMPORT: dict[str, set[str]] = {
    "domain": set(),
    "rendering": {"domain"},
    "steps": {"domain"},
    "providers": {"domain"},
    "storage": {"domain"},
    "engine": {"domain", "rendering", "steps", "providers", "storage", *PLUMBING},
    "actions": {"domain", "rendering", "steps", "providers", "storage", *PLUMBING},
    "hall": {"domain", "providers", "storage", "actions", *PLUMBING},
    "api": {"domain", "rendering", "steps", "providers", "storage", "actions", "hall", *PLUMBING},
    "inbox": {"domain", "rendering", "steps", "providers", "storage", "actions", "hall", *PLUMBING},
    "web": {"domain", "rendering", "steps", "providers", "storage", "actions", "hall", *PLUMBING},
    "cli": {"domain", "rendering", "steps", "providers", "storage", "actions", "engine", "app",
            *PLUMBING},
    "clock": set(),
    "settings": set(),
    "ids": {"clock", "domain"},
    "log": {"ids"},
    "metrics": set(),
    "dialect": {"settings"},
    "world": {"clock", "ids", "domain", "storage"},
    "foundation": {"settings", "clock", "ids", "domain", "providers", "storage", "world"},
    "__main__": {"cli"},
}  # fmt: skip

# Libraries that live in one room. msgspec, the record library, may be used everywhere.
HOME: dict[str, tuple[str, ...]] = {
    "litestar": ("hall/", "api/", "inbox/", "web/", "app.py"),
    "jinja2": ("api/", "inbox/", "web/"),
    "markupsafe": ("api/", "inbox/", "web/"),
    "argon2": ("actions/passwords.py",),
    "typer": ("cli/",),
    "rich": ("cli/",),
    "asyncpg": ("storage/",),
    "alembic": ("storage/",),
    "sqlalchemy": ("storage/",),
    "cronsim": ("steps/cron.py",),
    "cryptography": ("storage/secrets.py", "providers/signing.py"),
    "pgqueuer": ("engine/queue.py",),
    "prometheus_client": ("metrics.py",),
    "structlog": ("log.py",),
    "uvicorn": ("app.py",),
    "socketio": ("inbox/socket_io.py",),
    "uvloop": ("cli/",),
    "httptools": ("providers/http1.py",),
    "aiohappyeyeballs": ("providers/http1.py",),
    "aiosmtplib": ("providers/smtp.py",),
    "aiosmtpd": ("cli/catch_smtp.py",),
    "httpx": ("providers/transport.py",),
    "liquid": ("rendering/",),
    "nh3": ("rendering/",),
    "dateutil": ("rendering/",),
    "jwt": ("providers/oidc.py",),
    "jsonschema_rs": ("steps/",),
    "yaml": ("cli/",),
}

SQL = re.compile(r"^\s*(SELECT\s.+\sFROM|INSERT\s+INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM)\b", re.S)


class Violation(NamedTuple):
    file: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.what}"


def room_of(file: str) -> str:
    return file.split("/")[0].removesuffix(".py")


def imports_of(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom) and node.module:
            if node.module == "tidings":
                for alias in node.names:
                    yield node.lineno, f"tidings.{alias.name}"
            else:
                yield node.lineno, node.module


def parse(text: str) -> ast.Module:
    """Undisturbed: CPython 3.11 cannot do it twice at once, and what is collected meanwhile may
    have a traceback written, for which it parses too."""
    gc.disable()
    try:
        return ast.parse(text)
    finally:
        gc.enable()


def violations_in(file: str, text: str) -> Iterator[Violation]:
    """Everything in one file of the package that stands in the wrong room."""
    tree = parse(text)
    room = room_of(file)
    for line, module in imports_of(tree):
        top, *rest = module.split(".")
        if top == "tidings":
            other = rest[0] if rest else ""
            allowed = {room, "__version__"} | MAY_IMPORT.get(room, set())
            if room != "app" and other not in allowed:
                yield Violation(file, line, f"{room} may not import {other}")
        elif top in HOME and not file.startswith(HOME[top]):
            yield Violation(file, line, f"{top} belongs in {', '.join(HOME[top])}")
    for node in ast.walk(tree) if room != "storage" else ():
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and SQL.match(node.value):
            yield Violation(file, node.lineno, "SQL belongs in storage")


def test_every_line_is_in_its_room() -> None:
    found = [
        str(violation)
        for path in sorted(SOURCE.rglob("*.py"))
        for violation in violations_in(path.relative_to(SOURCE).as_posix(), path.read_text())
    ]
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize(
    ("file", "text", "complaint"),
    [
        ("domain/x.py", "import os\nfrom tidings.storage import keys", "domain/x.py:2: domain may"),
        ("domain/x.py", "from tidings import clock", "domain/x.py:1: domain may not import clock"),
        ("actions/x.py", "import tidings.engine.queue", "actions/x.py:1: actions may not import"),
        ("engine/x.py", "from tidings.actions import keys", "engine may not import actions"),
        ("steps/x.py", "from tidings.providers import base", "steps may not import providers"),
        ("api/x.py", "def f():\n    import asyncpg", "api/x.py:2: asyncpg belongs in storage/"),
        ("engine/worker.py", "import pgqueuer", "pgqueuer belongs in engine/queue.py"),
        ("web/x.py", "from tidings.api import wire", "web may not import api"),
        ("api/x.py", 'Q = "SELECT a FROM b"', "api/x.py:1: SQL belongs in storage"),
    ],
)
def test_a_planted_violation_is_named_with_file_and_line(
    file: str, text: str, complaint: str
) -> None:
    assert any(complaint in str(violation) for violation in violations_in(file, text))


def test_no_import_cycle_among_the_files_of_a_room() -> None:
    """Top-level imports only: a cycle that a function's import breaks is none."""
    graph: dict[str, set[str]] = {}
    for path in SOURCE.rglob("*.py"):
        name = "tidings." + path.relative_to(SOURCE).with_suffix("").as_posix().replace("/", ".")
        graph[name] = set(_top_level_imports(parse(path.read_text())))
    for start in graph:
        assert start not in _reachable(graph, start), f"{start} imports itself in the end"


def _top_level_imports(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tidings"):
            for alias in node.names:
                yield f"{node.module}.{alias.name}"
            yield str(node.module)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def _reachable(graph: dict[str, set[str]], start: str) -> set[str]:
    seen: set[str] = set()
    waiting = [each for each in graph[start] if each in graph]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting.extend(each for each in graph[name] if each in graph)
    return seen

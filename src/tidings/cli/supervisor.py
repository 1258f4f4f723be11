"""Several processes on one port: starts them, replaces those that die, stops them together."""

import asyncio
import os
import signal
import socket
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from tidings import log
from tidings.cli.common import database_starting, failing_clearly, run
from tidings.settings import Settings, to_environment

_RESTART_SECONDS = 1.0
_GRACE_SECONDS = 5.0
_log = log.get("supervisor")


def supervise(
    settings: Settings,
    listening: socket.socket,
    engine: bool,
    on_ready: Callable[[str | None, str | None], None],
) -> None:
    api = ["serve", "--no-engine", "--listen-fd", str(listening.fileno())]
    if engine and settings.engine_processes == 0:
        api.remove("--no-engine")
    commands = [api] * settings.api_processes
    commands += [["worker"]] * (settings.engine_processes if engine else 0)
    with (
        failing_clearly(),
        tempfile.TemporaryDirectory(prefix="tidings-metrics-") as figures,
        database_starting(settings) as url,
    ):
        from tidings import app, foundation

        async def body() -> None:
            world = foundation.make_world(settings)
            async with foundation.open_database(settings, url()) as database:
                await app.prepare(world, database)
                key = await app.prepare_key(settings, world, database)
                token = await app.prepare_setup(world, database)
            children = [
                _Child(settings, command, listening.fileno(), Path(figures)) for command in commands
            ]
            await _Family(settings, children).run(lambda: on_ready(key, token))

        run(body)


def say_ready(ready_fd: int) -> None:
    """A child's word that it can work."""
    os.write(ready_fd, b".")
    os.close(ready_fd)


class _Family:
    def __init__(self, settings: Settings, children: list["_Child"]) -> None:
        self._settings = settings
        self._children = children

    async def run(self, on_ready: Callable[[], None]) -> None:
        stopping = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stopping.set)
        keepers = [asyncio.create_task(child.keep_alive()) for child in self._children]
        ready = asyncio.gather(*(child.ready.wait() for child in self._children))
        ready.add_done_callback(lambda done: None if done.cancelled() else on_ready())
        await stopping.wait()
        _log.info("stopping")
        ready.cancel()
        for keeper in keepers:
            keeper.cancel()
        await asyncio.gather(*keepers, ready, return_exceptions=True)
        await asyncio.gather(
            *(child.stop(self._settings.stop_seconds + _GRACE_SECONDS) for child in self._children)
        )


class _Child:
    """One process of ours, started again whenever it ends."""

    def __init__(self, settings: Settings, command: list[str], fd: int, figures: Path) -> None:
        self._settings = settings
        self._command = command
        self._fd = fd
        self._figures = figures
        self._process: asyncio.subprocess.Process | None = None
        self.ready = asyncio.Event()

    async def keep_alive(self) -> None:
        while True:
            code = await self._run_once()
            _log.warning("process_ended", command=self._command[0], code=code)
            await asyncio.sleep(_RESTART_SECONDS)

    async def _run_once(self) -> int:
        told, tell = os.pipe()
        os.set_inheritable(tell, True)
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "tidings",
            *self._command,
            "--ready-fd",
            str(tell),
            pass_fds=(self._fd, tell),
            env={
                **os.environ,
                **to_environment(self._settings),
                "PROMETHEUS_MULTIPROC_DIR": str(self._figures),
            },
        )
        os.close(tell)
        asyncio.get_running_loop().add_reader(told, self._hear, told)
        return await self._process.wait()

    def _hear(self, told: int) -> None:
        asyncio.get_running_loop().remove_reader(told)
        if os.read(told, 1):
            self.ready.set()
        os.close(told)

    async def stop(self, seconds: float) -> None:
        process = self._process
        if process is None or process.returncode is not None:
            return
        process.terminate()
        try:
            await asyncio.wait_for(process.wait(), seconds)
        except TimeoutError:
            _log.warning("process_killed", command=self._command[0], pid=process.pid)
            process.kill()
            await process.wait()

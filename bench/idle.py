"""How long a start takes, and what an idle service costs."""

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from bench import machine

_IDLE_SECONDS = 20.0


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _start(data: str) -> tuple[subprocess.Popen[bytes], float]:
    port = _free_port()
    started = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "tidings", "serve", "--data-dir", data, "--port", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={k: v for k, v in os.environ.items() if not k.startswith("TIDINGS_")},
    )
    while time.monotonic() < started + 60:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/health/ready", timeout=1)
            return process, time.monotonic() - started
        except (urllib.error.URLError, OSError):
            time.sleep(0.01)
    raise RuntimeError("the service did not become ready")


def run() -> None:
    with tempfile.TemporaryDirectory() as folder:
        data = str(Path(folder) / "data")
        first, seconds = _start(data)
        print(f"first start to ready       {seconds:6.2f} s    (target 6)")
        first.terminate()
        first.wait(30)
        second, seconds = _start(data)
        print(f"later start to ready       {seconds:6.2f} s    (target 3)")
        time.sleep(2)
        everyone = machine.family(second.pid)
        python = [pid for pid in everyone if machine.is_python(pid)]
        before_python, before_all = machine.cpu_seconds(python), machine.cpu_seconds(everyone)
        time.sleep(_IDLE_SECONDS)
        python_cpu = (machine.cpu_seconds(python) - before_python) / _IDLE_SECONDS * 100
        all_cpu = (machine.cpu_seconds(everyone) - before_all) / _IDLE_SECONDS * 100
        memory = machine.resident_megabytes(python)
        print(f"idle memory, Python        {memory:6.0f} MB   (target 150)")
        print(f"idle CPU, Python           {python_cpu:6.2f} %    (target 1)")
        print(f"idle CPU, with PostgreSQL  {all_cpu:6.2f} %")
        second.terminate()
        second.wait(30)

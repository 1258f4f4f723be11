"""How long a start takes, and what an idle service costs."""

import tempfile
import time
from pathlib import Path

from bench import machine, report
from bench.service import Service

_IDLE_SECONDS = 15.0


def run() -> None:
    with tempfile.TemporaryDirectory() as folder:
        first = Service(Path(folder) / "data")
        report.at_most("first start to ready", first.wait_ready(), 6, " s")
        first.stop()
        second = Service(Path(folder) / "data")
        report.at_most("later start to ready", second.wait_ready(), 3, " s")
        time.sleep(2)
        python, everyone = second.python(), second.everyone()
        before_python, before_all = machine.cpu_seconds(python), machine.cpu_seconds(everyone)
        time.sleep(_IDLE_SECONDS)
        python_cpu = (machine.cpu_seconds(python) - before_python) / _IDLE_SECONDS * 100
        all_cpu = (machine.cpu_seconds(everyone) - before_all) / _IDLE_SECONDS * 100
        memory = machine.resident_megabytes(python)
        report.at_most("idle memory, Python", memory, 150, " MB")
        report.at_most("idle CPU, Python", python_cpu, 1, " %")
        print(f"{'idle CPU, with PostgreSQL':<34} {all_cpu:7.2f} %")
        second.stop()

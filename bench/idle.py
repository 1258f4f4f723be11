"""How long a start takes, and what an idle service costs."""

import tempfile
import time
from pathlib import Path

from bench import machine
from bench.service import Service

_IDLE_SECONDS = 20.0


def run() -> None:
    with tempfile.TemporaryDirectory() as folder:
        first = Service(Path(folder) / "data")
        print(f"first start to ready       {first.wait_ready():6.2f} s    (target 6)")
        first.stop()
        second = Service(Path(folder) / "data")
        print(f"later start to ready       {second.wait_ready():6.2f} s    (target 3)")
        time.sleep(2)
        python, everyone = second.python(), second.everyone()
        before_python, before_all = machine.cpu_seconds(python), machine.cpu_seconds(everyone)
        time.sleep(_IDLE_SECONDS)
        python_cpu = (machine.cpu_seconds(python) - before_python) / _IDLE_SECONDS * 100
        all_cpu = (machine.cpu_seconds(everyone) - before_all) / _IDLE_SECONDS * 100
        memory = machine.resident_megabytes(python)
        print(f"idle memory, Python        {memory:6.0f} MB   (target 150)")
        print(f"idle CPU, Python           {python_cpu:6.2f} %    (target 1)")
        print(f"idle CPU, with PostgreSQL  {all_cpu:6.2f} %")
        second.stop()

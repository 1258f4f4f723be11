"""Reads off the operating system what our processes and PostgreSQL use."""

import os
import platform
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


def describe() -> str:
    model = next(
        (
            line.split(":")[1].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith(("model name", "CPU part"))
        ),
        platform.machine(),
    )
    return (
        f"{os.cpu_count()} cores ({platform.machine()} {model}), Python {platform.python_version()}"
    )


def family(pid: int) -> list[int]:
    """The process and all its descendants."""
    found = [pid]
    for each in found:
        try:
            for task in Path(f"/proc/{each}/task").iterdir():
                found.extend(int(child) for child in (task / "children").read_text().split())
        except FileNotFoundError:
            continue
    return found


def is_python(pid: int) -> bool:
    try:
        return Path(os.readlink(f"/proc/{pid}/exe")).name.startswith("python")
    except OSError:
        return False


def cpu_seconds(pids: list[int]) -> float:
    """User and system time so far; a process that is gone counts nothing."""
    total = 0
    for pid in pids:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
            total += int(fields[11]) + int(fields[12])
        except FileNotFoundError:
            continue
    return total / _TICKS


def resident_megabytes(pids: list[int]) -> float:
    total = 0
    for pid in pids:
        try:
            total += int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        except FileNotFoundError:
            continue
    return total * _PAGE / 1e6

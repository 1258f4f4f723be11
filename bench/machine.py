"""Reads off the operating system what our processes and PostgreSQL use."""

import os
import platform
from collections.abc import Sequence
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


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


_GONE = (FileNotFoundError, ProcessLookupError)


def family(pid: int) -> list[int]:
    """The process and all its descendants."""
    found = [pid]
    for each in found:
        try:
            for task in Path(f"/proc/{each}/task").iterdir():
                found.extend(int(child) for child in (task / "children").read_text().split())
        except _GONE:
            continue
    return found


def is_python(pid: int) -> bool:
    try:
        return Path(os.readlink(f"/proc/{pid}/exe")).name.startswith("python")
    except OSError:
        return False


def cpu_seconds(pids: Sequence[int]) -> float:
    """User and system time so far, that of children which are gone included."""
    total = 0
    for pid in pids:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
            total += sum(map(int, fields[11:15]))
        except _GONE:
            continue
    return total / _TICKS


def resident_megabytes(pids: Sequence[int]) -> float:
    return sum(_status(pid, "VmRSS:") for pid in pids) / 1024


def own_megabytes(pids: Sequence[int]) -> dict[int, float]:
    """What each process has for itself: PostgreSQL's shared buffers are nobody's growth."""
    return {pid: _status(pid, "RssAnon:") / 1024 for pid in pids}


def _status(pid: int, name: str) -> int:
    try:
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith(name):
                return int(line.split()[1])
    except _GONE:
        pass
    return 0

"""Runs every figure, or those named: `python -m bench idle`."""

import importlib
import pkgutil
import sys
import time

import bench
from bench import machine

_HELPERS = {"__main__", "inboxes", "machine", "service"}


def main() -> None:
    names = [each.name for each in pkgutil.iter_modules(bench.__path__)]
    chosen = sys.argv[1:] or [name for name in names if name not in _HELPERS]
    print(machine.describe())
    for name in chosen:
        print(f"\n{name}")
        started = time.monotonic()
        importlib.import_module(f"bench.{name}").run()
        print(f"({time.monotonic() - started:.0f} s)")


main()

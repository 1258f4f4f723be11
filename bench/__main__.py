"""Runs the figures that have targets, or those named: `python -m bench sends sockets`."""

import importlib
import sys
import time

from bench import machine

FIGURES = (
    "idle",
    "reading",
    "accepting",
    "events",
    "fan_out",
    "arrival",
    "growth",
)


def main() -> None:
    print(machine.describe())
    for name in sys.argv[1:] or FIGURES:
        print(f"\n{name}")
        started = time.monotonic()
        importlib.import_module(f"bench.{name}").run()
        print(f"({time.monotonic() - started:.0f} s)", flush=True)


main()

"""How a figure is told: CPU per operation beside its floor, throughput and waiting times."""

from collections.abc import Sequence

import msgspec


class Timing(msgspec.Struct, frozen=True):
    """Operations of one run: how many, in how long, and how long each took, shortest first."""

    count: int
    seconds: float
    waits: Sequence[float] = ()

    @property
    def per_second(self) -> float:
        return self.count / self.seconds

    def wait(self, share: float) -> float:
        """The time in milliseconds within which that share was done."""
        if not self.waits:
            return 0.0
        return self.waits[min(int(len(self.waits) * share), len(self.waits) - 1)] * 1000


def together(timings: Sequence[Timing]) -> Timing:
    return Timing(
        sum(each.count for each in timings),
        sum(each.seconds for each in timings),
        sorted(wait for each in timings for wait in each.waits),
    )


def against_floor(
    name: str, micros: float, floor: float, target: float, timing: Timing | None = None
) -> float:
    """The line of a figure that is held against what it cannot do without; the ratio."""
    ratio = micros / floor
    line = (
        f"{name:<34} {micros:7.0f} µs CPU, floor {floor:6.0f}: {ratio:5.2f}x (at most {target:g}x)"
    )
    print(line + _mark(ratio <= target) + _timing(timing))
    return ratio


def at_most(name: str, value: float, target: float, unit: str = "") -> None:
    print(f"{name:<34} {value:7.2f}{unit} (at most {target:g}{unit})" + _mark(value <= target))


def at_least(name: str, value: float, target: float, unit: str = "") -> None:
    print(f"{name:<34} {value:7.2f}{unit} (at least {target:g}{unit})" + _mark(value >= target))


def plain(name: str, micros: float, timing: Timing | None = None) -> None:
    print(f"{name:<34} {micros:7.0f} µs CPU" + _timing(timing))


def _mark(reached: bool) -> str:
    return "" if reached else "  MISSED"


def _timing(timing: Timing | None) -> str:
    if timing is None:
        return ""
    text = f"  | {timing.per_second:.0f}/s"
    if timing.waits:
        text += f", p50 {timing.wait(0.5):.1f} ms, p99 {timing.wait(0.99):.1f} ms"
    return text

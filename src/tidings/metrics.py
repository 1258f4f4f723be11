"""Figures for Prometheus. With several processes on one port they are added up through files."""

import os
from collections.abc import Iterable
from functools import cache

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    REGISTRY,
    CollectorRegistry,
    Counter,
    Histogram,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

SHARED_FOLDER = "PROMETHEUS_MULTIPROC_DIR"

REQUESTS = Counter(
    "tidings_http_requests_total", "Requests answered.", ["method", "route", "status"]
)
DURATIONS = Histogram(
    "tidings_http_request_seconds",
    "Time to answer a request.",
    ["method", "route"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)

DELIVERY_EVENTS = Counter(
    "tidings_delivery_events_total",
    "Delivery events of providers: `noted`, `repeated`, or `unknown` for no message of ours.",
    ["provider", "result"],
)


class _Moment(Collector):
    """Gauges that are read off at the moment of the scrape."""

    def __init__(self, gauges: Iterable[GaugeMetricFamily]) -> None:
        self._gauges = list(gauges)

    def collect(self) -> Iterable[GaugeMetricFamily]:
        return self._gauges


def observe(method: str, route: str, status: int, seconds: float) -> None:
    requests, durations = _series(method, route, status)
    requests.inc()
    durations.observe(seconds)


@cache
def _series(method: str, route: str, status: int) -> tuple[Counter, Histogram]:
    return REQUESTS.labels(method, route, str(status)), DURATIONS.labels(method, route)


def count_delivery_events(provider: str, result: str, count: int) -> None:
    DELIVERY_EVENTS.labels(provider, result).inc(count)


def exposition(gauges: dict[str, tuple[str, float]]) -> tuple[bytes, str]:
    """Everything counted so far and these gauges, with the content type."""
    registry = REGISTRY
    if SHARED_FOLDER in os.environ:
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    now = CollectorRegistry()
    now.register(
        _Moment(GaugeMetricFamily(name, text, value) for name, (text, value) in gauges.items())
    )
    return generate_latest(registry) + generate_latest(now), CONTENT_TYPE_LATEST

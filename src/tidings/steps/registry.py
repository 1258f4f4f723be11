"""Finds the step types: every file of this room that has a `STEP`."""

import importlib
import pkgutil
from functools import cache

from tidings import steps
from tidings.domain.workflows import StepType
from tidings.steps.base import Kind


@cache
def kinds() -> dict[StepType, Kind]:
    found = {}
    for each in pkgutil.iter_modules(steps.__path__):
        module = importlib.import_module(f"{steps.__name__}.{each.name}")
        if (kind := getattr(module, "STEP", None)) is not None:
            found[kind.type] = kind
    return found


def kind_of(type: StepType) -> Kind:
    return kinds()[type]

"""Finds what the files of a door list: handlers, entries of a navigation."""

import importlib
import pkgutil
from types import ModuleType
from typing import Any


def found(room: ModuleType, name: str) -> list[Any]:
    """Everything that the files of this room list under that name."""
    modules = (
        importlib.import_module(f"{room.__name__}.{each.name}")
        for each in pkgutil.iter_modules(room.__path__)
    )
    return [each for module in modules for each in getattr(module, name, ())]

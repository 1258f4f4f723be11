"""Finds the handlers of a door: every file of its room lists its own."""

import importlib
import pkgutil
from types import ModuleType

from litestar.types import ControllerRouterHandler


def found(room: ModuleType, name: str) -> list[ControllerRouterHandler]:
    """The handlers that the files of this room list under that name."""
    modules = (
        importlib.import_module(f"{room.__name__}.{each.name}")
        for each in pkgutil.iter_modules(room.__path__)
    )
    return [handler for module in modules for handler in getattr(module, name, ())]

"""Finds the vendor files: every module of the channel packages, and the Provider classes in it."""

import importlib
import pkgutil
from functools import cache

from tidings import providers
from tidings.providers.base import AnyProvider, Provider

_PACKAGES = ("in_app", "email", "sms", "push", "chat")


@cache
def every() -> dict[str, AnyProvider]:
    """All vendors by id, by channel and then by name."""
    found: dict[str, AnyProvider] = {}
    for package_name in _PACKAGES:
        package = importlib.import_module(f"{providers.__name__}.{package_name}")
        here = []
        for each in pkgutil.iter_modules(package.__path__):
            module = importlib.import_module(f"{package.__name__}.{each.name}")
            here += [
                value()
                for value in vars(module).values()
                if isinstance(value, type)
                and issubclass(value, Provider)
                and value.__module__ == module.__name__
                and "id" in vars(value)
            ]
        for provider in sorted(here, key=lambda provider: provider.name.lower()):
            if provider.id in found:
                raise RuntimeError(f"Two files say they are the provider {provider.id}.")
            found[provider.id] = provider
    return found


def find(id: str) -> AnyProvider | None:
    return every().get(id)


def known(channel: str | None = None) -> list[str]:
    return [p.id for p in every().values() if channel is None or p.channel == channel]

"""What can be wrong with a request, apart from how it was sent.

TidingsError
├── InvalidError      a value breaks a rule; says which field and why
├── RefusedError      the request is understood and cannot be done as things stand
├── UnprovenError     the caller did not prove to be who it must be
├── ForbiddenError    the caller may not do this here
├── NotFoundError     the thing named does not exist in the caller's environment
└── ConflictError     it exists already, or someone else is at it
"""

from collections.abc import Mapping
from typing import Any

import msgspec


class TidingsError(Exception):
    """One sentence for the person who reads it, details for the program that does."""

    def __init__(self, message: str, **details: Any) -> None:
        super().__init__(message)
        self.message = message
        self.details = details


class Problem(msgspec.Struct, frozen=True):
    """What is wrong with one field."""

    messages: list[str]
    value: Any = msgspec.UNSET


class InvalidError(TidingsError):
    def __init__(self, problems: Mapping[str, Problem]) -> None:
        super().__init__("Validation Error")
        self.problems = dict(problems)

    @classmethod
    def of(cls, field: str, message: str, value: Any = msgspec.UNSET) -> "InvalidError":
        return cls({field: Problem([message], value)})


class RefusedError(TidingsError):
    pass


class UnprovenError(TidingsError):
    pass


class ForbiddenError(TidingsError):
    pass


class NotFoundError(TidingsError):
    pass


class ConflictError(TidingsError):
    pass

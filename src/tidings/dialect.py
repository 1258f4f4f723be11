"""Everything in which the `svc` and `novu` dialects differ, and nothing else.

| | svc | novu |
|---|---|---|
| the service's word in enumerated identifiers | svc | novu |
| success bodies of single resources, arrays, booleans | bare | {"data": X}; pages stay bare |
| PATCH credentials, device tokens | replaced | united without duplicates |
| a step's `skip` condition | skips the step when it holds | runs the step when it holds |
"""

from tidings.settings import Dialect as Name

_OURS = "svc"
_THEIRS = "novu"


class Dialect:
    def __init__(self, name: Name) -> None:
        theirs = name == _THEIRS
        self.word = name
        self.wraps_answers = theirs
        self.unites_device_tokens = theirs
        self.skip_runs_the_step = theirs

    def spell(self, identifier: str) -> str:
        """An enumerated identifier of ours (`svc-slack`) in this dialect's word."""
        if self.word == _OURS:
            return identifier
        return _swap(identifier, _OURS, self.word)

    @staticmethod
    def understand(identifier: str) -> str:
        """An identifier in either word as ours."""
        return _swap(identifier, _THEIRS, _OURS)


def _swap(identifier: str, word: str, other: str) -> str:
    if identifier == word or identifier.startswith(word + "-"):
        return other + identifier[len(word) :]
    return identifier

"""What is asked of a subscriber's inbox, as conditions in SQL."""

from typing import Any

from tidings.domain.inbox import Filter
from tidings.domain.scope import Scope
from tidings.storage.database import json_of

OWN = "m.environment_id = $1 AND m.subscriber_id = $2 AND m.channel = 'in_app'"
"""The first two arguments say whose messages, known as `m`; nobody else's are ever touched."""


class Question:
    """Conditions on the subscriber's messages, known as `m`, and their arguments."""

    def __init__(self, scope: Scope, subscriber_id: str) -> None:
        self.arguments: list[Any] = [scope.environment_id, subscriber_id]
        self.where = [OWN]

    def argument(self, value: Any) -> str:
        self.arguments.append(value)
        return f"${len(self.arguments)}"

    def conditions(self) -> str:
        return " AND ".join(self.where)

    def ask(self, filter: Filter) -> None:
        """The flags stand in the text, so that the indexes of what is unread are found."""
        self.where.append(f"m.snoozed_until IS {'NOT ' if filter.snoozed else ''}NULL")
        for name in ("seen", "read", "archived"):
            wanted = getattr(filter, name)
            if wanted is not None:
                self.where.append(f"m.{name}" if wanted else f"NOT m.{name}")
        if filter.read is False and filter.archived is None:
            self.where.append("NOT m.archived")  # follows from it, and finds the index
        if filter.severities:
            self.where.append(f"m.severity = ANY ({self.argument(list(filter.severities))})")
        for group in filter.tags:
            self.where.append(f"m.tags && {self.argument(list(group))}::text[]")
        if filter.created_from is not None:
            self.where.append(f"m.created_at >= {self.argument(filter.created_from)}")
        if filter.created_until is not None:
            self.where.append(f"m.created_at <= {self.argument(filter.created_until)}")
        if filter.context_keys is not None:
            keys = f"{self.argument(list(filter.context_keys))}::text[]"
            self.where.append(f"m.context_keys @> {keys} AND m.context_keys <@ {keys}")
        for name, value in filter.data.items():
            choices = value if isinstance(value, list) else [value]
            held = " OR ".join(f"m.data @> {self._json({name: each})}" for each in choices)
            self.where.append(f"({held or 'false'})")

        if filter.payload:
            self.where.append(
                "EXISTS (SELECT FROM events AS e WHERE e.id = m.event_id "
                f"AND e.payload @> {self._json(filter.payload)})"
            )

    def _json(self, value: Any) -> str:
        return f"{self.argument(json_of(value))}::jsonb"

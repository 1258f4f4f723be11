"""Pages by number, newest first, of tables whose identifiers ascend with time.

The ids of a page are found on an index alone. Where a filter names several values, the newest of
each are merged, so a page costs what its depth costs, however long the table is.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from tidings.domain.paging import MOST_COUNTED, least_id

DEEPEST = 100_000
"""How many rows a page may lie behind the first."""

_SLACK = timedelta(seconds=5)


class Question:
    """Conditions on the rows, known as `r`, and their arguments."""

    def __init__(self, table: str, environment_id: str) -> None:
        self.table = table
        self.arguments: list[Any] = []
        self._where = [f"r.environment_id = {self.argument(environment_id)}"]
        self._lead: tuple[str, str] | None = None
        self._branches: list[str] = []

    def argument(self, value: Any, type: str = "text") -> str:
        self.arguments.append(value)
        return f"${len(self.arguments)}::{type}"

    def where(self, condition: str) -> None:
        self._where.append(condition)

    def any_of(self, column: str, values: Sequence[str] | None, indexed: bool = True) -> None:
        """Rows with one of these values; None asks for nothing. The first that is indexed with the
        id leads the search."""
        if values is None:
            return
        given = self.argument(sorted(set(values)), "text[]")
        if indexed and self._lead is None and not self._branches:
            self._lead = (column, given)
        else:
            self._where.append(f"r.{column} = ANY ({given})")

    def either(self, conditions: Sequence[str]) -> None:
        """Rows that meet one of these, each of which has an index with the id."""
        if self._lead is None and not self._branches:
            self._branches = list(conditions)
        else:
            self._where.append(f"({' OR '.join(conditions)})")

    def between(self, after: datetime | None, before: datetime | None) -> None:
        if after is not None:
            self._where.append(f"r.id >= {self.argument(least_id(after - _SLACK))}")
            self._where.append(f"r.created_at >= {self.argument(after, 'timestamptz')}")
        if before is not None:
            self._where.append(f"r.id < {self.argument(least_id(before + _SLACK))}")
            self._where.append(f"r.created_at <= {self.argument(before, 'timestamptz')}")

    def page(self, offset: int, limit: int) -> str:
        """The ids of one page and one more, which tells whether another page follows.

        How many there are stands in the text: only then can PostgreSQL plan once for all times.
        """
        if offset == 0:
            found = self._each(f"ORDER BY r.id DESC LIMIT {limit + 1}")
            return f"SELECT id FROM ({found}) AS f ORDER BY id DESC LIMIT {limit + 1}"
        deep, skipped = self.argument(offset + limit + 1, "int"), self.argument(offset, "int")
        found = self._each(f"ORDER BY r.id DESC LIMIT {deep}")
        return f"SELECT id FROM ({found}) AS f ORDER BY id DESC OFFSET {skipped} LIMIT {limit + 1}"

    def count(self) -> str:
        """How many there are, up to one more than are counted."""
        most = f"LIMIT {MOST_COUNTED + 1}"
        return f"SELECT count(*) FROM (SELECT FROM ({self._each(most)}) AS f {most}) AS c"

    def _each(self, tail: str) -> str:
        where = " AND ".join(self._where)
        found = f"SELECT r.id FROM {self.table} AS r WHERE {where}"
        if self._branches:
            branches = (f"({found} AND {each} {tail})" for each in self._branches)
            return " UNION ".join(branches)
        if self._lead is None:
            return f"{found} {tail}"
        column, values = self._lead
        return (
            f"SELECT each.id FROM unnest({values}) AS lead (value), "
            f"LATERAL ({found} AND r.{column} = lead.value {tail}) AS each"
        )

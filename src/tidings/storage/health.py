"""Questions about the database itself."""

from datetime import datetime

from tidings.storage.database import Connection


async def now(connection: Connection) -> datetime:
    """The server's clock."""
    moment: datetime = await connection.fetchval("SELECT clock_timestamp()")
    return moment

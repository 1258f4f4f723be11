"""Whether a notification is finished is what its jobs say; to note it as well wrote it twice."""

from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.execute("ALTER TABLE notifications DROP COLUMN unfinished")

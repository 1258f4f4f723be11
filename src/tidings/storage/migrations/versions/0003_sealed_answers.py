"""Answers that hold a secret are kept sealed under their idempotency key."""

from alembic import op

revision = "0003"
down_revision = "0002"

_SEALED_ANSWERS = """
ALTER TABLE idempotency_records ALTER COLUMN body DROP NOT NULL;
ALTER TABLE idempotency_records ADD COLUMN sealed_body sealed;
COMMENT ON COLUMN idempotency_records.sealed_body IS
    'Instead of body, for answers that show keys or credentials.';
COMMENT ON COLUMN idempotency_records.status IS
    '0 while a request runs that keeps no transaction open.';
"""


def upgrade() -> None:
    op.execute(_SEALED_ANSWERS)

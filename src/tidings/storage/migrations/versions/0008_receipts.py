"""Receipts that are fetched from vendors which do not send them."""

from alembic import op

revision = "0008"
down_revision = "0007"

_RECEIPTS = """
CREATE TABLE awaited_receipts (
    integration_id text COLLATE "C" NOT NULL REFERENCES integrations ON DELETE CASCADE,
    message_id text COLLATE "C" NOT NULL,
    organization_id text COLLATE "C" NOT NULL,
    environment_id text COLLATE "C" NOT NULL REFERENCES environments ON DELETE CASCADE,
    provider_id text NOT NULL,
    sent_at timestamptz NOT NULL,
    due_at timestamptz NOT NULL,
    PRIMARY KEY (integration_id, message_id)
);
COMMENT ON TABLE awaited_receipts IS 'Sent messages whose vendor keeps a receipt to be fetched.';
COMMENT ON COLUMN awaited_receipts.message_id IS 'The vendor''s.';
CREATE INDEX awaited_receipts_due ON awaited_receipts (due_at);
"""


def upgrade() -> None:
    op.execute(_RECEIPTS)

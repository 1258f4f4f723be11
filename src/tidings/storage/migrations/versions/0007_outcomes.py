"""What comes after a send: caught messages, addresses not to be used again, and pacing."""

from alembic import op

revision = "0007"
down_revision = "0006"

_CAUGHT = """
CREATE TABLE caught_messages (
    id text COLLATE "C" PRIMARY KEY,
    environment_id text COLLATE "C" NOT NULL REFERENCES environments ON DELETE CASCADE,
    channel text NOT NULL,
    recipients text[] NOT NULL,
    subject text,
    html text,
    text text,
    content text,
    headers jsonb NOT NULL DEFAULT '{}',
    attachments jsonb NOT NULL DEFAULT '[]',
    message_id text COLLATE "C",
    transaction_id text,
    subscriber_key text,
    created_at timestamptz NOT NULL
);
COMMENT ON TABLE caught_messages IS 'What development keeps instead of sending; the newest only.';
COMMENT ON COLUMN caught_messages.message_id IS 'The message it is; null when it came by SMTP.';
CREATE INDEX caught_messages_newest ON caught_messages (environment_id, id);
CREATE UNIQUE INDEX caught_messages_once ON caught_messages (message_id)
    WHERE message_id IS NOT NULL;
"""

_SUPPRESSIONS = """
CREATE TABLE suppressions (
    environment_id text COLLATE "C" NOT NULL REFERENCES environments ON DELETE CASCADE,
    channel text NOT NULL,
    address text COLLATE "C" NOT NULL,
    reason text NOT NULL,
    detail text NOT NULL DEFAULT '',
    since timestamptz NOT NULL,
    PRIMARY KEY (environment_id, channel, address)
);
COMMENT ON TABLE suppressions IS 'Addresses that bounced or complained: nothing is sent to them.';
"""

_REPORTS = """
CREATE TABLE early_reports (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    organization_id text COLLATE "C" NOT NULL,
    environment_id text COLLATE "C" NOT NULL REFERENCES environments ON DELETE CASCADE,
    integration_id text COLLATE "C" NOT NULL,
    provider_id text NOT NULL,
    message_id text NOT NULL,
    event jsonb NOT NULL,
    received_at timestamptz NOT NULL
);
COMMENT ON TABLE early_reports IS 'Reports of vendors about messages that are not saved yet.';
CREATE INDEX early_reports_age ON early_reports (received_at);
"""

_PACES = """
CREATE TABLE send_paces (
    integration_id text COLLATE "C" PRIMARY KEY REFERENCES integrations ON DELETE CASCADE,
    left_over double precision NOT NULL,
    at timestamptz NOT NULL
);
COMMENT ON TABLE send_paces IS 'A bucket of sends per integration, for all processes together.';
COMMENT ON COLUMN send_paces.left_over IS 'Below zero: that many sends have a later turn already.';
"""


def upgrade() -> None:
    for part in (_CAUGHT, _SUPPRESSIONS, _REPORTS, _PACES):
        op.execute(part)

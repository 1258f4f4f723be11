"""The subscriber's inbox: keys that sign its tokens, rotation of its secret, and what counts and
snoozes ask for."""

from alembic import op

revision = "0010"
down_revision = "0007"

_SIGNING = """
CREATE TABLE inbox_signing_keys (
    id text COLLATE "C" PRIMARY KEY,
    environment_id text COLLATE "C" NOT NULL REFERENCES environments ON DELETE CASCADE,
    secret sealed NOT NULL,
    created_at timestamptz NOT NULL,
    ends_at timestamptz
);
COMMENT ON TABLE inbox_signing_keys IS 'Sign the tokens of subscribers.';
COMMENT ON COLUMN inbox_signing_keys.ends_at IS
    'Of a key that signs nothing any more: when its last token has run out.';
CREATE UNIQUE INDEX inbox_signing_keys_current ON inbox_signing_keys (environment_id)
    WHERE ends_at IS NULL;
"""

_INBOX_SECRETS = """
ALTER TABLE environments ADD COLUMN former_inbox_secret sealed;
ALTER TABLE environments ADD COLUMN former_inbox_secret_until timestamptz;
COMMENT ON COLUMN environments.former_inbox_secret IS
    'Still proves a subscriber for a while after a rotation.';
"""

# Who counts what is unread, or unseen, which is less, finds it here alone.
_MESSAGES = """
CREATE INDEX messages_unread ON messages (subscriber_id, severity, created_at, id)
    WHERE channel = 'in_app' AND NOT read AND NOT archived AND snoozed_until IS NULL;
CREATE INDEX messages_snoozed ON messages (snoozed_until) WHERE snoozed_until IS NOT NULL;
"""


def upgrade() -> None:
    for part in (_SIGNING, _INBOX_SECRETS, _MESSAGES):
        op.execute(part)

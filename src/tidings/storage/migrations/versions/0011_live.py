"""Live inboxes: which processes hold connections, whose they are, and telling them of changes."""

from alembic import op

revision = "0011"
down_revision = "0010"

_PROCESSES = """
CREATE TABLE inbox_processes (
    id text COLLATE "C" PRIMARY KEY,
    seen_at timestamptz NOT NULL
);
COMMENT ON TABLE inbox_processes IS
    'Processes with connected inboxes; empty when nobody is connected anywhere.';

CREATE TABLE inbox_presence (
    subscriber_id text COLLATE "C" NOT NULL REFERENCES subscribers ON DELETE CASCADE,
    process_id text COLLATE "C" NOT NULL REFERENCES inbox_processes ON DELETE CASCADE,
    PRIMARY KEY (subscriber_id, process_id)
);
COMMENT ON TABLE inbox_presence IS 'Subscribers with at least one inbox connected to a process.';
CREATE INDEX inbox_presence_process ON inbox_presence (process_id);
"""

# A process enters itself under a lock that waits for everyone who found the table empty, so what
# they wrote is committed, and thus counted, before the process says how many messages there are.
_ANNOUNCING = """
CREATE FUNCTION announce_to_inboxes(channel text, payloads text[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    LOCK TABLE inbox_processes IN ROW SHARE MODE;
    IF EXISTS (SELECT FROM inbox_processes) THEN
        PERFORM pg_notify(channel, payload) FROM unnest(payloads) AS payload;
    END IF;
END $$;
"""


def upgrade() -> None:
    for part in (_PROCESSES, _ANNOUNCING):
        op.execute(part)

"""Subscribers, their preferences, topics and imports."""

from alembic import op

revision = "0004"
down_revision = "0003"

_SUBSCRIBERS = """
CREATE TABLE subscribers (
    id text COLLATE "C" PRIMARY KEY,
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations ON DELETE CASCADE,
    environment_id text COLLATE "C" NOT NULL REFERENCES environments ON DELETE CASCADE,
    key text COLLATE "C" NOT NULL,
    first_name text COLLATE "C",
    last_name text COLLATE "C",
    email text COLLATE "C",
    phone text COLLATE "C",
    avatar text,
    locale text,
    timezone text,
    data jsonb,
    channels jsonb NOT NULL DEFAULT '[]',
    is_online boolean,
    last_online_at timestamptz,
    version integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    full_name text COLLATE "C" NOT NULL GENERATED ALWAYS AS
        (btrim(coalesce(first_name, '') || ' ' || coalesce(last_name, ''))) STORED
);
COMMENT ON COLUMN subscribers.channels IS
    '[{"providerId", "_integrationId", "integrationIdentifier"?, "credentials": {...}}]';
COMMENT ON COLUMN subscribers.version IS 'Counts the changes to the document.';
CREATE UNIQUE INDEX subscribers_key ON subscribers (environment_id, key);
CREATE INDEX subscribers_newest ON subscribers (environment_id, id);
CREATE INDEX subscribers_updated ON subscribers (environment_id, updated_at, id);
CREATE INDEX subscribers_email ON subscribers (environment_id, email, id)
    WHERE email IS NOT NULL;
CREATE INDEX subscribers_phone ON subscribers (environment_id, phone, id)
    WHERE phone IS NOT NULL;
CREATE INDEX subscribers_full_name ON subscribers (environment_id, full_name, id)
    WHERE full_name <> '';
"""

# Backends that write at the same time have different process numbers, so they rarely meet in one
# row; the sum over an environment's rows is exact in every snapshot.
_TALLIES = """
CREATE TABLE subscriber_tallies (
    environment_id text COLLATE "C" NOT NULL,
    slot smallint NOT NULL,
    count bigint NOT NULL,
    PRIMARY KEY (environment_id, slot)
) WITH (fillfactor = 50);
COMMENT ON TABLE subscriber_tallies IS
    'How many subscribers an environment has: the sum over its slots.';

CREATE FUNCTION tally_subscribers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO subscriber_tallies AS t (environment_id, slot, count)
        SELECT environment_id, mod(pg_backend_pid(), 256),
               CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END
        FROM changed GROUP BY environment_id ORDER BY environment_id
        ON CONFLICT (environment_id, slot) DO UPDATE SET count = t.count + excluded.count;
    RETURN NULL;
END $$;
CREATE TRIGGER subscribers_added AFTER INSERT ON subscribers
    REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION tally_subscribers();
CREATE TRIGGER subscribers_removed AFTER DELETE ON subscribers
    REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION tally_subscribers();
"""

_PREFERENCES = """
CREATE TABLE subscriber_preferences (
    environment_id text COLLATE "C" NOT NULL REFERENCES environments ON DELETE CASCADE,
    subscriber_id text COLLATE "C" NOT NULL REFERENCES subscribers ON DELETE CASCADE,
    workflow_id text COLLATE "C" REFERENCES workflows ON DELETE CASCADE,
    channels jsonb NOT NULL DEFAULT '{}',
    schedule jsonb,
    updated_at timestamptz NOT NULL
);
COMMENT ON TABLE subscriber_preferences IS
    'What subscribers chose; the row without a workflow holds for all of them.';
COMMENT ON COLUMN subscriber_preferences.channels IS 'Only what was chosen: {"email": false}';
CREATE UNIQUE INDEX subscriber_preferences_one ON subscriber_preferences
    (subscriber_id, workflow_id) NULLS NOT DISTINCT;
CREATE INDEX subscriber_preferences_workflow ON subscriber_preferences (workflow_id)
    WHERE workflow_id IS NOT NULL;
"""

_TOPICS = """
CREATE TABLE topics (
    id text COLLATE "C" PRIMARY KEY,
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations ON DELETE CASCADE,
    environment_id text COLLATE "C" NOT NULL REFERENCES environments ON DELETE CASCADE,
    key text COLLATE "C" NOT NULL,
    name text COLLATE "C",
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX topics_key ON topics (environment_id, key);
CREATE INDEX topics_newest ON topics (environment_id, id);
CREATE INDEX topics_updated ON topics (environment_id, updated_at, id);
CREATE INDEX topics_name ON topics (environment_id, name, id) WHERE name IS NOT NULL;

CREATE TABLE topic_subscriptions (
    id text COLLATE "C" PRIMARY KEY,
    environment_id text COLLATE "C" NOT NULL REFERENCES environments ON DELETE CASCADE,
    topic_id text COLLATE "C" NOT NULL REFERENCES topics ON DELETE CASCADE,
    subscriber_id text COLLATE "C" NOT NULL REFERENCES subscribers ON DELETE CASCADE,
    identifier text COLLATE "C" NOT NULL,
    created_at timestamptz NOT NULL
);
COMMENT ON TABLE topic_subscriptions IS 'Made and removed, never changed.';
CREATE UNIQUE INDEX topic_subscriptions_member ON topic_subscriptions (topic_id, subscriber_id);
CREATE UNIQUE INDEX topic_subscriptions_identifier ON topic_subscriptions (topic_id, identifier);
CREATE INDEX topic_subscriptions_newest ON topic_subscriptions (topic_id, id);
CREATE INDEX topic_subscriptions_subscriber ON topic_subscriptions (subscriber_id, id);
"""

_IMPORTS = """
CREATE TABLE subscriber_imports (
    environment_id text COLLATE "C" NOT NULL REFERENCES environments ON DELETE CASCADE,
    fingerprint text COLLATE "C" NOT NULL,
    records bigint NOT NULL,
    failed bigint NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (environment_id, fingerprint)
);
COMMENT ON TABLE subscriber_imports IS 'How far an unfinished import of a file has come.';
"""


def upgrade() -> None:
    for part in (_SUBSCRIBERS, _TALLIES, _PREFERENCES, _TOPICS, _IMPORTS):
        op.execute(part)

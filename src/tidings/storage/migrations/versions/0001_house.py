"""The house: organizations, environments, keys, idempotency and workers."""

from alembic import op

revision = "0001"
down_revision = None

_HOUSE = """
CREATE TABLE schema_parts (
    name text PRIMARY KEY,
    version text NOT NULL
);
COMMENT ON TABLE schema_parts IS 'Tables that a library makes and upgrades itself.';

CREATE TABLE organizations (
    id text COLLATE "C" PRIMARY KEY,
    name text NOT NULL,
    created_at timestamptz NOT NULL
);

CREATE DOMAIN sealed AS bytea;
COMMENT ON DOMAIN sealed IS 'Encrypted at rest; the row''s environment is bound into it.';

CREATE TABLE environments (
    id text COLLATE "C" PRIMARY KEY,
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations ON DELETE CASCADE,
    name text NOT NULL,
    identifier text COLLATE "C" NOT NULL UNIQUE,
    kind text,
    parent_id text COLLATE "C" REFERENCES environments ON DELETE SET NULL,
    color text,
    inbox_secret sealed NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX environments_name ON environments (organization_id, lower(name));

CREATE TABLE api_keys (
    id text COLLATE "C" PRIMARY KEY,
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations ON DELETE CASCADE,
    environment_id text COLLATE "C" NOT NULL REFERENCES environments ON DELETE CASCADE,
    name text NOT NULL,
    digest bytea NOT NULL UNIQUE,
    hint text NOT NULL,
    created_at timestamptz NOT NULL,
    last_used_at timestamptz,
    revoked_at timestamptz
);
CREATE INDEX api_keys_environment ON api_keys (environment_id, id);

CREATE TABLE encryption_keys (
    id text COLLATE "C" PRIMARY KEY,
    canary bytea NOT NULL,
    created_at timestamptz NOT NULL
);
COMMENT ON COLUMN encryption_keys.canary IS 'Opens only with the key of this id.';

CREATE TABLE idempotency_records (
    environment_id text COLLATE "C" NOT NULL REFERENCES environments ON DELETE CASCADE,
    digest bytea NOT NULL,
    fingerprint bytea NOT NULL,
    status smallint NOT NULL,
    content_type text,
    body bytea NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (environment_id, digest)
);
COMMENT ON COLUMN idempotency_records.digest IS 'Of method, path and key.';
COMMENT ON COLUMN idempotency_records.fingerprint IS 'Of query and body.';
CREATE INDEX idempotency_records_age ON idempotency_records (created_at);

CREATE UNLOGGED TABLE workers (
    id text COLLATE "C" PRIMARY KEY,
    started_at timestamptz NOT NULL,
    seen_at timestamptz NOT NULL
);
"""


def upgrade() -> None:
    op.execute(_HOUSE)

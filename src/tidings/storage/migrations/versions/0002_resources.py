"""Integrations and workflows."""

from alembic import op

revision = "0002"
down_revision = "0001"

_INTEGRATIONS = """
CREATE TABLE integrations (
    id text COLLATE "C" PRIMARY KEY,
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations ON DELETE CASCADE,
    environment_id text COLLATE "C" NOT NULL REFERENCES environments ON DELETE CASCADE,
    name text NOT NULL,
    identifier text COLLATE "C" NOT NULL,
    provider_id text NOT NULL,
    channel text NOT NULL,
    credentials sealed NOT NULL,
    configurations sealed NOT NULL,
    conditions jsonb NOT NULL DEFAULT '[]',
    active boolean NOT NULL,
    is_primary boolean NOT NULL DEFAULT false
        CHECK (NOT is_primary OR (active AND channel IN ('email', 'sms'))),
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    deleted_at timestamptz,
    deleted_by text
);
COMMENT ON COLUMN integrations.conditions IS 'Step filters in the spelling of the interface.';
CREATE UNIQUE INDEX integrations_identifier ON integrations (organization_id, identifier)
    WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX integrations_one_primary ON integrations (environment_id, channel)
    WHERE is_primary AND deleted_at IS NULL;
CREATE INDEX integrations_environment ON integrations (environment_id, id)
    WHERE deleted_at IS NULL;
"""

_WORKFLOWS = """
CREATE TABLE workflows (
    id text COLLATE "C" PRIMARY KEY,
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations ON DELETE CASCADE,
    environment_id text COLLATE "C" NOT NULL REFERENCES environments ON DELETE CASCADE,
    key text COLLATE "C" NOT NULL,
    name text NOT NULL,
    description text NOT NULL DEFAULT '',
    tags text[] NOT NULL DEFAULT '{}',
    active boolean NOT NULL,
    origin text NOT NULL,
    severity text NOT NULL DEFAULT 'none',
    validate_payload boolean NOT NULL DEFAULT false,
    payload_schema json,
    is_translation_enabled boolean NOT NULL DEFAULT false,
    preferences jsonb NOT NULL,
    steps jsonb NOT NULL,
    status text NOT NULL,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    last_published_at timestamptz,
    last_triggered_at timestamptz
);
COMMENT ON COLUMN workflows.preferences IS
    '{"user": P | null, "default": P}, P = {"all": {"enabled", "readOnly"}, "channels": {...}}';
COMMENT ON COLUMN workflows.steps IS
    'In order: [{"id", "key", "name", "type", "controls", "issues", "uses"}]';
COMMENT ON COLUMN workflows.status IS 'ACTIVE, INACTIVE or ERROR; follows from active and steps.';
CREATE UNIQUE INDEX workflows_key ON workflows (environment_id, key);
CREATE INDEX workflows_environment ON workflows (environment_id, id);
"""


def upgrade() -> None:
    op.execute(_INTEGRATIONS)
    op.execute(_WORKFLOWS)

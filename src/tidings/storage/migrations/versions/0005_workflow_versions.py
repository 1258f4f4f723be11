"""Versions of workflows, layouts, and whether an inbox ever connected."""

from alembic import op

revision = "0005"
down_revision = "0004"

_VERSIONS = """
CREATE TABLE workflow_versions (
    workflow_id text COLLATE "C" NOT NULL,
    version integer NOT NULL,
    environment_id text COLLATE "C" NOT NULL REFERENCES environments ON DELETE CASCADE,
    document json NOT NULL,
    changes text[] NOT NULL,
    saved_at timestamptz NOT NULL,
    saved_by jsonb,
    PRIMARY KEY (workflow_id, version)
);
COMMENT ON TABLE workflow_versions IS
    'Outlives the workflow: runs keep to the version they started with.';
COMMENT ON COLUMN workflow_versions.saved_by IS '{"id", "name"} of the API key.';
"""

_LAYOUTS = """
CREATE TABLE layouts (
    id text COLLATE "C" PRIMARY KEY,
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations ON DELETE CASCADE,
    environment_id text COLLATE "C" NOT NULL REFERENCES environments ON DELETE CASCADE,
    key text COLLATE "C" NOT NULL,
    name text NOT NULL,
    body text NOT NULL,
    editor text NOT NULL,
    is_default boolean NOT NULL,
    is_translation_enabled boolean NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX layouts_key ON layouts (environment_id, key);
CREATE UNIQUE INDEX layouts_one_default ON layouts (environment_id) WHERE is_default;
"""

_INBOX = """
ALTER TABLE environments ADD COLUMN inbox_connected_at timestamptz;
COMMENT ON COLUMN environments.inbox_connected_at IS 'When an inbox first opened a session.';
"""


def upgrade() -> None:
    op.execute(_VERSIONS)
    op.execute(_LAYOUTS)
    op.execute(_INBOX)

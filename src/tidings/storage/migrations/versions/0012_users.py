"""Who uses the dashboard, how they signed in, and what they changed."""

from alembic import op

revision = "0012"
down_revision = "0011"

_USERS = """
CREATE TABLE users (
    id text COLLATE "C" PRIMARY KEY,
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations ON DELETE CASCADE,
    email text COLLATE "C" NOT NULL UNIQUE,
    name text NOT NULL,
    role text NOT NULL,
    password text,
    issuer text,
    subject text,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    last_seen_at timestamptz,
    UNIQUE (issuer, subject)
);
COMMENT ON COLUMN users.email IS 'In lower case.';
COMMENT ON COLUMN users.role IS 'owner, editor or viewer';
COMMENT ON COLUMN users.password IS 'Argon2id; null for those who sign in elsewhere only.';
COMMENT ON COLUMN users.subject IS 'Who they are to the issuer they sign in at.';

CREATE TABLE sessions (
    id text COLLATE "C" PRIMARY KEY,
    user_id text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
    digest bytea NOT NULL UNIQUE,
    created_at timestamptz NOT NULL,
    seen_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    address text NOT NULL,
    agent text NOT NULL
);
COMMENT ON COLUMN sessions.digest IS 'SHA-256 of the token in the cookie, which is not kept.';
CREATE INDEX sessions_user ON sessions (user_id);

CREATE TABLE sign_in_attempts (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    subject text COLLATE "C" NOT NULL,
    at timestamptz NOT NULL
);
COMMENT ON TABLE sign_in_attempts IS 'Failed or unfinished ones, per account and per address.';
CREATE INDEX sign_in_attempts_subject ON sign_in_attempts (subject, at);

CREATE TABLE setup_tokens (
    digest bytea PRIMARY KEY,
    created_at timestamptz NOT NULL
);
COMMENT ON TABLE setup_tokens IS 'Proves that who makes the first account can read the console.';

CREATE TABLE sign_ins_elsewhere (
    digest bytea PRIMARY KEY,
    nonce text NOT NULL,
    verifier text NOT NULL,
    came_for text NOT NULL,
    created_at timestamptz NOT NULL
);
COMMENT ON TABLE sign_ins_elsewhere IS 'Begun at the OIDC issuer; known by a digest of the state.';
"""

_AUDIT = """
CREATE TABLE audit_entries (
    id text COLLATE "C" PRIMARY KEY,
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations ON DELETE CASCADE,
    environment_id text COLLATE "C",
    environment_name text,
    user_id text COLLATE "C",
    user_name text NOT NULL,
    action text NOT NULL,
    target_id text,
    target_name text,
    details jsonb NOT NULL DEFAULT '{}',
    address text NOT NULL,
    created_at timestamptz NOT NULL
);
COMMENT ON TABLE audit_entries IS
    'Who changed what. Outlives users, environments and what was changed: names are copies.';
COMMENT ON COLUMN audit_entries.action IS 'Kind and verb, such as topic.create';
CREATE INDEX audit_entries_newest ON audit_entries (organization_id, id);
CREATE INDEX audit_entries_user ON audit_entries (organization_id, user_id, id);
CREATE INDEX audit_entries_environment ON audit_entries (organization_id, environment_id, id);
CREATE INDEX audit_entries_action ON audit_entries (organization_id, action, id);
"""


def upgrade() -> None:
    op.execute(_USERS)
    op.execute(_AUDIT)

"""What the engine works on and leaves behind: events, notifications, jobs, messages, windows."""

from alembic import op

revision = "0006"
down_revision = "0005"

_EVENTS = """
CREATE TABLE events (
    id text COLLATE "C" PRIMARY KEY,
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations ON DELETE CASCADE,
    environment_id text COLLATE "C" NOT NULL REFERENCES environments ON DELETE CASCADE,
    transaction_id text COLLATE "C" NOT NULL,
    workflow_id text COLLATE "C" NOT NULL,
    workflow_version integer NOT NULL,
    recipients jsonb NOT NULL,
    payload jsonb NOT NULL,
    overrides jsonb NOT NULL,
    actor jsonb,
    tenant jsonb,
    context jsonb NOT NULL DEFAULT '{}',
    status text NOT NULL,
    cursor text COLLATE "C",
    created_at timestamptz NOT NULL,
    canceled_at timestamptz
);
COMMENT ON TABLE events IS 'One trigger each; its payload stands here once.';
COMMENT ON COLUMN events.recipients IS
    '{"subscribers": [...], "topics": [{"key", "exclude"}], "everyone": bool}';
COMMENT ON COLUMN events.status IS 'accepted, then done; failed after a fault of ours';
COMMENT ON COLUMN events.cursor IS 'The last subscriber up to whom a large event was split.';
COMMENT ON COLUMN events.canceled_at IS 'The tombstone: nothing starts after it.';
CREATE UNIQUE INDEX events_transaction ON events (environment_id, transaction_id);
CREATE INDEX events_open ON events (id) WHERE status = 'accepted';

CREATE TABLE event_parts (
    id text COLLATE "C" PRIMARY KEY,
    event_id text COLLATE "C" NOT NULL REFERENCES events ON DELETE CASCADE,
    lower text COLLATE "C" NOT NULL,
    upper text COLLATE "C" NOT NULL
);
COMMENT ON TABLE event_parts IS 'A range (lower, upper] of a large event, until it is done.';
CREATE INDEX event_parts_event ON event_parts (event_id);
"""

_NOTIFICATIONS = """
CREATE TABLE notifications (
    id text COLLATE "C" PRIMARY KEY,
    organization_id text COLLATE "C" NOT NULL,
    environment_id text COLLATE "C" NOT NULL REFERENCES environments ON DELETE CASCADE,
    event_id text COLLATE "C" NOT NULL,
    transaction_id text COLLATE "C" NOT NULL,
    workflow_id text COLLATE "C" NOT NULL,
    workflow_version integer NOT NULL,
    subscriber_id text COLLATE "C" NOT NULL,
    recipient jsonb NOT NULL,
    channels text[] NOT NULL,
    tags text[] NOT NULL,
    topics jsonb NOT NULL DEFAULT '[]',
    severity text NOT NULL,
    critical boolean NOT NULL,
    context_keys text[] NOT NULL DEFAULT '{}',
    digested_into text COLLATE "C",
    unfinished boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
);
COMMENT ON TABLE notifications IS 'One event for one subscriber.';
COMMENT ON COLUMN notifications.recipient IS 'The subscriber as the trigger named it.';
CREATE UNIQUE INDEX notifications_once ON notifications (event_id, subscriber_id);
CREATE INDEX notifications_newest ON notifications (environment_id, id);
CREATE INDEX notifications_subscriber ON notifications (subscriber_id, id);
CREATE INDEX notifications_workflow ON notifications (workflow_id, id);
CREATE INDEX notifications_transaction ON notifications (environment_id, transaction_id, id);
CREATE INDEX notifications_severity ON notifications (environment_id, severity, id)
    WHERE severity <> 'none';
CREATE INDEX notifications_in_app ON notifications (environment_id, id)
    WHERE 'in_app' = ANY (channels);
CREATE INDEX notifications_email ON notifications (environment_id, id)
    WHERE 'email' = ANY (channels);
CREATE INDEX notifications_sms ON notifications (environment_id, id)
    WHERE 'sms' = ANY (channels);
CREATE INDEX notifications_chat ON notifications (environment_id, id)
    WHERE 'chat' = ANY (channels);
CREATE INDEX notifications_push ON notifications (environment_id, id)
    WHERE 'push' = ANY (channels);
CREATE INDEX notifications_topics ON notifications USING gin (topics jsonb_path_ops)
    WHERE topics <> '[]';

CREATE TABLE jobs (
    id text COLLATE "C" PRIMARY KEY,
    environment_id text COLLATE "C" NOT NULL,
    notification_id text COLLATE "C" NOT NULL REFERENCES notifications ON DELETE CASCADE,
    position smallint NOT NULL,
    step_id text COLLATE "C" NOT NULL,
    type text NOT NULL,
    status text NOT NULL,
    provider_id text,
    due_at timestamptz,
    worker_id text COLLATE "C",
    attempts smallint NOT NULL DEFAULT 0,
    reached_at timestamptz,
    digest jsonb,
    output jsonb,
    state jsonb,
    merged_into text COLLATE "C",
    details jsonb NOT NULL,
    updated_at timestamptz NOT NULL
);
COMMENT ON TABLE jobs IS 'One step of one notification.';
COMMENT ON COLUMN jobs.due_at IS 'The timer of a delayed job: a delay, a digest or a retry.';
COMMENT ON COLUMN jobs.worker_id IS 'Who runs it; when that worker is gone, others take it back.';
COMMENT ON COLUMN jobs.details IS 'The proof, oldest first: [{"id", "at", "status", ...}]';
COMMENT ON COLUMN jobs.state IS 'What a later attempt must know: {"tried", "sent", "extended"}';
COMMENT ON COLUMN jobs.merged_into IS 'The job of the digest that took this event along.';
CREATE UNIQUE INDEX jobs_notification ON jobs (notification_id, position);
CREATE INDEX jobs_due ON jobs (due_at) WHERE status = 'delayed';
CREATE INDEX jobs_running ON jobs (worker_id) WHERE status = 'running';
CREATE INDEX jobs_merged ON jobs (merged_into) WHERE merged_into IS NOT NULL;
"""

_WINDOWS = """
CREATE TABLE digests (
    job_id text COLLATE "C" PRIMARY KEY,
    environment_id text COLLATE "C" NOT NULL REFERENCES environments ON DELETE CASCADE,
    workflow_id text COLLATE "C" NOT NULL,
    step_id text COLLATE "C" NOT NULL,
    subscriber_id text COLLATE "C" NOT NULL,
    value text NOT NULL,
    opened_at timestamptz NOT NULL,
    due_at timestamptz NOT NULL,
    event_count integer NOT NULL DEFAULT 1,
    open boolean NOT NULL DEFAULT true
);
COMMENT ON TABLE digests IS 'Windows that gather events; the job that opened one carries it.';
CREATE UNIQUE INDEX digests_open ON digests
    (subscriber_id, workflow_id, step_id, md5(value)) WHERE open;
CREATE INDEX digests_recent ON digests (subscriber_id, workflow_id, step_id, md5(value), opened_at);

CREATE TABLE digest_passes (
    subscriber_id text COLLATE "C" NOT NULL,
    workflow_id text COLLATE "C" NOT NULL,
    step_id text COLLATE "C" NOT NULL,
    value_md5 text NOT NULL,
    environment_id text COLLATE "C" NOT NULL REFERENCES environments ON DELETE CASCADE,
    passed_at timestamptz NOT NULL,
    PRIMARY KEY (subscriber_id, workflow_id, step_id, value_md5)
);
COMMENT ON TABLE digest_passes IS 'When an event last went through a look-back digest.';

CREATE TABLE throttles (
    subscriber_id text COLLATE "C" NOT NULL,
    workflow_id text COLLATE "C" NOT NULL,
    step_id text COLLATE "C" NOT NULL,
    value_md5 text NOT NULL,
    environment_id text COLLATE "C" NOT NULL REFERENCES environments ON DELETE CASCADE,
    started_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL,
    count integer NOT NULL,
    PRIMARY KEY (subscriber_id, workflow_id, step_id, value_md5)
);
COMMENT ON TABLE throttles IS 'How many runs passed a throttle step in its present window.';
"""

_MESSAGES = """
CREATE TABLE messages (
    id text COLLATE "C" PRIMARY KEY,
    organization_id text COLLATE "C" NOT NULL,
    environment_id text COLLATE "C" NOT NULL REFERENCES environments ON DELETE CASCADE,
    notification_id text COLLATE "C" NOT NULL,
    job_id text COLLATE "C" NOT NULL,
    event_id text COLLATE "C" NOT NULL,
    transaction_id text COLLATE "C" NOT NULL,
    workflow_id text COLLATE "C" NOT NULL,
    step_id text COLLATE "C" NOT NULL,
    subscriber_id text COLLATE "C" NOT NULL,
    channel text NOT NULL,
    target text NOT NULL DEFAULT '',
    provider_id text,
    integration_id text COLLATE "C",
    provider_message_id text,
    status text NOT NULL,
    error_id text,
    error_text text,
    content jsonb NOT NULL,
    subject text,
    address jsonb NOT NULL DEFAULT '{}',
    cta jsonb NOT NULL DEFAULT '{}',
    data jsonb,
    avatar text,
    tags text[] NOT NULL DEFAULT '{}',
    severity text NOT NULL DEFAULT 'none',
    context_keys text[] NOT NULL DEFAULT '{}',
    seen boolean NOT NULL DEFAULT false,
    read boolean NOT NULL DEFAULT false,
    archived boolean NOT NULL DEFAULT false,
    first_seen_at timestamptz,
    last_seen_at timestamptz,
    last_read_at timestamptz,
    archived_at timestamptz,
    snoozed_until timestamptz,
    delivered_at timestamptz[] NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
);
COMMENT ON COLUMN messages.target IS 'Tells the messages of one job apart: a token, a webhook.';
COMMENT ON COLUMN messages.content IS 'Text, or the rendered parts: {"html", "text"}';
COMMENT ON COLUMN messages.address IS '{"email"|"phone"|"webhookUrl"|"deviceTokens": ...}';
CREATE UNIQUE INDEX messages_once ON messages (job_id, md5(target));
CREATE INDEX messages_newest ON messages (environment_id, id);
CREATE INDEX messages_channel ON messages (environment_id, channel, id);
CREATE INDEX messages_subscriber ON messages (subscriber_id, id);
CREATE INDEX messages_inbox ON messages (subscriber_id, created_at, id) WHERE channel = 'in_app';
CREATE INDEX messages_transaction ON messages (environment_id, transaction_id, id);
CREATE INDEX messages_provider ON messages (integration_id, provider_message_id)
    WHERE provider_message_id IS NOT NULL;
CREATE INDEX messages_notification ON messages (notification_id);
"""


def upgrade() -> None:
    for part in (_EVENTS, _NOTIFICATIONS, _WINDOWS, _MESSAGES):
        op.execute(part)

"""Alembic's entry: writes the SQL of the pending migrations; `storage.migrate` runs it."""

from alembic import context

context.configure(dialect_name="postgresql", transactional_ddl=False)
context.run_migrations()

"""The door for the shell: one file per command."""

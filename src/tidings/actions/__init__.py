"""Verbs: one function per operation that changes something, inside the caller's transaction."""

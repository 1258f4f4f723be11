"""Nouns and rules. Pure: no input or output, no clock, no wire names."""

"""Tidings: applications say what happened to whom; it decides who hears of it, how and when."""

__version__ = "0.1.0"

"""Figures that anyone can run: `make bench`. Loopback only; every program stops by itself."""

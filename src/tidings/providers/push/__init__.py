"""Vendors of the channel push, one file each; the registry finds them."""

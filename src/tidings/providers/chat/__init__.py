"""Vendors of the channel chat, one file each; the registry finds them."""

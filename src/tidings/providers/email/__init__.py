"""Vendors of the channel email, one file each; the registry finds them."""

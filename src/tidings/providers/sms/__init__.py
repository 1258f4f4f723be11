"""Vendors of the channel sms, one file each; the registry finds them."""

"""One file per vendor: our message becomes their request, their answer our result. Pure, but for
`transport.py` and `smtp.py`, the only files that touch the network."""

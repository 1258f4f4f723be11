"""Time: what happens after a request was answered."""

"""The operator's door: the dashboard, as pages drawn on the server."""

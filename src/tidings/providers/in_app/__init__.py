"""The in-app channel: nothing leaves the service."""

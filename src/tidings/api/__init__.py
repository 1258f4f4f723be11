"""The door for servers: HTTP, JSON and wire names. Handlers read, call one thing and answer."""

"""The offline edition: the built site as a folder that works without a server."""

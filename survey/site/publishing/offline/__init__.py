"""The built site as a folder that opens from a file manager."""

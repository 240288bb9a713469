"""The form that writes a new entry."""

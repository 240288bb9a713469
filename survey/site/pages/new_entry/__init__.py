"""The form for a new entry."""

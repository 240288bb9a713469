"""The table of all entries, with filters; the list of excluded records."""

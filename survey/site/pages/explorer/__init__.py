"""The filterable table of all entries, and the list of excluded records."""

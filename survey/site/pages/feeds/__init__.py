"""The Atom feeds of entries: of all additions, of each value, and of each gap."""

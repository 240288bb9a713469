"""The scale gap: how large teams and runs are, by the kind of evidence."""

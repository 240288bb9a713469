"""A release: one edition of the data as files to attach to a tag and to archive."""

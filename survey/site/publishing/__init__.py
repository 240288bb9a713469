"""From pages to a published site: the MkDocs plugin, staging, policy, folders, bill of materials."""

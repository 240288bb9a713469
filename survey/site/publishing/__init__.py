"""Publishing: the MkDocs plugin, staging, the Content-Security-Policy, output folders, the bill of materials."""

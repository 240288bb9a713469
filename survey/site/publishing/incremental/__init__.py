"""Which pages and files of a site an earlier build has made, so that MkDocs need not make them again."""

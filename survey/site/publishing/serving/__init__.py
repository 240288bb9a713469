"""What a server does beside MkDocs: it computes in the background, and serves the former pages meanwhile."""

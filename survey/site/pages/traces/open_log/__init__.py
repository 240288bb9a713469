"""The page that opens a log in the reader's browser: Python, the trace toolkit, and what the two are packed into."""

"""Platforms of observability: spans, in the form of each platform."""

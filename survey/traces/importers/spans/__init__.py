"""Spans of any writer become a trace: their meaning, their tree, the team in it, its turns and its events."""

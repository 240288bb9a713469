"""Gaps: the overview, a map for each pair of axes, a card and a feed for each gap."""

"""Gaps: the overview, a map for each pair of axes, a card for each gap."""

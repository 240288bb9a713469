"""Rollouts and trajectories: what training and its environments record."""

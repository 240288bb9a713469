"""Statistics, cross-tabulations and the screening flow."""

"""The theme: styles, scripts, and templates that every page uses."""

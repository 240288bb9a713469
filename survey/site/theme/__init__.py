"""What every page loads: styles, scripts, and the templates that complete the theme."""

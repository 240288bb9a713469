"""The packages that the survey is built from, with their licences."""

"""The packages that the survey depends on, with their licences."""

"""Fault injection: killed runs, full disks and read-only disks."""

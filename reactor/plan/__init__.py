"""Planners: pure functions from what is known and wanted to what to do next, and why."""

"""Reactor: an event-driven reactor for GitHub-style webhooks."""

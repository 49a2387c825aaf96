"""GitHub: its dialect of webhooks, its typed events, and the effects it knows."""

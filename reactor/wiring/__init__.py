"""Wiring: the only place that sees both the settings and the adapters.

Read `worker` first: it is the path of a delivery, put together from its parts.
"""

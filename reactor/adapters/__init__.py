"""Adapters: each fits ports over one client library.  Plain arguments in, never settings."""

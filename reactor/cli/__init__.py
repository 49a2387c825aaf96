"""The command line: one module per group of commands; the only reader of the environment."""

from reactor.cli.app import main

__all__ = ["main"]

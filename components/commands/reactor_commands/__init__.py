"""The commands component of Reactor."""

from reactor_commands.component import CommandsComponent

COMPONENTS = (CommandsComponent,)
"""What the entry point names: read by a platform, registered nowhere by being imported."""

__all__ = ["COMPONENTS", "CommandsComponent"]

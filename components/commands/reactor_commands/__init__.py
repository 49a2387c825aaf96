"""The commands component of Reactor."""

from reactor_commands.approve import ApprovalCommands
from reactor_commands.component import CommandsComponent
from reactor_commands.retriage import RetriageCommands
from reactor_commands.why import WhyCommands

COMPONENTS = (CommandsComponent, ApprovalCommands, RetriageCommands, WhyCommands)
"""What the entry point names: read by a platform, registered nowhere by being imported."""

__all__ = [
    "COMPONENTS",
    "ApprovalCommands",
    "CommandsComponent",
    "RetriageCommands",
    "WhyCommands",
]

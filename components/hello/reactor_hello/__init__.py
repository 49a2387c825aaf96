"""The smallest component of Reactor: it puts one label on every new issue."""

from reactor_hello.component import HelloComponent

COMPONENTS = (HelloComponent,)
"""What the entry point names: read by a platform, registered nowhere by being imported."""

__all__ = ["COMPONENTS", "HelloComponent"]

"""The community component of Reactor."""

from reactor_community.component import CommunityComponent, Newcomer
from reactor_community.settings import CommunitySettings

COMPONENTS = (CommunityComponent,)
"""What the entry point names: read by a platform, registered nowhere by being imported."""

__all__ = ["COMPONENTS", "CommunityComponent", "CommunitySettings", "Newcomer"]

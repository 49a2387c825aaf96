"""The triage component of Reactor."""

from reactor_triage.component import TriageComponent
from reactor_triage.settings import TriageSettings

COMPONENTS = (TriageComponent,)
"""What the entry point names: read by a platform, registered nowhere by being imported."""

__all__ = ["COMPONENTS", "TriageComponent", "TriageSettings"]

"""The duplicates component of Reactor."""

from reactor_duplicates.component import DuplicatesComponent, PossibleDuplicates, SimilarIssues
from reactor_duplicates.settings import DuplicatesSettings

COMPONENTS = (DuplicatesComponent,)
"""What the entry point names: read by a platform, registered nowhere by being imported."""

__all__ = [
    "COMPONENTS",
    "DuplicatesComponent",
    "DuplicatesSettings",
    "PossibleDuplicates",
    "SimilarIssues",
]

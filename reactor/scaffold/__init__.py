"""New component packages: a folder that is complete, whose tests pass, to begin from."""

from reactor.scaffold.folder import Created, FolderTaken, create, place_of
from reactor.scaffold.names import BadName, ComponentName, NameTaken, named

__all__ = [
    "BadName",
    "ComponentName",
    "Created",
    "FolderTaken",
    "NameTaken",
    "create",
    "named",
    "place_of",
]

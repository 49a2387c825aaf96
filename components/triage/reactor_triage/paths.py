"""Labels by the files that a pull request changes.

    pull request opened, or pushed to -> label_by_path

Patterns are those of `.gitignore` and CODEOWNERS: `docs/` (a folder anywhere), `/setup.py` (at the
root), `*.md`, `src/**/test_*.py`; `!` takes back what an earlier one of the same label took.
"""

import asyncio
from collections.abc import Iterable, Mapping

from pathspec import GitIgnoreSpec

from reactor import action
from reactor.community import ChangedFiles, RepositoryRef
from reactor.github import AddLabels, PullRequest, PullRequestEvent, Repository
from reactor_triage.settings import TriageSettings

HAS_RULES = "size(settings.paths) > 0"
CHANGES_FILES = 'event.action in ["opened", "reopened", "synchronize", "ready_for_review"]'


class ByPath:
    """The part of the component that looks at files."""

    _settings: TriageSettings

    @action(pre=[HAS_RULES, CHANGES_FILES], cost=0.1, value=0.55)
    async def label_by_path(
        self,
        event: PullRequestEvent,
        pull_request: PullRequest,
        repository: Repository,
        files: ChangedFiles,
    ) -> AddLabels | None:
        """Put on the labels of the paths that it changes."""
        place = RepositoryRef(host=event.host, id=repository.id, name=repository.full_name)
        changed = await files.of(place, pull_request.number)
        # thousands of files times many patterns: not on the loop
        found = await asyncio.to_thread(labels_for, changed, self._settings.paths)
        lacking = tuple(name for name in found if name.lower() not in pull_request.label_names)
        return AddLabels(labels=lacking) if lacking else None


def labels_for(changed: Iterable[str], paths: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The labels of which any pattern takes any of the files."""
    files = tuple(changed)
    specs = {name: GitIgnoreSpec.from_lines(patterns) for name, patterns in paths.items()}
    return tuple(name for name, spec in specs.items() if any(spec.match_files(files)))

"""What became of places, and what may go on there, in memory; fits `Absences`, `OpenProcesses`."""

from collections.abc import Collection

from reactor.lifecycle import Absence, Word, in_order, is_part_of, repository_of


class MemoryAbsences:
    """By place and word."""

    def __init__(self) -> None:
        self._begun: dict[tuple[str, Word], Absence] = {}

    async def begin(self, place: str, absence: Absence) -> None:
        """The newest of a word counts."""
        self._begun[place, absence.word] = absence

    async def end(self, place: str, words: Collection[Word]) -> None:
        """Forget them."""
        for word in words:
            self._begun.pop((place, word), None)

    async def of(self, subject: str) -> list[Absence]:
        """Of the subject and its repository."""
        places = {subject, repository_of(subject)}
        return in_order([absence for (at, _), absence in self._begun.items() if at in places])


class MemoryOpenProcesses:
    """Ids of processes, and their subjects."""

    def __init__(self) -> None:
        self._subjects: dict[str, str] = {}

    async def add(self, process_id: str, *, subject: str) -> None:
        """It may go on."""
        self._subjects[process_id] = subject

    async def remove(self, process_id: str, *, subject: str) -> None:
        """It has ended."""
        self._subjects.pop(process_id, None)

    async def at(self, place: str) -> list[str]:
        """Those of the place, the oldest first."""
        return [each for each, subject in self._subjects.items() if is_part_of(subject, place)]

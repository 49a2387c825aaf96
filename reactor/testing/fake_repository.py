"""A repository in memory: people do things in it, and effects change it.

    repository = FakeRepository("octo/hello")
    process = await bench.run(repository.open_issue("It crashes", by="ann"))
    repository.apply(process)

    assert repository[1].labels == ["bug"]
    process = await bench.run(repository.comment(1, "2.3.1", by="ann"))  # with that label on

Each thing that a person does gives the event that GitHub would send, in which all stands as it is by
then; what `apply` does is our own app's, of which a worker makes no processes.  Nothing is checked
that needs GitHub's mind: who may be assigned, which labels are too many.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from typing import Any

from reactor.adapters.clock import ManualClock
from reactor.effect import Effect
from reactor.errors import ReactorError
from reactor.github.event import Event
from reactor.process import Process
from reactor.testing import making
from reactor.testing.conversation import FakeComment, FakeConversation
from reactor.testing.events import Payload, account, comment, event, label, repository

_BETWEEN = timedelta(minutes=1)  # two things that happen


class NoSuchConversation(ReactorError, KeyError):
    """There is no issue or pull request of that number."""

    def __init__(self, number: int, known: Sequence[int]) -> None:
        super().__init__(number, known)
        self.number, self.known = number, known

    def __str__(self) -> str:
        there = ", ".join(f"#{number}" for number in self.known) or "none"
        return f"the fake repository has no #{self.number}; there are: {there}"


class FakeRepository:
    """Issues and pull requests by number, and what was sent to the repository as a whole."""

    def __init__(
        self, full_name: str = "octo/hello", *, bot: str = "reactor[bot]", **fields: Any
    ) -> None:
        self.full_name, self.bot = full_name, bot
        self.stars = int(fields.pop("stargazers_count", 0))
        self.dispatches: list[Effect] = []  # `Dispatch` and `DispatchWorkflow`, in order
        self.checks: list[Effect] = []  # `CreateCheck` and `UpdateCheck`, in order
        self.others: list[Effect] = []  # of kinds that GitHub does not know, in order
        self._fields: Payload = fields
        self._clock = ManualClock()
        self._conversations: dict[int, FakeConversation] = {}
        self._ids = iter(range(1, 1 << 40))
        self._happened = 0

    def __getitem__(self, number: int) -> FakeConversation:
        """Raises `NoSuchConversation`."""
        try:
            return self._conversations[number]
        except KeyError:
            raise NoSuchConversation(number, tuple(self._conversations)) from None

    def __iter__(self) -> Iterator[FakeConversation]:
        """By number."""
        return iter([self._conversations[number] for number in sorted(self._conversations)])

    # What people do ------------------------------------------------------------------------

    def open_issue(
        self, title: str, body: str = "", *, by: str = "octocat", **fields: Any
    ) -> Event:
        """`fields`: further ones of its payload, as `author_association`."""
        return self._happen("issues.opened", self._new(title, body, by, fields), by=by)

    def open_pull_request(
        self, title: str, body: str = "", *, by: str = "octocat", **fields: Any
    ) -> Event:
        """The same; `changed_files` is among the fields."""
        made = self._new(title, body, by, fields)
        made.is_pull_request = True
        return self._happen("pull_request.opened", made, by=by)

    def comment(self, number: int, body: str, *, by: str = "octocat") -> Event:
        """Below an issue or a pull request."""
        found = self[number]
        said = self._say(found, body, by)
        told = comment(body, id=said.id, user=account(by))
        return self._happen("issue_comment.created", found, by=by, comment=told)

    def edit(
        self, number: int, *, title: str | None = None, body: str | None = None, by: str = ""
    ) -> Event:
        """By its author, unless told."""
        found = self[number]
        before = {"title": found.title, "body": found.body}
        new = {name: said for name, said in (("title", title), ("body", body)) if said is not None}
        found.title, found.body = (before | new)["title"], (before | new)["body"]
        changes = {name: {"from": before[name]} for name in new}
        return self._happen("edited", found, by=by or found.by, changes=changes)

    def label(self, number: int, name: str, *, by: str = "maintainer") -> Event:
        """Put a label on."""
        making.add(self[number].labels, [name])
        return self._happen("labeled", self[number], by=by, label=label(name))

    def unlabel(self, number: int, name: str, *, by: str = "maintainer") -> Event:
        """Take one off."""
        making.take(self[number].labels, [name])
        return self._happen("unlabeled", self[number], by=by, label=label(name))

    def close(self, number: int, *, by: str = "maintainer", merged: bool = False) -> Event:
        """Of a pull request also by merging it."""
        found = self[number]
        found.state = "closed"
        if found.is_pull_request:
            found.fields |= {"merged": merged}
        else:
            found.state_reason = "completed"
        return self._happen("closed", found, by=by)

    def reopen(self, number: int, *, by: str = "maintainer") -> Event:
        """What was closed."""
        found = self[number]
        found.state = "open"
        if not found.is_pull_request:
            found.state_reason = "reopened"
        return self._happen("reopened", found, by=by)

    def star(self, *, by: str = "octocat") -> Event:
        """One more."""
        self.stars += 1
        return self._event("star.created", by, {})

    # What effects do -----------------------------------------------------------------------

    def apply(self, process: Process) -> list[Effect]:
        """Make the changes that a process has asked for, on what it is about; returns them.

        Raises `NoSuchConversation`, and `EffectRefused` for what GitHub would refuse.
        """
        made = [record.effect for record in process.effects]
        number = making.number_of(process.head.subject)
        for effect in made:
            self.make(effect, number)
        return made

    def make(self, effect: Effect, number: int | None = None) -> None:
        """One change, of the issue or pull request of that number."""
        self._clock.move(_BETWEEN)
        making.make(effect, self, None if number is None else self[number])

    def bot_says(self, where: FakeConversation, body: str) -> FakeComment:
        """A comment of our own; for effects."""
        return self._say(where, body, self.bot)

    def bot_opens(
        self, title: str, body: str, labels: Iterable[str], people: Iterable[str]
    ) -> None:
        """An issue of our own; for effects."""
        made = self._new(title, body, self.bot, {})
        making.add(made.labels, labels)
        making.add(made.assignees, people)

    def next_id(self) -> int:
        """Of a comment."""
        return next(self._ids)

    # How it is told ------------------------------------------------------------------------

    def _new(self, title: str, body: str, by: str, fields: Payload) -> FakeConversation:
        number = max(self._conversations, default=0) + 1
        now = self._clock.now()
        made = FakeConversation(
            number=number,
            title=title,
            body=body,
            by=by,
            created_at=now,
            updated_at=now,
            fields=fields,
        )
        self._conversations[number] = made
        return made

    def _say(self, where: FakeConversation, body: str, by: str) -> FakeComment:
        said = FakeComment(id=self.next_id(), by=by, body=body)
        where.comments.append(said)
        return said

    def _happen(self, kind: str, about: FakeConversation, *, by: str, **payload: Any) -> Event:
        """`kind` without an event is one of what it is about."""
        about.updated_at = self._clock.now()
        name = "pull_request" if about.is_pull_request else "issue"
        if "." not in kind:
            kind = f"{'pull_request' if about.is_pull_request else 'issues'}.{kind}"
        told = about.payload()
        if kind.startswith("issue_comment.") and about.is_pull_request:
            name, told = "issue", told | {"pull_request": {"url": "https://api.github.com"}}
        return self._event(kind, by, {name: told, **payload})

    def _event(self, kind: str, by: str, payload: Payload) -> Event:
        self._happened += 1
        self._clock.move(_BETWEEN)
        place = repository(self.full_name, stargazers_count=self.stars, **self._fields)
        told: dict[str, Any] = {"repository": place, "sender": account(by), **payload}
        return event(kind, id=f"fake-{self._happened}", **told)

"""Real PyGithub over the fake, which neither waits nor repeats on its own."""

from collections.abc import Callable, Iterator

import pytest
from github import Auth, Github
from github.Repository import Repository

from tests.fixtures.github.fake import MAINTAINER, REPOSITORY, FakeGitHub

Connect = Callable[[str], Github]


@pytest.fixture
def connect(fake_github: FakeGitHub) -> Iterator[Connect]:
    """As whom a token belongs to."""
    made = []

    def as_(token: str) -> Github:
        made.append(
            Github(
                auth=Auth.Token(token),
                base_url=fake_github.url,
                retry=None,
                seconds_between_requests=None,
                seconds_between_writes=None,
                timeout=5,
            )
        )
        return made[-1]

    yield as_
    for each in made:
        each.close()


@pytest.fixture
def hello(connect: Connect) -> Repository:
    """octo/hello, for a maintainer."""
    return connect(MAINTAINER).get_repo(REPOSITORY)

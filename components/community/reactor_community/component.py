"""Community: newcomers are welcomed and thanked, stars are noticed, and so are large changes."""

from pydantic import BaseModel, ConfigDict

from reactor import ActionContext, action, component
from reactor.community import (
    CommunityStore,
    Entity,
    FirstResponse,
    person_entity,
    subject_entity,
)
from reactor.github import (
    Account,
    AddLabels,
    Conversation,
    ConversationEvent,
    Dispatch,
    IssueOpened,
    IssueTransferred,
    PostComment,
    PullRequest,
    PullRequestClosed,
    PullRequestEvent,
    Repository,
    RequestReview,
    StarCreated,
)
from reactor_community.milestones import milestone_at
from reactor_community.settings import CommunitySettings

JUST_OPENED = 'event.action == "opened"'
IS_LARGE = (
    "pull_request.changed_files != null && pull_request.changed_files > settings.large_above_files"
)
IS_ABOUT_CODE = 'event.action in ["opened", "reopened", "synchronize", "ready_for_review"]'
IS_MERGED = "pull_request.merged == true"
COUNTS_STARS = "repository.stargazers_count != null && size(settings.star_milestones) > 0"
NEWCOMERS = frozenset({"NONE", "FIRST_TIMER", "FIRST_TIME_CONTRIBUTOR"})  # GitHub's words

WELCOME = "welcome"  # the purpose for which people are claimed
ARRIVAL = "arrival"  # and what is opened, or comes from another repository
FIRST_MERGE = "first merge"  # people again
MILESTONE = "star milestone"  # round numbers


class Newcomer(BaseModel):
    """Somebody contributes here for the first time, as far as we have seen."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    login: str


@component(
    name="community",
    settings=CommunitySettings,
    effects=(AddLabels, Dispatch, PostComment, RequestReview),
    events=("issues.opened", "issues.transferred", "pull_request", "star.created"),
)
class CommunityComponent:
    """Looks after people: welcomes, thanks, and sees to large pull requests."""

    def __init__(self, settings: CommunitySettings, store: CommunityStore) -> None:
        self._settings, self._store = settings, store

    @action(pre=[JUST_OPENED], cost=0.05, value=0.7)
    async def meet_newcomer(
        self, event: ConversationEvent, subject: Conversation, context: ActionContext
    ) -> Newcomer | None:
        """Claim the author of something new, if nobody has met them here before."""
        author = subject.user
        if author is None or author.is_bot or event.repository is None:
            return None
        if subject.author_association not in NEWCOMERS or _is_moved(event):
            return None
        arrival = subject_entity(subject, key=event.subject_key)
        if not await self._store.claim_new(
            [arrival], purpose=ARRIVAL, process_id=context.process_id
        ):
            return None
        person = person_entity(author, host=event.host, repository_id=event.repository.id)
        new = await self._store.claim_new([person], purpose=WELCOME, process_id=context.process_id)
        return Newcomer(login=author.login) if new else None

    @action(value=0.7)
    async def note_transfer(self, event: IssueTransferred, context: ActionContext) -> None:
        """Claim the issue that a transfer makes elsewhere: its author is no newcomer by that.

        GitHub does not always say of what was opened that it came from another repository.
        """
        changes = event.changes
        if changes is None or changes.new_issue is None or changes.new_repository is None:
            return
        key = f"{event.host}/{changes.new_repository.id}#{changes.new_issue.number}"
        arrival = subject_entity(changes.new_issue, key=key)
        await self._store.claim_new([arrival], purpose=ARRIVAL, process_id=context.process_id)

    @action(cost=0.1, value=0.4)
    async def welcome_newcomer(self, newcomer: Newcomer) -> tuple[PostComment, FirstResponse]:
        """Greet a first-time contributor, once ever."""
        return (
            PostComment(body=self._settings.welcome, cause="ever"),
            FirstResponse(by="community"),
        )

    @action(cost=0.05, value=0.3)
    async def thank_for_star(self, event: StarCreated, sender: Account) -> Dispatch:
        """Let the repository thank for a star, once ever for each person."""
        return Dispatch(
            event_type=self._settings.star_event,
            payload=(("login", sender.login),),
            cause="ever",
        )

    @action(pre=[COUNTS_STARS], cost=0.05, value=0.25)
    async def tell_star_milestone(
        self, event: StarCreated, repository: Repository, context: ActionContext
    ) -> Dispatch | None:
        """Tell the repository of a round number of stars, once ever, also if it is lost again."""
        reached = milestone_at(repository.stargazers_count or 0, self._settings.star_milestones)
        if reached is None:
            return None
        stars = Entity(
            kind="milestone",
            key=f"{event.host}/{repository.id}/stars/{reached}",
            name=f"{reached} stars of {repository.full_name}",
        )
        if not await self._store.claim_new(
            [stars], purpose=MILESTONE, process_id=context.process_id
        ):
            return None
        payload = (("stars", str(reached)),)
        return Dispatch(event_type=self._settings.milestone_event, payload=payload, cause="ever")

    @action(pre=[IS_MERGED, "settings.first_merge != null"], cost=0.1, value=0.4)
    async def thank_for_first_merge(
        self, event: PullRequestClosed, pull_request: PullRequest, context: ActionContext
    ) -> PostComment | None:
        """Thank somebody whose first pull request was merged, once ever."""
        author, words = pull_request.user, self._settings.first_merge
        if author is None or author.is_bot or event.repository is None or words is None:
            return None
        if pull_request.author_association not in {*NEWCOMERS, "CONTRIBUTOR"}:
            return None
        person = person_entity(author, host=event.host, repository_id=event.repository.id)

        async def is_new(purpose: str) -> bool:
            claimed = await self._store.claim_new(
                [person], purpose=purpose, process_id=context.process_id
            )
            return bool(claimed)

        # GitHub may call them a contributor from the merge on: then they are one of those whom
        # somebody has met here as a newcomer, or they have contributed long before that.
        is_unmet, is_first = await is_new(WELCOME), await is_new(FIRST_MERGE)
        is_old_hand = is_unmet and pull_request.author_association == "CONTRIBUTOR"
        return PostComment(body=words, cause="ever") if is_first and not is_old_hand else None

    @action(pre=[IS_ABOUT_CODE, IS_LARGE], cost=0.1, value=0.5)
    async def big_pull_request(
        self, event: PullRequestEvent, pull_request: PullRequest
    ) -> list[AddLabels | RequestReview]:
        """Label a large pull request, and ask for review by those who see to such."""
        label = self._settings.large_label
        if label.lower() in pull_request.label_names:
            return []
        effects: list[AddLabels | RequestReview] = [AddLabels(labels=(label,))]
        asked = tuple(
            login for login in self._settings.large_reviewers if not _wrote(pull_request, login)
        )
        if asked:
            effects.append(RequestReview(reviewers=asked))
        return effects


def _is_moved(event: ConversationEvent) -> bool:
    return isinstance(event, IssueOpened) and event.came_by_transfer


def _wrote(pull_request: PullRequest, login: str) -> bool:
    """Whether they are the author, whom GitHub does not let review."""
    return pull_request.user is not None and pull_request.user.login.lower() == login.lower()

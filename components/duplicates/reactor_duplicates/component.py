"""Duplicates: earlier issues that may be about the same are named to the author of a new one.

    issue event -> compare -> judge_by_model    -> advise
                           or judge_by_likeness

Every event of an issue keeps the index as it is now; only a new issue is compared.  Whoever reads
the advice decides: nothing is closed, and nothing is labelled.
"""

from pydantic import BaseModel, ConfigDict, Field

from reactor import ActionContext, action, component
from reactor.ai import Ai
from reactor.community import CommunityStore, IssueIndex, IssueText, LikeIssue, subject_entity
from reactor.github import Issue, IssueOpened, IssuesEvent, PostComment
from reactor_duplicates.settings import DuplicatesSettings
from reactor_duplicates.wording import advice

ASKS_A_MODEL = "settings.model"
ANY_ARE_THE_SAME = "size(possible_duplicates.issues) > 0"
ROLE = "duplicates"  # what the model is wanted for, in `llm.roles` of the operator
WITHIN_S = 240.0  # four calls of a minute each

ADVICE = "advice on duplicates"  # the purpose for which issues are claimed
GONE = frozenset({"deleted", "transferred"})  # from this repository


class SimilarIssues(BaseModel):
    """Earlier issues that are alike, the most alike first."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    issues: tuple[LikeIssue, ...] = Field(min_length=1)


class PossibleDuplicates(BaseModel):
    """Those of them that are thought to be about the same; there may be none."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    issues: tuple[LikeIssue, ...] = ()
    by: str  # "a model", "likeness"


class Verdict(BaseModel):
    """What a model is asked for."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    same: tuple[int, ...] = Field((), max_length=10, description="Numbers of earlier issues.")


@component(
    name="duplicates",
    settings=DuplicatesSettings,
    effects=(PostComment,),
    events=("issues",),
    uses_llm=True,
)
class DuplicatesComponent:
    """Finds issues that may be about the same, and says so once."""

    def __init__(
        self, settings: DuplicatesSettings, index: IssueIndex, store: CommunityStore
    ) -> None:
        self._settings, self._index, self._store = settings, index, store

    @action(cost=0.05, value=0.5)
    async def compare(
        self, event: IssuesEvent, issue: Issue, context: ActionContext
    ) -> SimilarIssues | None:
        """Keep the index as the issue is now, and look for others like a new one."""
        if event.repository is None:
            return None
        repository = f"{event.host}/{event.repository.id}"
        if event.action in GONE:
            await self._index.forget(repository, issue.number)
            return None
        here = _as_text(issue, context)
        await self._index.remember(repository, here)
        if not isinstance(event, IssueOpened) or event.came_by_transfer or _is_by_a_bot(issue):
            return None
        found = await self._index.like(repository, here, at_least=self._settings.like_at)
        return SimilarIssues(issues=found) if found else None

    @action(pre=[ASKS_A_MODEL], cost=0.1, value=0.55, timeout_s=WITHIN_S)
    async def judge_by_model(
        self, similar: SimilarIssues, issue: Issue, ai: Ai
    ) -> PossibleDuplicates:
        """Have a model say which are about the same; it can name no others."""
        verdict = (
            await ai.with_role(ROLE)
            .creating(Verdict)
            .from_template(
                "same_issues",
                issue=issue,
                author=issue.user.login if issue.user else "",
                earlier=[{"number": each.number, "title": each.title} for each in similar.issues],
            )
        )
        by_number = {each.number: each for each in similar.issues}
        same = [by_number[number] for number in dict.fromkeys(verdict.same) if number in by_number]
        return PossibleDuplicates(issues=tuple(same[: self._settings.most]), by="a model")

    @action(cost=0.05, value=0.4)
    async def judge_by_likeness(self, similar: SimilarIssues) -> PossibleDuplicates:
        """Take those that are very much alike."""
        same = [each for each in similar.issues if each.likeness >= self._settings.same_at]
        return PossibleDuplicates(issues=tuple(same[: self._settings.most]), by="likeness")

    @action(pre=[ANY_ARE_THE_SAME], cost=0.05, value=0.35)
    async def advise(
        self,
        possible_duplicates: PossibleDuplicates,
        event: IssueOpened,
        issue: Issue,
        context: ActionContext,
    ) -> PostComment | None:
        """Name them to the author, once for each issue."""
        entity = subject_entity(issue, key=event.subject_key)
        is_new = await self._store.claim_new(
            [entity], purpose=ADVICE, process_id=context.process_id
        )
        if not is_new:
            return None
        return PostComment(body=advice(possible_duplicates.issues, self._settings))


def _as_text(issue: Issue, context: ActionContext) -> IssueText:
    return IssueText(
        number=issue.number,
        title=issue.title,
        text=issue.body or "",
        is_open=issue.state != "closed",
        changed_at=issue.updated_at or issue.created_at or context.now(),
    )


def _is_by_a_bot(issue: Issue) -> bool:
    return issue.user is not None and issue.user.is_bot

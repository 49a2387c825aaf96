"""Triage: what is new is saved, judged, labelled, asked about, answered or escalated.

    issue opened -> save_new_issue -> react_to_new_issue_by_model -> heavy_hitter_issue
                                   or react_to_new_issue          -> label_issue
                                                                  -> ask_for_information
                                                                  or answer_author

A model is worth more than the rules, which are always there: both give an assessment, so the
better one that can run does, and what follows is the same.  A known issue is not saved again, so nothing that depends on it runs, and the process ends
quietly; unless somebody has asked for it to be looked at anew.  Order comes from what each action
is worth; nothing calls anything.  Authors who were asked are waited for in `follow_up`, what
nobody touches is seen to in `stale`, and files are looked at in `paths`.
"""

from reactor import ActionContext, Reminders, Retriaged, action, component
from reactor.ai import Ai
from reactor.community import (
    FIRST_RESPONSE,
    CommunityStore,
    Entity,
    FirstResponse,
    IssueAssessment,
    NewEntity,
    PullRequestAssessment,
    person_entity,
    subject_entity,
)
from reactor.github import (
    AddLabels,
    Assign,
    Close,
    Conversation,
    ConversationEvent,
    Issue,
    IssueOpened,
    IssueTransferred,
    PostComment,
    PullRequest,
    PullRequestOpened,
    RemoveLabels,
)
from reactor_triage.by_model import WITHIN_S, Reader, Reply
from reactor_triage.follow_up import AUTHOR_SILENT, BY_A_PERSON, AuthorAsked, FollowUp
from reactor_triage.looking import LookingAgain
from reactor_triage.paths import ByPath
from reactor_triage.reading import (
    IssueReading,
    PullRequestReading,
    Reading,
    issue_assessment,
    pull_request_assessment,
)
from reactor_triage.replies import reply_with, request_for, summary
from reactor_triage.rules import Rules
from reactor_triage.settings import TriageSettings
from reactor_triage.stale import STALE, Stale

NEW_ISSUE = 'new_entity.entities.exists(e, e.kind == "issue")'
NEW_PULL_REQUEST = 'new_entity.entities.exists(e, e.kind == "pull_request")'
BY_AN_OUTSIDER = '!(issue.author_association in ["OWNER", "MEMBER", "COLLABORATOR"])'
PULL_REQUEST_BY_A_PERSON = 'pull_request.user != null && pull_request.user.type != "Bot"'
ASKS_A_MODEL = 'settings.model != "never"'
IS_URGENT = "issue_assessment.urgency > settings.urgent_at"
IS_INCOMPLETE = "issue_assessment.quality < settings.incomplete_below"

SEEN = "seen by triage"  # the purpose for which authors are claimed


@component(
    name="triage",
    settings=TriageSettings,
    effects=(AddLabels, Assign, Close, PostComment, RemoveLabels),
    events=(
        "issues",
        "issue_comment",
        "pull_request",
        "pull_request_review",
        "pull_request_review_comment",
        f"timer.{AUTHOR_SILENT}",
        f"timer.{STALE}",
    ),
)
class TriageComponent(FollowUp, Stale, LookingAgain, ByPath):
    """Judges new issues and pull requests; labels them, asks back, answers, escalates."""

    def __init__(
        self, settings: TriageSettings, store: CommunityStore, reminders: Reminders
    ) -> None:
        self._settings, self._store, self._reminders = settings, store, reminders
        self._rules = Rules(settings.labels, most_labels=settings.most_labels)
        self._reader = Reader(settings)

    # What is new ---------------------------------------------------------------------------

    @action(output="issue", post=[NEW_ISSUE], value=0.9)
    async def save_new_issue(
        self,
        event: IssueOpened,
        issue: Issue,
        context: ActionContext,
        retriaged: Retriaged | None = None,
    ) -> Issue | None:
        """Claim an opened issue that nobody has claimed before, and its author."""
        if event.came_by_transfer:
            return None
        is_new = await self._is_new(event, issue, context)
        return issue if is_new or self._is_wanted(event, issue, context, retriaged) else None

    @action(output="pull_request", post=[NEW_PULL_REQUEST], value=0.9)
    async def save_new_pull_request(
        self,
        event: PullRequestOpened,
        pull_request: PullRequest,
        context: ActionContext,
        retriaged: Retriaged | None = None,
    ) -> PullRequest | None:
        """Claim an opened pull request that nobody has claimed before, and its author."""
        is_new = await self._is_new(event, pull_request, context)
        is_wanted = is_new or self._is_wanted(event, pull_request, context, retriaged)
        return pull_request if is_wanted else None

    @action(value=0.9)
    async def note_transfer(self, event: IssueTransferred, context: ActionContext) -> None:
        """Claim the issue that a transfer makes elsewhere: its opening is no news."""
        changes = event.changes
        if changes is None or changes.new_issue is None or changes.new_repository is None:
            return
        key = f"{event.host}/{changes.new_repository.id}#{changes.new_issue.number}"
        moved = subject_entity(changes.new_issue, key=key)
        await self._claim([moved], FIRST_RESPONSE, context)

    async def _is_new(
        self, event: ConversationEvent, subject: Conversation, context: ActionContext
    ) -> bool:
        found = await self._claim(
            [subject_entity(subject, key=event.subject_key)], FIRST_RESPONSE, context
        )
        if not found:
            return False
        if subject.user is not None and event.repository is not None:
            author = person_entity(subject.user, host=event.host, repository_id=event.repository.id)
            found += await self._claim([author], SEEN, context)
        context.add(NewEntity(entities=found))
        return True

    @staticmethod
    def _is_wanted(
        event: ConversationEvent,
        subject: Conversation,
        context: ActionContext,
        retriaged: Retriaged | None,
    ) -> bool:
        """Whether somebody wants it to be judged as if it were new; its author is not."""
        if retriaged is None:
            return False
        context.add(NewEntity(entities=(subject_entity(subject, key=event.subject_key),)))
        return True

    async def _claim(
        self, entities: list[Entity], purpose: str, context: ActionContext
    ) -> tuple[Entity, ...]:
        return await self._store.claim_new(entities, purpose=purpose, process_id=context.process_id)

    # How it is judged ----------------------------------------------------------------------

    @action(pre=[NEW_ISSUE], cost=0.05, value=0.85, read_only=True)
    async def react_to_new_issue(self, issue: Issue) -> IssueAssessment:
        """Judge a new issue by rules: urgency, mood, labels, and what it lacks."""
        judged = self._rules.judge(issue.title, issue.body)
        return IssueAssessment(
            comment=summary(judged.urgency, judged.quality, judged.reasons),
            urgency=judged.urgency,
            sentiment=judged.sentiment,
            labels=judged.labels,
            quality=judged.quality,
            missing=judged.missing,
        )

    @action(pre=[NEW_PULL_REQUEST], cost=0.05, value=0.85, read_only=True)
    async def react_to_new_pull_request(self, pull_request: PullRequest) -> PullRequestAssessment:
        """Judge a new pull request by rules; the number of its files is GitHub's."""
        judged = self._rules.judge(pull_request.title, pull_request.body)
        return PullRequestAssessment(
            comment=summary(judged.urgency, judged.quality, judged.reasons),
            urgency=judged.urgency,
            sentiment=judged.sentiment,
            labels=judged.labels,
            changed_files=pull_request.changed_files or 0,
        )

    @action(pre=[NEW_ISSUE, BY_A_PERSON, ASKS_A_MODEL], cost=0.1, value=0.97, timeout_s=WITHIN_S)
    async def react_to_new_issue_by_model(
        self, issue: Issue, ai: Ai, context: ActionContext, retriaged: Retriaged | None = None
    ) -> IssueAssessment:
        """Have a model judge a new issue; what it lacks is asked for in our words."""
        reading = await self._reader.read("first_issue_response", issue, ai, IssueReading)
        self._note_reply(reading, issue, context, retriaged)
        return issue_assessment(reading, self._settings)

    @action(
        pre=[NEW_PULL_REQUEST, PULL_REQUEST_BY_A_PERSON, ASKS_A_MODEL],
        cost=0.1,
        value=0.97,
        timeout_s=WITHIN_S,
    )
    async def react_to_new_pull_request_by_model(
        self,
        pull_request: PullRequest,
        ai: Ai,
        context: ActionContext,
        retriaged: Retriaged | None = None,
    ) -> PullRequestAssessment:
        """Have a model judge a new pull request; the number of its files is GitHub's."""
        reading = await self._reader.read("first_pr_response", pull_request, ai, PullRequestReading)
        self._note_reply(reading, pull_request, context, retriaged)
        files = pull_request.changed_files or 0
        return pull_request_assessment(reading, self._settings, changed_files=files)

    def _note_reply(
        self,
        reading: Reading,
        subject: Conversation,
        context: ActionContext,
        retriaged: Retriaged | None,
    ) -> None:
        """Keep what the model would answer, if it may be written; nobody is answered twice."""
        reply = self._reader.reply(reading, subject) if retriaged is None else None
        if reply is not None:
            context.add(reply)

    # What is done about it -----------------------------------------------------------------

    @action(pre=[IS_URGENT], cost=0.1, value=0.8)
    async def heavy_hitter_issue(
        self, issue: Issue, issue_assessment: IssueAssessment
    ) -> list[AddLabels | Assign]:
        """Escalate what is urgent: label it, and give it to those on call."""
        effects: list[AddLabels | Assign] = []
        if not self._has(issue, self._settings.urgent_label):
            effects.append(AddLabels(labels=(self._settings.urgent_label,)))
        if self._settings.on_call and not issue.assignees:
            effects.append(Assign(logins=self._settings.on_call))
        return effects

    @action(pre=["size(issue_assessment.labels) > 0"], cost=0.05, value=0.6)
    async def label_issue(
        self, issue: Issue, issue_assessment: IssueAssessment
    ) -> AddLabels | None:
        """Put on the labels that the assessment found."""
        return self._labels_for(issue, issue_assessment.labels)

    @action(pre=["size(pull_request_assessment.labels) > 0"], cost=0.05, value=0.6)
    async def label_pull_request(
        self, pull_request: PullRequest, pull_request_assessment: PullRequestAssessment
    ) -> AddLabels | None:
        """Put on the labels that the assessment found."""
        return self._labels_for(pull_request, pull_request_assessment.labels)

    @action(pre=[IS_INCOMPLETE, BY_AN_OUTSIDER, BY_A_PERSON], cost=0.1, value=0.5)
    async def ask_for_information(
        self,
        issue: Issue,
        issue_assessment: IssueAssessment,
        new_entity: NewEntity | None,
        retriaged: Retriaged | None = None,
    ) -> tuple[PostComment, AddLabels, FirstResponse, AuthorAsked] | None:
        """Ask the author for what the report lacks; one who was asked before is not asked again."""
        was_asked = retriaged is not None and self._has(issue, self._settings.incomplete_label)
        if not issue_assessment.missing or was_asked:
            return None
        is_newcomer = new_entity is not None and new_entity.has("person")
        return (
            PostComment(body=request_for(issue_assessment.missing, is_newcomer=is_newcomer)),
            AddLabels(labels=(self._settings.incomplete_label,)),
            FirstResponse(by="triage"),
            AuthorAsked(label=self._settings.incomplete_label),
        )

    @action(cost=0.1, value=0.45)
    async def answer_author(self, reply: Reply) -> tuple[PostComment, FirstResponse]:
        """Answer an author in a model's words, where nothing has to be asked."""
        return PostComment(body=reply_with(reply.words)), FirstResponse(by="triage")

    def _labels_for(self, subject: Conversation, labels: tuple[str, ...]) -> AddLabels | None:
        lacking = tuple(name for name in labels if not self._has(subject, name))
        return AddLabels(labels=lacking) if lacking else None

    @staticmethod
    def _has(subject: Conversation, label: str) -> bool:
        return label.lower() in subject.label_names

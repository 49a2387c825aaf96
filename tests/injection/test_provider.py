"""Attacks over HTTP, as a provider sees them: what is in a request, and what comes of its answer.

With secrets in the settings and in the environment, and with a package that believes its model.
"""

import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from reactor.delivery import Delivery
from reactor.explain import ToldProcess
from reactor.github.dialect import Envelope
from reactor.settings import Settings, load
from reactor.testing import account, delivery, issue
from reactor.wiring.memory import receive
from tests.fixtures.models import answers
from tests.fixtures.models.answers import Answer
from tests.fixtures.models.server import StubModels
from tests.fixtures.plugins import install_package
from tests.injection.attacks import ATTACKS, Attack
from tests.injection.obedient import Obedient
from tests.odd_inputs.cases import load_case

pytestmark = pytest.mark.timeout(300)  # importing LiteLLM takes long on a busy machine

KEY = "sk-key-of-the-model-9f3a"
SECRETS = {
    "GITHUB_TOKEN": "ghp_tokenofgithub0123456789",
    "GITHUB_WEBHOOK_SECRET": "webhook-secret-77aa",
    "REACTOR_SECRET_OF_A_TEAM": "secret-of-a-team-41c2",
    "REDIS_URL": "redis://:password-of-redis@127.0.0.1:1/0",
}
LABELS = {
    "bug",
    "enhancement",
    "question",
    "documentation",
    "security",
    "performance",
    "urgent",
    "needs-information",
    "new",
}
GULLIBLE = """
    import os

    from pydantic import BaseModel

    from reactor import action, component
    from reactor.ai import Ai, fence
    from reactor.github import AddLabels, Close, Issue, PostComment

    class Wish(BaseModel):
        labels: list[str] = []
        reply: str = "none"

    @component(effects=(AddLabels, Close, PostComment))
    class Gullible:
        @action(value=0.99)
        async def believe(
            self, issue: Issue, ai: Ai
        ) -> tuple[AddLabels, AddLabels, PostComment, Close]:
            "Does what a model says."
            said = await ai.create_object(fence(issue.title + " " + (issue.body or "")), Wish)
            asked = AddLabels(labels=tuple(said.labels))
            return asked, AddLabels(labels=("bug",)), PostComment(body=said.reply), Close()

    COMPONENTS = (Gullible,)
"""
WANTING_SECRETS = [
    each for each in ATTACKS if each.name in ("secrets wanted", "template", "case 48", "tool names")
]


def settings_of(stub: StubModels, tmp_path: Path, **more: Any) -> Settings:
    """Everything that is shipped, with a model that obeys."""
    path = tmp_path / "reactor.yaml"
    path.write_text(
        json.dumps(
            {
                "llm": {
                    "models": {
                        "default": {
                            "model": "openai/gpt-4o-mini",
                            "api_base": stub.url,
                            "api_key": KEY,
                        }
                    }
                },
                "components": {"triage": {"model": "reply"}, **more.pop("components", {})},
                **more,
            }
        )
    )
    return load(path, SECRETS)


@pytest.fixture
def provider(stub_models: StubModels, monkeypatch: pytest.MonkeyPatch) -> StubModels:
    """A model that obeys, in a process whose environment has secrets."""
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    model = Obedient()

    def answer(asked: dict[str, Any]) -> Answer:
        prompt = "\n".join(str(message["content"]) for message in asked["messages"])
        return answers.text(model.answer(prompt))

    stub_models.answering = answer
    return stub_models


@pytest.fixture
def gullible(tmp_path: Path) -> Iterator[None]:
    """A package that does what a model says."""
    folder = tmp_path / "packages"
    folder.mkdir()
    install_package(folder, "gullible", GULLIBLE)
    sys.path.insert(0, str(folder))
    yield
    sys.path.remove(str(folder))
    sys.modules.pop("gullible", None)


def opened(attack: Attack) -> Delivery:
    return delivery(
        "issues.opened", issue=issue(attack.title, body=attack.body, user=account("mallory"))
    )


def case_48(**user: Any) -> Delivery:
    """As it is sent; with another author, if one is told."""
    (odd,) = load_case("48_prompt_injection").requests
    payload = json.loads(odd.body)
    payload["issue"]["user"] |= user
    envelope = Envelope(id=odd.delivery_id, event="issues")
    return envelope.open(json.dumps(payload).encode(), received_at=datetime(2026, 3, 1, tzinfo=UTC))


async def what_came(settings: Settings, about: Delivery) -> ToldProcess:
    told, faults = await receive(settings, about)
    assert faults == ()
    (process,) = told["processes"]
    return process


def labels_of(process: ToldProcess, *, state: str = "observed") -> set[str]:
    """Of effects in that state."""
    return {
        label
        for effect in process["effects"]
        if effect["state"] == state
        for label in effect.get("labels", ())
    }


def actions_of(process: ToldProcess) -> list[str | None]:
    return [tick["chosen"] for tick in process["ticks"]]


@pytest.mark.parametrize("attack", WANTING_SECRETS, ids=lambda attack: attack.name)
async def test_no_secret_is_in_what_a_provider_is_sent(
    attack: Attack, provider: StubModels, tmp_path: Path
) -> None:
    settings = settings_of(provider, tmp_path)

    process = await what_came(settings, opened(attack))

    sent = json.dumps(provider.requests)
    assert "triage.react_to_new_issue_by_model" in actions_of(process)
    assert attack.title in sent
    assert provider.keys[0] == KEY
    assert [value for value in (KEY, *SECRETS.values(), "password-of-redis") if value in sent] == []
    assert not any(request.get("tools") for request in provider.requests)
    assert not any(value in json.dumps(process) for value in (KEY, *SECRETS.values()))


async def test_case_48_of_a_bot_is_judged_by_rules_and_no_model_is_asked(
    provider: StubModels, tmp_path: Path
) -> None:
    process = await what_came(settings_of(provider, tmp_path), case_48())

    assert provider.requests == []
    assert labels_of(process) == {"bug", "performance", "new"}
    assert {effect["kind"] for effect in process["effects"]} == {"AddLabels"}


async def test_case_48_of_a_person_gets_labels_of_the_list_and_at_most_one_comment(
    provider: StubModels, tmp_path: Path
) -> None:
    person = {"login": "helpful-app", "type": "User"}

    process = await what_came(settings_of(provider, tmp_path), case_48(**person))

    asked = process["effects"]
    comments = [effect["body"] for effect in asked if effect["kind"] == "PostComment"]
    assert len(provider.requests) == 1
    assert labels_of(process) <= LABELS
    assert {effect["kind"] for effect in asked} <= {"AddLabels", "PostComment"}
    assert len(comments) <= 1
    assert not any("@" in body or "://" in body for body in comments)


async def test_where_a_package_believes_its_model_the_operators_lists_still_hold(
    provider: StubModels, gullible: None, tmp_path: Path
) -> None:
    settings = settings_of(
        provider,
        tmp_path,
        components={"gullible": {"allow": ["AddLabels"]}},
        repositories={"*": {"labels": sorted(LABELS)}},
    )
    (attack,) = (each for each in ATTACKS if each.name == "answer given")

    process = await what_came(settings, opened(attack))

    believed = [each for each in process["effects"] if each["action"] == "gullible.believe"]
    assert len(believed) == 4
    assert [each["labels"] for each in believed if each["state"] == "observed"] == [["bug"]]
    assert "approved" in labels_of(process, state="refused")
    assert {each["kind"] for each in believed if each["state"] == "refused"} == {
        "AddLabels",
        "Close",
        "PostComment",
    }
